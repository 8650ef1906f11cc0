// TickTimes stores the time that each tick of a run took, as a binary32 in memory, and returns quantiles of
// these times. `takt run` prints the median and the 99th percentile in its last line.
#pragma once

#include <vector>

namespace takt::cli {

class TickTimes {
 public:
  void add_ms(double ms) { times_ms_.push_back(static_cast<float>(ms)); }
  /// The stored time of the nearest rank; 0 when nothing was added. `part` is in [0, 1]: 0.5 is the median.
  [[nodiscard]] double quantile_ms(double part) const;

 private:
  std::vector<float> times_ms_;
};

}  // namespace takt::cli
