#include "server/tick_cost.h"

#include <algorithm>

namespace takt::server {

void TickCost::begin(bool with_pool) noexcept {
  meter_.caller_ns = meter_.shared_ns = 0;
  if (with_pool) ThreadPool::measure(&meter_);
  begin_ns_ = meter_.clock();
}

std::uint32_t TickCost::end_us() noexcept {
  std::uint64_t cost_ns = meter_.clock() - begin_ns_;
  ThreadPool::measure(nullptr);
  cost_ns = cost_ns - std::min(cost_ns, meter_.caller_ns) + meter_.shared_ns;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cost_ns / 1000, UINT32_MAX));
}

}  // namespace takt::server
