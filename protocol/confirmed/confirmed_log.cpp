#include "protocol/confirmed/confirmed_log.h"

#include <utility>

#include "takt/core/assert.h"

namespace takt::protocol {

void ConfirmedLog::clear() noexcept {
  ticks_.clear();
  bytes_ = 0;
}

void ConfirmedLog::append(ConfirmedTick&& tick) {
  if (ticks_.empty() || tick.tick != end_tick()) {
    clear();
    first_tick_ = tick.tick;
  }
  bytes_ += tick.record.size();
  ticks_.push_back(std::move(tick));
  while (ticks_.size() > ticks_max_ || (bytes_ > bytes_max_ && !ticks_.empty())) {
    bytes_ -= ticks_.front().record.size();
    ticks_.pop_front();
    ++first_tick_;
  }
}

const ConfirmedTick& ConfirmedLog::at(std::uint64_t tick) const {
  TAKT_ASSERT(tick >= first_tick_ && tick < end_tick());
  return ticks_[static_cast<std::size_t>(tick - first_tick_)];
}

}  // namespace takt::protocol
