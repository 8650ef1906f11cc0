#include "sim/comparison/recent_inputs.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt::sim {

void RecentInputs::add(std::uint64_t tick, std::span<const Input> inputs) {
  if (tick != end_) {
    clear();
    first_ = tick;
  }
  end_ = tick + 1;
  if (!inputs.empty()) {
    records_.push_back({tick, {inputs.begin(), inputs.end()}, {}});
    input_count_ += inputs.size();
  }
  if (end_ - first_ > kTicksMax) first_ = end_ - kTicksMax;
  while (!records_.empty() && (records_.front().tick < first_ || input_count_ > kInputsMax)) {
    first_ = std::max(first_, records_.front().tick + 1);
    input_count_ -= records_.front().inputs.size();
    records_.pop_front();
  }
}

void RecentInputs::clear() noexcept {
  records_.clear();
  input_count_ = 0;
  first_ = end_ = 0;
}

std::vector<TickRecord> RecentInputs::list(std::uint64_t first, std::uint64_t end) const {
  TAKT_ASSERT(has(first, end));
  std::vector<TickRecord> out;
  for (const TickRecord& record : records_)
    if (record.tick >= first && record.tick < end) out.push_back(record);
  return out;
}

}  // namespace takt::sim
