// lag_text() makes the log line about ticks that a server gave up, because real time had passed them. The
// line names one of three causes: too slow a simulation, single slow ticks, or a machine that stood still.
// The ticks' own times, compared with their period, decide. Server logs the line; lag_text() logs nothing.
#pragma once

#include <cstdint>
#include <string>

namespace takt::server {

struct Lag {
  std::uint64_t dropped_ticks = 0;   ///< ticks given up since the start
  std::uint32_t tick_median_us = 0;  ///< time of a tick over the last ticks (tick_window.h)
  std::uint32_t tick_p99_us = 0;     ///< 99th percentile of the same times
  double period_us = 0;              ///< of a tick at the present speed; above 0
};

/// One sentence without a full stop. The simulation "cannot keep up" if the median reaches kFullFraction of
/// the period; "single ticks are too slow" if only the 99th percentile does.
[[nodiscard]] std::string lag_text(const Lag& lag);

/// Fraction of a period that ticks may use. The rest is for the network, the recording and the system.
inline constexpr double kFullFraction = 0.9;

}  // namespace takt::server
