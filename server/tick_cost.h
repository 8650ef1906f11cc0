// TickCost measures the processor time of ticks: the duration that a tick would have on a machine without
// other work. TickLoop measures each tick with it, and the governor (tick_governor.h) judges the result.
// Without a ThreadPool this is the processor time of the tick's thread. With one it is that time without the
// shared loops, plus the work of these loops divided by the threads that can share it (ThreadPool::Meter).
// Uneven parts of a loop may thus take longer than TickCost computes. A TaskPool of a host that is no
// ThreadPool is not measured: the waiting of the tick's thread for it counts as work. The clock comes from
// outside. One thread at a time uses a TickCost, and it runs the ticks. Hosts may share a ThreadPool.
#pragma once

#include <cstdint>

#include "takt/threads/thread_pool.h"

namespace takt::server {

class TickCost {
 public:
  explicit TickCost(ThreadPool::CpuClock clock) noexcept : meter_{clock} {}

  /// Begins a tick. `with_pool`: measure its pool as well, at up to four readings of the clock a loop and
  /// worker. Without that, waiting for the pool counts as work.
  void begin(bool with_pool) noexcept;
  /// Ends the tick and returns its processor time, us.
  [[nodiscard]] std::uint32_t end_us() noexcept;

 private:
  ThreadPool::Meter meter_;  // of this tick
  std::uint64_t begin_ns_ = 0;
};

}  // namespace takt::server
