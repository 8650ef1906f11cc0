#include "physics/step/collision_reach.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/broad_phase/candidate_pairs.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Slower impacts leave the bodies behind them below the speed of sleep, or nearly, m/s.
constexpr double kMinClosingMS = 4.0 * kSleepSpeedMS;
// A body that a much heavier one hits leaves with up to twice the speed of the impact.
constexpr double kSpeedFactor = 2.0;

template <class Real>
Vec3<double> velocity_at(const BodyRecord<Real>& body, Vec3<double> lever_arm) noexcept {
  return to_double(body.motion.linear_velocity) + cross(to_double(body.motion.angular_velocity), lever_arm);
}

}  // namespace

template <class Real>
void CollisionReach<Real>::add_reached(const WorldState<Real>& state, NarrowPhaseResults<Real>& results) {
  if (!results.beside_sleeper) return;
  double const period_s = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  double const min_closing = maximum(kMinClosingMS, state.def.restitution_threshold_m_s);
  speeds_.assign(state.bodies.capacity(), 0.0);
  links_.clear();
  auto const takes_part = [&state](std::uint32_t body) {
    const BodyRecord<Real>& record = state.bodies[body];
    return record.type == BodyType::kDynamic && !record.quarantined;
  };
  auto const spread = [&](const Link& link, double speed) {
    bool changed = false;
    for (std::uint32_t const body : {link.body_a, link.body_b}) {
      if (!takes_part(body) || !(speeds_[body] < speed)) continue;
      speeds_[body] = speed;
      changed = true;
    }
    return changed;
  };
  bool changed = false;
  for (const PreparedContact<Real>& contact : results.contacts) {
    if (contact.manifold.point_count == 0) continue;
    Link link{state.shapes[pair_first(contact.key)].body, state.shapes[pair_second(contact.key)].body,
              to_double(contact.manifold.points[0].separation)};
    double closing = 0.0;
    for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
      Vec3<double> const r_a = to_double(contact.manifold.points[i].position);
      Vec3<double> const r_b = r_a - to_double(contact.cached.delta_center);
      Vec3<double> const velocity =
          velocity_at(state.bodies[link.body_b], r_b) - velocity_at(state.bodies[link.body_a], r_a);
      closing = maximum(closing, -dot(to_double(contact.manifold.normal), velocity));
      link.gap_m = minimum(link.gap_m, to_double(contact.manifold.points[i].separation));
    }
    links_.push_back(link);
    if (closing > min_closing && link.gap_m <= closing * period_s) changed = spread(link, closing) || changed;
  }
  while (changed) {
    changed = false;
    for (const Link& link : links_) {
      double const speed = maximum(speeds_[link.body_a], speeds_[link.body_b]);
      if (speed > 0.0 && link.gap_m <= kSpeedFactor * speed * period_s)
        changed = spread(link, speed) || changed;
    }
  }
  for (const Link& link : links_) {
    for (std::uint32_t const body : {link.body_a, link.body_b}) {
      if (speeds_[body] > 0.0 && state.bodies[body].asleep) results.reached.push_back(body);
    }
  }
}

template class CollisionReach<float>;
template class CollisionReach<Fixed>;

}  // namespace takt
