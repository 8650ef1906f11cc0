// lag_text() is the log line about ticks that a server gave up, because real time had passed them. It tells a
// simulation that is too slow from a machine that stood still: the ticks' own times against their period.
#pragma once

#include <cstdint>
#include <string>

namespace takt::server {

struct Lag {
  std::uint64_t dropped_ticks = 0;   ///< since the start
  std::uint32_t tick_median_us = 0;  ///< of the last seconds
  std::uint32_t tick_p99_us = 0;
  double period_us = 0;  ///< of a tick at the present speed; above 0
};

/// One sentence without a full stop. "cannot keep up": half of the ticks need kFullFraction of their period.
[[nodiscard]] std::string lag_text(const Lag& lag);

/// The rest of a period goes to the network, the recording and the system.
inline constexpr double kFullFraction = 0.9;

}  // namespace takt::server
