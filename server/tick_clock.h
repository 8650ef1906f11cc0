// TickClock decides how many fixed ticks are due: monotonic time goes in, a number of ticks comes out. The
// rate is the tick rate (at most 10,000 Hz) times the speed (0, or up to 100), in thousandths of a tick per
// second. At that rate time accumulates exactly, without drift. A late caller gets a bounded number of ticks
// to catch up. Ticks beyond the bound are given up and counted, so that a slow machine runs in slow motion
// instead of spiralling. TickLoop reads the clock and runs the ticks.
#pragma once

#include <cstdint>

namespace takt::server {

class TickClock {
 public:
  /// Speed 1. `tick_rate_hz` in [1, 10000] (asserted). `catch_up_max`: ticks that one take_due() returns at
  /// most, at least 1 (asserted); above speed 1, this times the speed rounded up.
  TickClock(std::uint32_t tick_rate_hz, std::uint32_t catch_up_max) noexcept;

  /// Sets the first tick due one period of the present rate after `now_us`.
  void start(std::uint64_t now_us) noexcept;
  /// Sets another rate, and the first tick due one of its periods after `now_us`. `speed` in [0, 100] is the
  /// ratio to real time; 0 = no tick is due. Both ranges are asserted.
  void set_rate(std::uint64_t now_us, std::uint32_t tick_rate_hz, double speed) noexcept;
  /// Number of ticks to run now; each tick is returned once. Times must not run backwards (asserted).
  [[nodiscard]] std::uint32_t take_due(std::uint64_t now_us) noexcept;
  /// Counts ticks as dropped that the last take_due() returned and the caller did not run.
  void give_up(std::uint32_t ticks) noexcept { dropped_ticks_ += ticks; }
  /// When the next tick is due, microseconds of the same clock; UINT64_MAX = never.
  [[nodiscard]] std::uint64_t next_due_us() const noexcept;

  /// Late ticks: of each take_due() all but the first. Above speed 1, as many as the speed, rounded up, are
  /// in time.
  [[nodiscard]] std::uint64_t late_ticks() const noexcept { return late_ticks_; }
  /// Ticks that never ran, because the simulation fell behind real time. One interruption counts for at most
  /// two hours.
  [[nodiscard]] std::uint64_t dropped_ticks() const noexcept { return dropped_ticks_; }

 private:
  std::uint64_t rate_mhz_;          // thousandths of a tick per second
  std::uint64_t ticks_per_update_;  // due within one period of the tick rate; 1 up to speed 1
  std::uint64_t catch_up_max_;
  std::uint64_t last_us_ = 0;
  std::uint64_t accumulated_ = 0;  // microseconds x rate: a tick is exactly 10^9 of them
  std::uint64_t late_ticks_ = 0;
  std::uint64_t dropped_ticks_ = 0;
};

}  // namespace takt::server
