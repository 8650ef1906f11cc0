#include "server/tick_clock.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt::server {
namespace {
constexpr std::uint64_t kTick = 1'000'000;  // in units of accumulated_
}

TickClock::TickClock(std::uint32_t tick_rate_hz, std::uint32_t catch_up_max) noexcept : rate_hz_(tick_rate_hz), catch_up_max_(catch_up_max) {
  TAKT_ASSERT(tick_rate_hz >= 1 && tick_rate_hz <= 10'000 && catch_up_max >= 1);
}

void TickClock::start(std::uint64_t now_us) noexcept {
  last_us_ = now_us;
  accumulated_ = 0;
}

std::uint32_t TickClock::take_due(std::uint64_t now_us) noexcept {
  TAKT_ASSERT(now_us >= last_us_);
  accumulated_ += (now_us - last_us_) * rate_hz_;
  last_us_ = now_us;
  std::uint64_t const due = accumulated_ / kTick;
  std::uint64_t const given = std::min(due, catch_up_max_);
  if (given > 1) late_ticks_ += given - 1;
  dropped_ticks_ += due - given;
  accumulated_ -= due * kTick;
  return static_cast<std::uint32_t>(given);
}

std::uint64_t TickClock::next_due_us() const noexcept { return last_us_ + (kTick - accumulated_ + rate_hz_ - 1) / rate_hz_; }

}  // namespace takt::server
