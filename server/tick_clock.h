// TickClock decides how many fixed ticks are due: monotonic time goes in, a number of ticks comes out. The
// rate is the tick rate (at most 10,000 Hz) times the speed (0, or up to 100), in thousandths of a tick per
// second. At that rate time accumulates exactly, without drift. A late caller is given a bounded number of
// ticks to catch up. Ticks beyond the bound are given up and counted, so that a slow machine runs in slow
// motion instead of spiralling. TickLoop reads the clock and runs the ticks.
#pragma once

#include <cstdint>

namespace takt::server {

class TickClock {
 public:
  /// `tick_rate_hz` in [1, 10000]. `catch_up_max`: ticks given out at once at that rate, at least 1; faster
  /// rates give out more, in proportion.
  TickClock(std::uint32_t tick_rate_hz, std::uint32_t catch_up_max) noexcept;

  /// The first tick is due one period after this.
  void start(std::uint64_t now_us) noexcept;
  /// Another rate from here on, the first tick one of its periods later. `speed`: ticks per tick of
  /// `tick_rate_hz`, 0 = none are due, at most 100.
  void set_rate(std::uint64_t now_us, std::uint32_t tick_rate_hz, double speed) noexcept;
  /// How many ticks to run now. Each is given out once. Times must not run backwards (asserted).
  [[nodiscard]] std::uint32_t take_due(std::uint64_t now_us) noexcept;
  /// Number of ticks, of those given out last, that were skipped and never run.
  void give_up(std::uint32_t ticks) noexcept { dropped_ticks_ += ticks; }
  /// When the next tick is due, microseconds of the same clock; UINT64_MAX = never.
  [[nodiscard]] std::uint64_t next_due_us() const noexcept;

  /// Ticks that were given out later than their own period, or at speeds above 1 than the period of the tick
  /// rate.
  [[nodiscard]] std::uint64_t late_ticks() const noexcept { return late_ticks_; }
  /// Ticks that were never given out: the simulation fell this far behind real time. One interruption
  /// counts for at most two hours.
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
