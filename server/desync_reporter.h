// DesyncReporter writes reports about desyncs into a folder, on a thread of its own: two files for each
// desync and end. desync-TICK-playerN-END.takt has the end's states and inputs (sim/comparison/
// desync_recording.h); the .txt beside it, which is written last, has the fields and the command that
// compares both ends' recordings. `takt serve` and `takt bot` own one each. It bounds files and bytes: a
// client decides how many desyncs there are. Reports beyond the bounds are left out, which one line of the
// log tells for each bound, and with the next report their number.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "server/room_update.h"
#include "sim/comparison/desync_recording.h"
#include "takt/core/result.h"
#include "takt/server/error.h"

namespace takt::server {

class DesyncReporter {
 public:
  /// Files of desyncs in the folder at most; a report has two.
  static constexpr std::size_t kFilesMax = 256;
  /// A larger recording is left out, and its text says so.
  static constexpr std::size_t kRecordingBytesMax = sim::kDesyncBytesMax;
  /// Bounds of one reporter; tests have smaller ones.
  struct Bounds {
    std::uint64_t total_bytes = std::uint64_t{1} << 30u;  ///< of all recordings
    std::size_t waiting = 16;                             ///< reports that wait for the disk
    std::size_t waiting_bytes = std::size_t{128} << 20u;  ///< of their recordings
  };

  /// A line for the log: a report that was written, or why one was not.
  using Log = std::function<void(std::string line)>;

  /// Makes the folder if it is missing, and starts the thread, on which `log` is called. `end` is "server" or
  /// "client". The error names the folder and the reason, also when no file can be made there.
  [[nodiscard]] static Result<std::unique_ptr<DesyncReporter>, FileError> open(std::string folder,
                                                                               std::string_view end, Log log,
                                                                               const Bounds& bounds);
  [[nodiscard]] static Result<std::unique_ptr<DesyncReporter>, FileError> open(std::string folder,
                                                                               std::string_view end,
                                                                               Log log) {
    return open(std::move(folder), end, std::move(log), Bounds{});
  }
  ~DesyncReporter();  ///< writes what waits, and ends the thread
  DesyncReporter(const DesyncReporter&) = delete;
  DesyncReporter& operator=(const DesyncReporter&) = delete;

  /// Takes a report; it is written later. Without its recording if too many bytes wait, and not at all if too
  /// many reports do. Any thread.
  void put(DesyncReport&& report);

 private:
  struct Waiting {
    DesyncReport report;
    std::string missing;  // why there is no recording
  };
  DesyncReporter(std::string folder, std::string_view end, Log log, const Bounds& bounds);
  void run_thread();
  void write(const Waiting& waiting);
  void log_dropped(std::uint64_t dropped);
  [[nodiscard]] bool is_folder_full() const;

  std::string folder_;
  std::string end_;
  Log log_;
  Bounds bounds_;
  // The thread's.
  std::uint64_t total_bytes_ = 0;
  std::uint64_t left_out_ = 0;  // since the last report
  bool is_total_reported_ = false;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Waiting> waiting_;    // under mutex_
  std::size_t waiting_bytes_ = 0;  // under mutex_; with those that are being written
  std::uint64_t dropped_ = 0;      // under mutex_; that the thread has not counted yet
  bool is_stopping_ = false;       // under mutex_
  std::thread thread_;
};

}  // namespace takt::server
