// Journal is the recording of a room that runs: a recording of version 2 (docs/RECORDING.md). The inputs of a
// tick go into it before the tick is stepped; hashes and images follow from the shadow world. After
// start_thread() a thread writes and syncs, and ticks do not wait for it: chunks go through a queue with a
// bound.
//
// When the store fails or the queue is full, the journal is suspended. Queued chunks are dropped, and so are
// the inputs of later ticks, which are counted. After retry_ms, wants_image() requests an image of the
// present tick. The journal continues from there in the store's next file, so no file has a gap. A store
// without further files ends the journal. JournalStore has the files; Journal opens none. Room owns one
// Journal.
//
// Threads: begin(), begin_tick(), wants_image() and close() are the room's; handle_hash() and handle_image()
// are the shadow world's; any thread may call status().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "server/journal_status.h"
#include "server/shadow_world.h"
#include "sim/recording/journal_chunks.h"
#include "takt/sim/recording.h"

namespace takt::server {

/// The files of a journal, one after another. One thread at a time calls write(), sync() and begin_next().
/// Another may call keep() or has_next() meanwhile.
class JournalStore {
 public:
  virtual ~JournalStore() = default;
  /// Appends to the present file; false when not all of it could be written. After false, write() and sync()
  /// are not called before begin_next().
  [[nodiscard]] virtual bool write(std::span<const std::byte> bytes) = 0;
  /// Stores a chunk of inputs where it outlives the process. write() gets the chunk later, unless the journal
  /// is suspended before. One thread at a time calls it; it must not wait.
  virtual void keep(std::span<const std::byte>) noexcept {}
  /// Makes the present file durable; false when that failed, with the consequences of a failed write().
  [[nodiscard]] virtual bool sync() { return true; }
  /// Ends the present file and begins another one; false when that failed, or there is none.
  [[nodiscard]] virtual bool begin_next() { return false; }
  /// False if begin_next() always fails. The answer must not change.
  [[nodiscard]] virtual bool has_next() const { return false; }
  /// Bytes of all files together, and their limit; 0 = no limit. Any thread may call both.
  [[nodiscard]] virtual std::uint64_t bytes() const { return 0; }
  [[nodiscard]] virtual std::uint64_t bytes_max() const { return 0; }
};

struct JournalOptions {
  std::uint32_t sync_ms = 200;               ///< between two syncs by the thread; 0 = after each tick
  std::uint32_t image_every_ticks = 600;     ///< [1, 1000000]: 10 s at 60 Hz
  std::size_t queue_bytes_max = 16u << 20u;  ///< of chunks that wait for the store; an image beyond it is
                                             ///< left out, another chunk suspends the journal
  std::uint32_t retry_ms = 2000;             ///< from a failure to the next attempt
  std::uint64_t file_bytes_max = 0;  ///< a larger file is followed by the next, if there is one; 0 = no limit
};

class Journal final : public TickObserver {
 public:
  /// `store` must outlive the journal.
  Journal(JournalStore& store, const JournalOptions& options) : store_(store), options_(options) {}
  ~Journal() override;  ///< writes what waits for the thread, but no index
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes header and first image at once; false when the store fails. Call it once, before start_thread().
  bool begin(const sim::Simulation& simulation, const sim::RecordingHead& head);
  /// Starts the thread that writes; call it once (asserted). Without it the calls that make chunks write
  /// them.
  void start_thread();
  /// Adds the inputs of the step from `tick`, which is about to run. Ticks must follow one another
  /// (asserted).
  void begin_tick(std::uint64_t tick, std::span<const sim::Input> inputs);
  /// True when the journal needs an image of the state at `tick`, the present one. Call it after each step.
  [[nodiscard]] bool wants_image(std::uint64_t tick);
  void handle_hash(std::uint64_t tick, std::uint64_t hash) override;
  void handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&& image) override;
  /// Writes everything that waits, and an index, and ends the journal. False when that failed, or the journal
  /// was suspended or had ended. Hashes and images must have come before.
  bool close();

  [[nodiscard]] JournalStatus status() const;

 private:
  enum class State : std::uint8_t { kOn, kSuspended, kStarting, kEnded };
  struct Item {
    std::vector<std::byte> bytes;
    bool begins_file = false;
    std::uint64_t end_tick = 0;  // of a chunk of inputs
  };
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;

  void run_thread();
  // Under mutex_.
  void put(Lock& lock, Item&& item);
  void put_inputs(Lock& lock, bool in_work);
  void put_hashes(Lock& lock);
  void write_one(Lock& lock);
  void sync(Lock& lock);
  void suspend();

  JournalStore& store_;
  JournalOptions options_;
  sim::RecordingHead head_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  State state_ = State::kEnded;
  JournalStatus status_;
  std::deque<Item> queue_;
  std::size_t queue_bytes_ = 0;
  std::vector<Item> held_;  // of the file that begins when its image comes
  std::size_t held_bytes_ = 0;
  std::uint64_t start_tick_ = 0;             // of that image
  std::vector<std::uint64_t> start_hashes_;  // after it
  bool is_rotating_ = false;                 // the present file goes on until then
  std::uint64_t file_bytes_ = 0;
  std::uint64_t input_count_ = 0;  // of the present file
  Clock::time_point retry_at_;
  // Inputs and hashes on their way to a chunk.
  std::uint64_t first_tick_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<std::byte> inputs_;
  std::uint64_t end_tick_ = 0;      // of the inputs so far
  std::uint64_t written_tick_ = 0;  // of the inputs in a file
  std::uint64_t first_hash_ = 0;
  std::vector<std::uint64_t> hashes_;
  std::uint64_t file_first_tick_ = 0;
  bool is_unsynced_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace takt::server
