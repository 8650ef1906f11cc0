#include "server/tick_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "takt/core/assert.h"

namespace takt::server {
namespace {
constexpr std::uint64_t kTick = 1'000'000'000;  // in units of accumulated_
/// A longer sleep than this is given up beforehand, so that the product with the greatest rate (10^9) stays
/// within 64 bits: two hours.
constexpr std::uint64_t kElapsedMaxUs = 7'200'000'000;
}  // namespace

TickClock::TickClock(std::uint32_t tick_rate_hz, std::uint32_t catch_up_max) noexcept
    : rate_mhz_(0), ticks_per_update_(1), catch_up_max_(catch_up_max) {
  TAKT_ASSERT(catch_up_max >= 1);
  set_rate(0, tick_rate_hz, 1.0);
}

void TickClock::start(std::uint64_t now_us) noexcept {
  last_us_ = now_us;
  accumulated_ = 0;
}

void TickClock::set_rate(std::uint64_t now_us, std::uint32_t tick_rate_hz, double speed) noexcept {
  TAKT_ASSERT(tick_rate_hz >= 1 && tick_rate_hz <= 10'000 && speed >= 0.0 && speed <= 100.0);
  rate_mhz_ = static_cast<std::uint64_t>(std::llround(speed * tick_rate_hz * 1000.0));
  ticks_per_update_ = static_cast<std::uint64_t>(std::max(1.0, std::ceil(speed)));
  start(now_us);
}

std::uint32_t TickClock::take_due(std::uint64_t now_us) noexcept {
  TAKT_ASSERT(now_us >= last_us_);
  accumulated_ += std::min(now_us - last_us_, kElapsedMaxUs) * rate_mhz_;
  last_us_ = now_us;
  std::uint64_t const due = accumulated_ / kTick;
  std::uint64_t const given = std::min(due, catch_up_max_ * ticks_per_update_);
  if (given > ticks_per_update_) late_ticks_ += given - ticks_per_update_;
  dropped_ticks_ += due - given;
  accumulated_ -= due * kTick;
  return static_cast<std::uint32_t>(given);
}

std::uint64_t TickClock::next_due_us() const noexcept {
  if (rate_mhz_ == 0) return std::numeric_limits<std::uint64_t>::max();
  return last_us_ + (kTick - accumulated_ + rate_mhz_ - 1) / rate_mhz_;
}

}  // namespace takt::server
