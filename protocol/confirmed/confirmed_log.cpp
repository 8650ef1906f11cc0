#include "protocol/confirmed/confirmed_log.h"

#include <algorithm>
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

// Ticks until the log forgets one that it has, or that comes next: by their number, or by bytes, if the next
// ones have as many as those that it has.
std::uint64_t ConfirmedLog::ticks_left(std::uint64_t tick) const {
  std::uint64_t const by_bytes = bytes_ > 0 ? ticks_.size() * bytes_max_ / bytes_ : ticks_max_;
  std::uint64_t const forgotten_at = tick + std::min(ticks_max_, by_bytes);
  return forgotten_at - std::min(forgotten_at, end_tick());
}

bool ConfirmedLog::continues(const ResumePoint& point, std::uint64_t margin_ticks) const {
  if (ticks_.empty() || point.tick < first_tick_ || point.tick > end_tick()) return false;
  if (ticks_left(point.tick) < margin_ticks) return false;
  if (point.hash_tick == 0 || point.hash_tick > point.tick) return false;
  std::uint64_t const end = std::min(end_tick(), point.hash_tick + kHashDelayMax);
  for (std::uint64_t tick = std::max(first_tick_, point.hash_tick); tick < end; ++tick)
    if (at(tick).hash_tick == point.hash_tick) return at(tick).hash == point.hash;
  return false;
}

}  // namespace takt::protocol
