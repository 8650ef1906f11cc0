#include "cli/tick_times.h"

#include <algorithm>
#include <cmath>

namespace takt::cli {

double TickTimes::quantile_ms(double part) const {
  if (times_ms_.empty()) return 0;
  std::vector<float> sorted = times_ms_;
  std::sort(sorted.begin(), sorted.end());
  auto const index = static_cast<std::size_t>(std::lround(part * static_cast<double>(sorted.size() - 1)));
  return static_cast<double>(sorted[index]);
}

}  // namespace takt::cli
