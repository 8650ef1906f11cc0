// TickLoop runs a Playable (a room or a playback) in time. Each call of run_due() runs the ticks that are
// due at the Playable's tick rate and speed, and emits a RoomUpdate for each tick. TickLoop owns no thread:
// its caller, Server, waits until next_us() and calls run_due(). Time comes from a function, so that tests
// run TickLoop on a virtual clock.
//
// At speed 1 and below a call is due for each tick; above, once a period of the tick rate. Faster speeds,
// late calls and single steps run several ticks in one call, of which only the last has a snapshot. A call
// without a due tick (paused, or slow ticks) repeats the snapshot every kIdleSnapshotUs, for newcomers and
// lost packets. A call ends with the tick that reaches kBatchUs; due ticks beyond that are given up and
// counted, except single steps.
#pragma once

#include <cstdint>
#include <functional>

#include "server/playable.h"
#include "server/tick_clock.h"
#include "server/tick_histogram.h"
#include "server/tick_window.h"

namespace takt::server {

class TickLoop {
 public:
  using Clock = std::function<std::uint64_t()>;  ///< monotonic microseconds
  using Emit = std::function<void(RoomUpdate&&)>;

  /// The playable must outlive the loop. `catch_up_max` as in TickClock.
  TickLoop(Playable& playable, std::uint32_t catch_up_max, Clock clock);

  void start();
  /// Time at which run_due() should be called next.
  [[nodiscard]] std::uint64_t next_us() const noexcept;
  /// Runs the ticks that are due; the caller has handled the room's events before. Every update goes to
  /// `emit`, at least one.
  void run_due(const Emit& emit);

  [[nodiscard]] const TickClock& clock() const noexcept { return ticks_; }
  [[nodiscard]] const TickWindow& window() const noexcept { return window_; }
  [[nodiscard]] const TickHistogram& histogram() const noexcept { return histogram_; }

  static constexpr std::uint64_t kIdleUs = 16'667;          ///< between two calls without a tick
  static constexpr std::uint64_t kBatchUs = 50'000;         ///< of ticks in one call
  static constexpr std::uint64_t kIdleSnapshotUs = 50'000;  ///< between two snapshots of a standing world
  static constexpr std::uint64_t kInsideUs = 100'000;       ///< between two looks inside
  static constexpr std::uint64_t kStatsUs = 1'000'000;      ///< between two statistics, about

 private:
  void follow_tick_rate(std::uint64_t now_us);
  [[nodiscard]] std::uint32_t run_ticks(std::uint64_t now_us, const Emit& emit);
  void emit_update(RoomUpdate&& update, const UpdateRequest& request, std::uint64_t now_us, const Emit& emit);
  [[nodiscard]] UpdateRequest request_at(std::uint64_t now_us, bool is_published) const;

  Playable* playable_;
  Clock clock_;
  TickClock ticks_;
  TickWindow window_;
  TickHistogram histogram_;
  std::uint32_t rate_hz_;
  double speed_ = 1;             // 0 = paused
  std::uint64_t called_us_ = 0;  // time of the last run_due()
  std::uint64_t snapshot_us_ = 0;
  std::uint64_t inside_us_ = 0;
  std::uint64_t stats_us_ = 0;
};

}  // namespace takt::server
