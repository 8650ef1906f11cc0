// How long ticks took: median and 99th percentile for the last line of a run. Exact, from every tick's time.
#pragma once

#include <vector>

namespace takt::cli {

class TickTimes {
 public:
  void add_ms(double ms) { times_ms_.push_back(static_cast<float>(ms)); }
  /// 0 when nothing was added. `part` in [0, 1]: 0.5 is the median.
  [[nodiscard]] double quantile_ms(double part) const;

 private:
  std::vector<float> times_ms_;
};

}  // namespace takt::cli
