#include "client_sdk/cpp/track.h"

#include <algorithm>

#include "client_sdk/cpp/interpolation.h"

namespace takt::client {
namespace {

/// A body that was silent for longer than any loss explains has rested: five losses in a row at 10 % each
/// happen once in 100,000.
constexpr std::uint64_t kSilenceIntervalsMax = 6;

}  // namespace

void Track::add(std::uint64_t tick, std::uint64_t complete_before, std::uint64_t interval_ticks,
                const protocol::BodyState& state) {
  auto const at = std::lower_bound(begin(), samples_.end(), tick,
                                   [](const Sample& sample, std::uint64_t t) { return sample.tick < t; });
  if (at != samples_.end() && at->tick == tick) {
    at->state = state;
    return;
  }
  std::uint64_t rested_until = complete_before < tick ? complete_before : 0;
  if (at != begin()) {
    std::uint64_t const before = std::prev(at)->tick;
    if (tick - before > kSilenceIntervalsMax * interval_ticks)
      rested_until = std::max(rested_until, tick - interval_ticks);
    rested_until = std::max(rested_until, before);
  }
  // A sample that slips in between two others ends the rest that the later one assumed.
  if (at != samples_.end()) at->rested_until = std::max(at->rested_until, tick);
  samples_.insert(at, Sample{tick, rested_until, state});
  if (sample_count() <= kSamplesMax) return;
  forget(1);
  is_cut_ = true;
}

// The others move forward only when no more of them than forgotten ones are left: a sample moves once for
// each that was forgotten, whatever the number of stored ones.
void Track::forget(std::size_t count) {
  forgotten_ += count;
  if (forgotten_ < sample_count()) return;
  samples_.erase(samples_.begin(), begin());
  forgotten_ = 0;
}

void Track::remove_at(std::uint64_t tick) noexcept { removed_at_ = std::min(removed_at_, tick); }

std::optional<protocol::BodyState> Track::at(double render_tick) const {
  if (samples_.empty() || is_gone(render_tick)) return std::nullopt;
  auto const after =
      std::upper_bound(begin(), samples_.end(), render_tick,
                       [](double t, const Sample& sample) { return t < static_cast<double>(sample.tick); });
  if (after == begin()) return is_cut_ ? std::optional(after->state) : std::nullopt;
  Sample const& from = *std::prev(after);
  if (after == samples_.end()) return from.state;
  auto const begin = static_cast<double>(std::max(from.tick, after->rested_until));
  if (render_tick <= begin) return from.state;
  double const fraction = (render_tick - begin) / (static_cast<double>(after->tick) - begin);
  auto const position = interpolate(
      Position::from_raw(from.state.position.x, from.state.position.y, from.state.position.z),
      Position::from_raw(after->state.position.x, after->state.position.y, after->state.position.z),
      fraction);
  auto const rotation = interpolate(
      Quat<float>{from.state.rotation.x, from.state.rotation.y, from.state.rotation.z, from.state.rotation.w},
      Quat<float>{after->state.rotation.x, after->state.rotation.y, after->state.rotation.z,
                  after->state.rotation.w},
      fraction);
  auto const mix = [&](const protocol::Vec3f& a, const protocol::Vec3f& b) {
    auto const v = interpolate(Vec3<float>{a.x, a.y, a.z}, Vec3<float>{b.x, b.y, b.z}, fraction);
    return protocol::Vec3f{v.x, v.y, v.z};
  };
  protocol::BodyState state = from.state;
  state.position = {position.x_raw, position.y_raw, position.z_raw};
  state.rotation = {rotation.x, rotation.y, rotation.z, rotation.w};
  state.linear_velocity = mix(from.state.linear_velocity, after->state.linear_velocity);
  state.angular_velocity = mix(from.state.angular_velocity, after->state.angular_velocity);
  return state;
}

void Track::forget_before(double render_tick) {
  if (sample_count() < 2 || render_tick < static_cast<double>(begin()[1].tick)) return;
  auto const after =
      std::upper_bound(begin(), samples_.end(), render_tick,
                       [](double t, const Sample& sample) { return t < static_cast<double>(sample.tick); });
  forget(static_cast<std::size_t>(std::prev(after) - begin()));
}

}  // namespace takt::client
