// TickLoop runs a Playable (a room or a playback) in time. Each call of run_due() runs the ticks that are
// due at the Playable's tick rate and speed, and emits a RoomUpdate for each tick. TickLoop owns no thread:
// its caller, Server, waits until next_us() and calls run_due(). Time comes from a function, so that tests
// run TickLoop on a virtual clock. One thread at a time uses a TickLoop.
//
// At speed 1 and below a call is due for each tick; above, once a period of the tick rate. Below
// speed 1, and at tick rates below 30 Hz, further calls are due every kIdleUs. Faster speeds, late calls and
// single steps run several ticks in one call, of which only the last has a snapshot. A call without a due
// tick calls Playable::idle(), with a snapshot every kIdleSnapshotUs, for newcomers and lost packets. A call
// ends with the tick that reaches kBatchUs; due ticks beyond that are given up and counted, except single
// steps.
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
  using Clock = std::function<std::uint64_t()>;  ///< microseconds; must not run backwards
  using Emit = std::function<void(RoomUpdate&&)>;

  /// The playable must outlive the loop. TickClock defines `catch_up_max`, at least 1.
  TickLoop(Playable& playable, std::uint32_t catch_up_max, Clock clock);

  /// Sets the first tick due one period from now. Call it once, before run_due().
  void start();
  /// Time of Clock at which run_due() should be called next; it may be in the past.
  [[nodiscard]] std::uint64_t next_us() const noexcept;
  /// Runs the ticks that are due, and passes every update to `emit`, at least one. The caller passes the
  /// session events to the Playable before.
  void run_due(const Emit& emit);

  [[nodiscard]] const TickClock& clock() const noexcept { return ticks_; }
  [[nodiscard]] const TickWindow& window() const noexcept { return window_; }
  [[nodiscard]] const TickHistogram& histogram() const noexcept { return histogram_; }

  static constexpr std::uint64_t kIdleUs = 16'667;   ///< between two calls below speed 1 or 30 Hz, at most
  static constexpr std::uint64_t kBatchUs = 50'000;  ///< time of the ticks of one call, about
  static constexpr std::uint64_t kIdleSnapshotUs = 50'000;  ///< between two snapshots without a tick
  static constexpr std::uint64_t kInsideUs = 100'000;       ///< between two InsideViews, at least
  static constexpr std::uint64_t kStatsUs = 1'000'000;      ///< between two statistics, 0.9 to 1.5 times this

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
