#include "server/lag.h"

#include <cstdio>

namespace takt::server {

std::string lag_text(const Lag& lag) {
  double const full_us = kFullFraction * lag.period_us;
  char const* cause = "the machine was busy or suspended";
  if (lag.tick_p99_us >= full_us) cause = "single ticks are too slow";
  if (lag.tick_median_us >= full_us) cause = "the simulation cannot keep up";
  char numbers[128];
  std::snprintf(numbers, sizeof numbers,
                " ticks given up so far; a tick takes %.2f ms (p99 %.2f), its period is %.2f ms",
                lag.tick_median_us / 1000.0, lag.tick_p99_us / 1000.0, lag.period_us / 1000.0);
  return std::string(cause) + ": " + std::to_string(lag.dropped_ticks) + numbers;
}

}  // namespace takt::server
