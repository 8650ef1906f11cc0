#include "client_sdk/cpp/replica/step_clock.h"

#include <algorithm>
#include <cstddef>

namespace takt::client {
namespace {

/// Rate by which the tick closes a distance to its aim, 1/s: two ticks are closed at the full 3 % of 60 Hz.
constexpr double kGain = 1;
/// A greater distance is no drift but a stall: the tick jumps.
constexpr double kJumpTicks = 60;
/// Margins of one window that are kept: 2 s of acknowledgements at 250 a second.
constexpr std::size_t kMarginsMax = 500;

}  // namespace

void StepClock::start(std::uint64_t now_us, double server_tick, double lead_ticks) {
  has_started_ = true;
  now_us_ = window_from_us_ = now_us;
  lead_ticks_ = std::clamp(lead_ticks, 0.0, kLeadMaxTicks);
  ahead_ticks_ = lead_ticks_;
  tick_ = server_tick + lead_ticks_;
  margins_.clear();
}

void StepClock::advance(std::uint64_t now_us, double server_tick, double ticks_per_s) {
  double const elapsed_s = static_cast<double>(now_us - now_us_) * 1e-6;
  now_us_ = now_us;
  double const missing = server_tick + lead_ticks_ - tick_;
  ahead_ticks_ = tick_ - server_tick;
  if (missing > kJumpTicks) {
    tick_ += missing;
    return;
  }
  double const wanted = ticks_per_s > 0 ? missing * kGain / ticks_per_s : 0;
  double const dilation = std::clamp(wanted, -kDilationMax, kDilationMax);
  // Far ahead the tick stands still until the server is near.
  if (missing > -kJumpTicks) tick_ += elapsed_s * ticks_per_s * (1 + dilation);
}

void StepClock::handle_margin(std::uint64_t now_us, std::int32_t margin_ticks) {
  if (margins_.size() < kMarginsMax) margins_.push_back(margin_ticks);
  if (now_us < window_from_us_ + kWindowUs || margins_.empty()) return;
  window_from_us_ = now_us;
  auto const low = margins_.begin() + static_cast<std::ptrdiff_t>(margins_.size() / 20);
  std::nth_element(margins_.begin(), low, margins_.end());
  double const error = kMarginTicks - *low;
  margins_.clear();
  // Late inputs are moved, so a lead that is too short is corrected at once, one that is too long slowly.
  // The margins belong to the distance that the tick has reached, which may lag behind the lead.
  lead_ticks_ = std::clamp(ahead_ticks_ + (error > 0 ? error : error / 4), 0.0, kLeadMaxTicks);
}

}  // namespace takt::client
