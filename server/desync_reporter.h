// DesyncReporter writes reports about desyncs into a folder, on a thread of its own: two files for each
// desync and end. desync-TICK-playerN-END.takt has the end's states and inputs (sim/comparison/
// desync_recording.h); the .txt beside it, which is written last, has the fields and the command that
// compares both ends' recordings. `takt serve` and `takt bot` own one each. It bounds files and bytes: a
// client decides how many desyncs there are. Reports beyond the bounds are left out, which one line of the
// log tells.
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

#include "server/room_update.h"
#include "takt/core/result.h"
#include "takt/server/error.h"

namespace takt::server {

class DesyncReporter {
 public:
  /// Files of desyncs in the folder; no report is written while it has so many.
  static constexpr std::size_t kFilesMax = 256;
  /// A larger recording is left out, and its text says so. The second: of all recordings of this object.
  static constexpr std::size_t kRecordingBytesMax = std::size_t{64} << 20u;
  static constexpr std::uint64_t kTotalBytesMax = std::uint64_t{1} << 30u;
  /// Reports that wait for the disk; more are dropped.
  static constexpr std::size_t kWaitingMax = 16;

  /// A line for the log: a report that was written, or why one was not.
  using Log = std::function<void(std::string line)>;

  /// Makes the folder if it is missing, and starts the thread, on which `log` is called. `end` is "server" or
  /// "client". The error names the folder and the reason.
  [[nodiscard]] static Result<std::unique_ptr<DesyncReporter>, FileError> open(std::string folder,
                                                                               std::string_view end, Log log);
  ~DesyncReporter();  ///< writes what waits, and ends the thread
  DesyncReporter(const DesyncReporter&) = delete;
  DesyncReporter& operator=(const DesyncReporter&) = delete;

  /// Takes a report; it is written later. Any thread.
  void put(DesyncReport&& report);

 private:
  DesyncReporter(std::string folder, std::string_view end, Log log);
  void run_thread();
  void write(const DesyncReport& report);
  [[nodiscard]] bool is_full() const;

  std::string folder_;
  std::string end_;
  Log log_;
  std::uint64_t total_bytes_ = 0;  // the thread's
  bool is_full_reported_ = false;  // the thread's
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<DesyncReport> waiting_;  // under mutex_
  bool is_stopping_ = false;          // under mutex_
  std::thread thread_;
};

}  // namespace takt::server
