// ShadowWorld does the work that reads a world without being part of a tick: queries, state hashes,
// inspections, lists of many ropes and images. The live simulation does no more than capture() a tick into a
// set of snapshots. A worker thread, or the caller of run() when there is none, rolls a copy of the
// simulation to a captured tick (Simulation::make_shadow) and works there. take_results() returns the results
// that are ready. WorldPublisher owns a ShadowWorld. ShadowWorld steps nothing and reads no clock; its
// results change no bit of the live world.
//
// A query may name a tick up to rewind_ms before the newest one at its arrival. It is answered about the
// nearest captured tick, and the answer names that tick. Captures happen in ticks in which something is
// wanted, and in every tick for a while after a query, so that there are ticks to go back to.
//
// Threads: one thread calls all public functions. The worker shares the snapshots, the queue of requests and
// the results under one mutex. A snapshot is read and written outside of it, by one side at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
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
#include "sim/comparison/desync_recording.h"
#include "sim/comparison/hash_tree.h"
#include "sim/comparison/state_path.h"
#include "takt/sim/simulation.h"

namespace takt::server {

struct ShadowOptions {
  QueryBudget query_budget;
  std::uint32_t rewind_ms = 250;        ///< longest way back of a query, world time
  std::uint32_t captures_after_s = 10;  ///< each tick is captured for this world time after a query
  std::size_t requests_max = 4096;      ///< requests that wait for the worker; more are refused as busy
  std::size_t snapshots_max = 64;  ///< at least 4 (asserted); with more wanted, the oldest is overwritten,
                                   ///< and its hash and image are given up
};

/// Receives hashes and images as they become ready: on the worker's thread, or in run() and drain() without
/// one. Hashes come in ascending order of ticks, and so do images; an image may come after later hashes.
class TickObserver {
 public:
  virtual ~TickObserver() = default;
  virtual void handle_hash(std::uint64_t tick, std::uint64_t hash) = 0;
  virtual void handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&& image) = 0;
};

class ShadowWorld {
 public:
  /// Uses of a tick besides queries.
  struct Wanted {
    bool hash = false;        ///< for Results and the observer
    bool image = false;       ///< for the observer, with its hash
    bool inside = false;      ///< contacts and joints, for Results
    bool ropes = false;       ///< for Results
    bool join_image = false;  ///< for Results::join_image; one at a time
    bool probes = false;      ///< kept for kProbeS, for handle_probe()
  };
  /// The saved state at a tick.
  struct JoinImage {
    std::uint64_t tick = 0;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  /// The ropes at a tick.
  struct RopeList {
    std::uint64_t tick = 0;
    std::vector<protocol::RopeState> ropes;
  };
  /// A path of the hash tree of the state at a tick, asked by a player's client.
  struct StateProbe {
    sim::PlayerId player = 0;
    std::uint64_t tick = 0;
    sim::StatePath path;
  };
  struct ProbeResult {
    StateProbe probe;
    std::optional<sim::StateAnswer> answer;  ///< none = the state is not kept any more
  };
  /// A finding whose states are to be saved: that of its tick, and the one before it that is kept.
  struct ReportRequest {
    DesyncFinding finding;
    sim::RecordingHead head;
    sim::RecentInputs inputs;
  };
  /// Results that have become ready since the last take_results().
  struct Results {
    std::vector<QueryReply> replies;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> hashes;  ///< (tick, hash), ascending
    std::optional<InsideView> inside;                             ///< the newest
    std::optional<RopeList> ropes;                                ///< the newest
    std::optional<JoinImage> join_image;
    bool is_join_image_lost = false;  ///< the worker was too far behind
    std::vector<ProbeResult> probes;
    std::vector<DesyncReport> reports;
  };
  using Inspections = std::map<sim::PlayerId, std::uint32_t>;
  /// A query may wait for so long without losing the oldest tick that it may name.
  static constexpr std::uint64_t kWaitTicks = 4;
  /// An image for the observer that is older goes before everything but hashes: joins and queries of clients
  /// must not starve a recording. Below the snapshots of a second, so that its snapshot is still there.
  static constexpr std::uint64_t kImageWaitTicks = 16;
  /// World time for which a state of Wanted::probes is kept, and again after each probe: a client's hash is
  /// compared about a round trip later. 38 snapshots at 60 Hz and one hash in 8 ticks.
  static constexpr std::uint64_t kProbeS = 5;

  explicit ShadowWorld(const ShadowOptions& options = {});
  ~ShadowWorld();  ///< ends the worker; jobs that it has not begun are dropped
  ShadowWorld(const ShadowWorld&) = delete;
  ShadowWorld& operator=(const ShadowWorld&) = delete;

  /// Starts the worker, which then does the work instead of run(). Call it once (asserted).
  void start_thread();
  /// Sets the live world and its epoch; call it first. Waiting queries are refused as late, and hashes,
  /// images and inspections that were wanted are dropped. The call waits for the worker's present job.
  void enter(const sim::Simulation& live, std::uint32_t epoch);
  /// Sets the longest query that is answered, m. The call waits for the worker's present job.
  void set_max_query_length_m(double max_length_m);
  /// Sets who receives hashes and images; null = nobody. The observer must outlive the ShadowWorld, or be
  /// replaced before its end. The call waits for the worker's present job.
  void set_observer(TickObserver* observer);

  /// `tick` is the live world's: a request may name a tick up to rewind_ms before it, and is answered about
  /// the oldest of these when it names an older one. Waiting takes nothing from that.
  void handle_query(protocol::QueryArrived&& query, std::uint64_t tick);
  /// Answers a path of the hash tree of a state of Wanted::probes.
  void handle_probe(StateProbe probe);
  /// Saves the states of a finding: its tick has just been probed, so they are kept. Any number of requests
  /// waits; the caller bounds them.
  void handle_report(ReportRequest request);
  void forget(protocol::PlayerId player);
  /// Captures the present tick of the live world if `wanted` or a query needs it. `inspections` has the
  /// kInspect bits of each player, for Wanted::inside. Call it after each tick, and any number of times
  /// between two ticks; enter() comes first (asserted).
  void end_tick(const sim::Simulation& live, const Wanted& wanted, const Inspections& inspections);
  /// Does all the work that waits. There must be no worker (asserted).
  void run();
  /// Moves out the results so far.
  [[nodiscard]] Results take_results();
  /// Waits until all wanted hashes and images are computed; without a worker the call computes them. It is
  /// for the end of a room, not for ticks.
  void drain();

  /// True while a wanted hash or image waits for its computation.
  [[nodiscard]] bool is_behind();
  /// Wanted hashes that were given up, because the worker was too far behind.
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
    std::uint64_t keep_until_tick = 0;  // for probes
  };
  struct Forget {
    protocol::PlayerId player = 0;
  };
  using Request = std::variant<protocol::QueryArrived, Forget>;
  struct InsideRequest {
    std::uint64_t tick = 0;
    Inspections inspections;
    bool wants_inside = false;
    bool wants_ropes = false;
  };
  enum class Job : std::uint8_t { kNone, kHash, kQueries, kInside, kImage, kJoinImage, kProbe, kReport };
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
  void answer_probe(Lock& lock);
  void make_report(Lock& lock);
  [[nodiscard]] Slot* slot_before(std::uint64_t tick);
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
  std::deque<StateProbe> probes_;
  std::deque<ReportRequest> report_requests_;
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
