// Times of ticks and what is said of them. Processor time where one thread works, the clock's where several
// do.
#pragma once

#include <vector>

namespace takt::bench {

/// Processor time that this thread has had so far, ms: what other programs on the machine take does not
/// count.
[[nodiscard]] double thread_ms();
/// Time that has passed, ms: what a tick takes that several threads share.
[[nodiscard]] double wall_ms();

struct TickTimes {
  double median = 0;
  double p99 = 0;
};
/// In the unit of `times`, at least one.
[[nodiscard]] TickTimes tick_times(std::vector<double> times);

}  // namespace takt::bench
