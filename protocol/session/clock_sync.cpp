#include "protocol/session/clock_sync.h"

#include <algorithm>
#include <limits>

#include "takt/core/assert.h"

namespace takt::protocol {

ClockSync::ClockSync(std::uint32_t tick_rate_hz) noexcept : ticks_per_us_(tick_rate_hz * 1e-6) {
  TAKT_ASSERT(tick_rate_hz >= 1 && tick_rate_hz <= 10'000);
}

double ClockSync::in_ticks(std::uint64_t us) const noexcept {
  return us >= epoch_us_ ? static_cast<double>(us - epoch_us_) * ticks_per_us_
                         : -static_cast<double>(epoch_us_ - us) * ticks_per_us_;
}

double ClockSync::offset_at(std::uint64_t now_us) const noexcept {
  double const elapsed_ticks =
      now_us > base_us_ ? static_cast<double>(now_us - base_us_) * ticks_per_us_ : 0.0;
  double const max = kSlew * elapsed_ticks;
  return offset_ + std::clamp(target_offset_ - offset_, -max, max);
}

void ClockSync::aim(std::uint64_t now_us, double target, bool step) noexcept {
  double const current = offset_at(now_us);
  double const error = target - current;
  offset_ = step || error > kStepTicks || error < -kStepTicks ? target : current;
  target_offset_ = target;
  base_us_ = now_us;
}

void ClockSync::handle_guess(std::uint64_t now_us, std::uint64_t tick) noexcept {
  if (any_) return;
  any_ = true;
  epoch_us_ = now_us;
  aim(now_us, static_cast<double>(tick), true);
}

void ClockSync::restart(std::uint64_t now_us, double tick, double ticks_per_s) noexcept {
  ticks_per_us_ = ticks_per_s * 1e-6;
  any_ = true;
  epoch_us_ = now_us;
  restarted_us_ = now_us;
  sample_count_ = 0;
  aim(now_us, tick, true);
}

void ClockSync::handle_sample(std::uint64_t now_us, std::uint64_t sent_us, std::uint64_t tick,
                              std::uint32_t tick_fraction) noexcept {
  if (sent_us > now_us || sent_us < restarted_us_)
    return;  // an echo of a time we never sent, or of one before restart()
  if (!any_) {
    any_ = true;
    epoch_us_ = now_us;
  }
  std::uint64_t const round_trip_us = now_us - sent_us;
  double const server_tick_then = static_cast<double>(tick) + static_cast<double>(tick_fraction) * 0x1p-32;
  samples_[sample_count_ % kSamples] = {round_trip_us,
                                        server_tick_then - in_ticks(sent_us + round_trip_us / 2)};
  ++sample_count_;

  std::size_t const held = std::min(sample_count_, kSamples);
  Sample best = samples_[0];
  for (std::size_t i = 1; i < held; ++i)
    if (samples_[i].round_trip_us < best.round_trip_us) best = samples_[i];
  best_round_trip_us_ = best.round_trip_us;

  // A stalled or restored server shifts every later sample; waiting until the old best one leaves the window
  // would take seconds.
  Sample const newest = samples_[(sample_count_ - 1) % kSamples];
  double const disagreement = newest.tick_offset - best.tick_offset;
  double const explained =
      static_cast<double>(newest.round_trip_us + best.round_trip_us) * 0.5 * ticks_per_us_ + 1.0;
  if (disagreement > explained || disagreement < -explained) {
    samples_[0] = newest;
    sample_count_ = 1;
    best = newest;
    best_round_trip_us_ = newest.round_trip_us;
  }
  aim(now_us, best.tick_offset, sample_count_ <= kStepSamples);
}

double ClockSync::server_tick(std::uint64_t now_us) const noexcept {
  if (!any_) return 0.0;
  return std::clamp(in_ticks(now_us) + offset_at(now_us), 0.0, kTickMax);
}

std::uint64_t ClockSync::error_bound_us() const noexcept {
  return sample_count_ > 0 ? best_round_trip_us_ / 2 : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace takt::protocol
