// When to step: monotonic time in, a number of fixed ticks out. Time accumulates exactly (no drift at any rate), a late caller is given a bounded
// number of ticks to catch up, and what lies beyond the bound is given up and counted, so that a slow machine runs in slow motion instead of
// spiralling. It reads no clock and steps nothing.
#pragma once

#include <cstdint>

namespace takt::server {

class TickClock {
 public:
  /// `tick_rate_hz` in [1, 10000]. `catch_up_max`: ticks given out at once, at least 1.
  TickClock(std::uint32_t tick_rate_hz, std::uint32_t catch_up_max) noexcept;

  /// The first tick is due one period after this.
  void start(std::uint64_t now_us) noexcept;
  /// How many ticks to run now. Each is given out once. Times must not run backwards (asserted).
  [[nodiscard]] std::uint32_t take_due(std::uint64_t now_us) noexcept;
  /// When the next tick is due, microseconds of the same clock.
  [[nodiscard]] std::uint64_t next_due_us() const noexcept;

  /// Ticks that were given out later than their own period.
  [[nodiscard]] std::uint64_t late_ticks() const noexcept { return late_ticks_; }
  /// Ticks that were never given out: the simulation fell this far behind real time.
  [[nodiscard]] std::uint64_t dropped_ticks() const noexcept { return dropped_ticks_; }

 private:
  std::uint64_t rate_hz_;
  std::uint64_t catch_up_max_;
  std::uint64_t last_us_ = 0;
  std::uint64_t accumulated_ = 0;  // microseconds x rate: a tick is exactly 1,000,000 of them
  std::uint64_t late_ticks_ = 0;
  std::uint64_t dropped_ticks_ = 0;
};

}  // namespace takt::server
