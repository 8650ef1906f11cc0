// ShadowWorld answers everything that looks at a world without being part of a tick: queries, state hashes,
// inspections and images. The live simulation does no more than capture() a tick into a ring of snapshots. A
// worker thread, or the caller of run() when there is none, rolls a copy of the simulation to a captured tick
// (Simulation::make_shadow) and works there. take_results() returns what has become ready. WorldPublisher
// owns one. ShadowWorld steps nothing and reads no clock; its results change no bit of the live world.
//
// A query may name a tick up to rewind_ms back. It is answered about the nearest captured tick, and the
// answer names that tick. Captures happen in ticks in which something is wanted, and in every tick for a
// while after a query, so that there are ticks to go back to.
//
// Threads: one thread calls all public functions. The worker shares the ring, the queue of requests and the
// results under one mutex; snapshots are read and written outside of it, by one side at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "server/query_queue.h"
#include "server/room_update.h"
#include "takt/sim/simulation.h"

namespace takt::server {

struct ShadowOptions {
  QueryBudget query_budget;
  std::uint32_t rewind_ms = 250;        ///< longest way back of a query
  std::uint32_t captures_after_s = 10;  ///< each tick is captured for so long after a query
  std::size_t requests_max = 4096;      ///< of queries that the worker has not seen; more are refused as busy
  std::size_t snapshots_max = 64;       ///< of a worker that is behind; beyond, the oldest hash is given up
};

/// Takes hashes and images as they become ready, on the worker's thread, in the order of ticks.
class TickObserver {
 public:
  virtual ~TickObserver() = default;
  virtual void handle_hash(std::uint64_t tick, std::uint64_t hash) = 0;
  virtual void handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&& image) = 0;
};

class ShadowWorld {
 public:
  /// Uses of a tick, beside queries.
  struct Wanted {
    bool hash = false;
    bool image = false;  ///< with its hash; for the observer
    bool inside = false;
    bool join_image = false;  ///< for Results::join_image; one at a time
  };
  /// The saved state at a tick.
  struct JoinImage {
    std::uint64_t tick = 0;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  /// Results that have become ready since the last call.
  struct Results {
    std::vector<QueryReply> replies;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> hashes;  ///< (tick, hash), ascending
    std::optional<InsideView> inside;                             ///< the newest
    std::optional<JoinImage> join_image;
    bool is_join_image_lost = false;  ///< the worker was too far behind
  };
  using Inspections = std::map<sim::PlayerId, std::uint32_t>;

  explicit ShadowWorld(const ShadowOptions& options = {});
  ~ShadowWorld();  ///< ends the worker; what it has not begun is dropped
  ShadowWorld(const ShadowWorld&) = delete;
  ShadowWorld& operator=(const ShadowWorld&) = delete;

  /// A worker does the work from here on. Without it run() does.
  void start_thread();
  /// The live world from here on; waiting queries are refused. `epoch` numbers it. Waits for the worker's
  /// present job.
  void enter(const sim::Simulation& live, std::uint32_t epoch);
  void set_max_query_length_m(double max_length_m);
  /// Null: nobody. It must outlive the ShadowWorld, or be taken off first.
  void set_observer(TickObserver* observer);

  void handle_query(protocol::QueryArrived&& query);
  void forget(protocol::PlayerId player);
  /// Captures the present tick of the live world if `wanted` or a query needs it. `inspections` is for
  /// Wanted::inside. One call a tick, and any number between two ticks.
  void end_tick(const sim::Simulation& live, const Wanted& wanted, const Inspections& inspections);
  /// Without a worker: does all the work that there is.
  void run();
  [[nodiscard]] Results take_results();
  /// Waits until nothing is left to do for the observer. For the end of a room, not for ticks.
  void drain();

  /// True while a hash or an image that is wanted has not been computed.
  [[nodiscard]] bool is_behind();
  /// Hashes that were wanted and given up, since the worker was too far behind.
  [[nodiscard]] std::uint64_t skipped_hash_count() const;

 private:
  struct Slot {
    sim::SimulationSnapshot snapshot;
    std::uint64_t tick = 0;
    bool is_valid = false;
    bool is_busy = false;  // being written by the live side, or read by the worker
    bool wants_hash = false;
    bool wants_image = false;
    bool wants_join_image = false;
  };
  struct Forget {
    protocol::PlayerId player = 0;
  };
  using Request = std::variant<protocol::QueryArrived, Forget>;
  struct InsideRequest {
    std::uint64_t tick = 0;
    Inspections inspections;
  };
  enum class Job : std::uint8_t { kNone, kHash, kQueries, kInside, kImage, kJoinImage };
  using Lock = std::unique_lock<std::mutex>;

  void run_thread();
  [[nodiscard]] std::uint64_t rewind_ticks() const noexcept;
  // Under mutex_.
  [[nodiscard]] bool needs_capture(std::uint64_t tick, const Wanted& wanted) const;
  [[nodiscard]] Slot& slot_to_write();
  [[nodiscard]] Slot* nearest_slot(std::uint64_t tick);
  [[nodiscard]] Slot* lowest_slot(bool Slot::*wants);
  [[nodiscard]] Job next_job();
  // Under `lock`, which they open while they work.
  void do_job(Job job, Lock& lock);
  void report(bool Slot::*wants, Lock& lock);
  void save_join_image(Lock& lock);
  void answer_queries(Lock& lock);
  void look_inside_now(Lock& lock);
  void roll_to(Slot& slot, Lock& lock);
  void wait_until_idle(Lock& lock);

  ShadowOptions options_;
  // The worker's, and while it is idle the live side's.
  std::optional<sim::Simulation> shadow_;
  std::optional<std::uint64_t> shadow_tick_;
  QueryQueue queries_;
  // Under mutex_.
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Request> requests_;
  std::optional<InsideRequest> inside_;
  Results results_;
  TickObserver* observer_ = nullptr;
  std::optional<std::uint64_t> newest_tick_;  // captured
  std::uint64_t capture_until_tick_ = 0;
  std::uint64_t skipped_hashes_ = 0;
  std::uint32_t tick_rate_hz_ = 60;
  std::uint32_t epoch_ = 0;
  bool is_asked_ = false;       // a query came since the last end_tick()
  bool is_answer_due_ = false;  // and one end_tick() since the last answers
  bool has_waiting_ = false;    // queries_ is not empty
  bool is_working_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace takt::server
