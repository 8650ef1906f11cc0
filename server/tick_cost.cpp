#include "server/tick_cost.h"

#include <algorithm>

namespace takt::server {

void TickCost::begin(bool with_pool) noexcept {
  if (pool_ != nullptr) {
    pool_->measure(with_pool ? clock_ : nullptr);
    before_ = pool_->work();
  }
  begin_ns_ = clock_();
}

std::uint32_t TickCost::end_us() noexcept {
  std::uint64_t cost_ns = clock_() - begin_ns_;
  if (pool_ != nullptr) {
    ThreadPool::Work const after = pool_->work();
    cost_ns -= std::min(cost_ns, after.caller_ns - before_.caller_ns);
    cost_ns += after.shared_ns - before_.shared_ns;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cost_ns / 1000, UINT32_MAX));
}

}  // namespace takt::server
