#include "bench/tick_times.h"

#include <time.h>

#include <algorithm>
#include <cstddef>

namespace takt::bench {
namespace {

// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

double read_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_ms() { return read_ms(CLOCK_THREAD_CPUTIME_ID); }
double wall_ms() { return read_ms(CLOCK_MONOTONIC); }

TickTimes tick_times(std::vector<double> times) {
  std::ranges::sort(times);
  return {quantile(times, 0.5), quantile(times, 0.99)};
}

}  // namespace takt::bench
