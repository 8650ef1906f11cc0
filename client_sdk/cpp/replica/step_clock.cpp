#include "client_sdk/cpp/replica/step_clock.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace takt::client {
namespace {

/// Rate by which the tick closes a distance to its aim, 1/s: two ticks are closed at the full 3 % of 60 Hz.
constexpr double kGain = 1;
/// A greater distance is no drift but a stall: the tick jumps.
constexpr double kJumpTicks = 60;
/// Inputs that wait for their acknowledgement, and ways of one window: 2 s of inputs at 250 a second.
constexpr std::size_t kNotesMax = 512;

}  // namespace

void StepClock::start(std::uint64_t now_us, double server_tick, double lead_ticks) {
  has_started_ = true;
  now_us_ = now_us;
  lead_ticks_ = std::clamp(lead_ticks, 0.0, kLeadMaxTicks);
  tick_ = server_tick + lead_ticks_;
  sent_.clear();
  ways_.assign(kWaysMin, {now_us, lead_ticks_});
}

void StepClock::advance(std::uint64_t now_us, double server_tick, double ticks_per_s) {
  double const elapsed_s = static_cast<double>(now_us - now_us_) * 1e-6;
  now_us_ = now_us;
  double const missing = server_tick + lead_ticks_ - tick_;
  if (missing > kJumpTicks) {
    tick_ += missing;
    return;
  }
  double const wanted = ticks_per_s > 0 ? missing * kGain / ticks_per_s : 0;
  double const dilation = std::clamp(wanted, -kDilationMax, kDilationMax);
  // Far ahead the tick stands still until the server is near.
  if (missing > -kJumpTicks) tick_ += elapsed_s * ticks_per_s * (1 + dilation);
}

void StepClock::handle_input(std::uint64_t tick, double server_tick, std::uint32_t delay_ticks) {
  sent_.push_back({tick, server_tick, delay_ticks});
  if (sent_.size() > kNotesMax) sent_.pop_front();
}

void StepClock::handle_arrival(std::uint64_t now_us, std::uint64_t tick, std::uint64_t arrival_tick) {
  auto const sent = std::ranges::lower_bound(sent_, tick, {}, &Sent::tick);
  if (sent == sent_.end() || sent->tick != tick) return;
  double const way = static_cast<double>(arrival_tick) - sent->server_tick;
  ways_.push_back({now_us, way + kMarginTicks - sent->delay_ticks});
  sent_.erase(sent);
  while (ways_.size() > kNotesMax ||
         (ways_.size() > kWaysMin && ways_.front().arrived_us + kWindowUs < now_us))
    ways_.pop_front();
  std::vector<double> ticks;
  for (const Way& one : ways_) ticks.push_back(one.ticks);
  auto const high = ticks.begin() + static_cast<std::ptrdiff_t>(ticks.size() - 1 - ticks.size() / 20);
  std::ranges::nth_element(ticks, high);
  // Late inputs are moved, so a lead that is too short is corrected at once, one that is too long slowly.
  double const missing = *high - lead_ticks_;
  lead_ticks_ = std::clamp(lead_ticks_ + (missing > 0 ? missing : missing / 16), 0.0, kLeadMaxTicks);
}

}  // namespace takt::client
