#include "physics/movers/mover_push.h"

#include "physics/constraints/motion_locks.h"
#include "physics/state/definition_check.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class Real>
Vec3<Real> rounded(Vec3<double> v) noexcept {
  return {to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
}

/// Largest change of a velocity by a mover's weight in a tick, m/s. The weight acts for a whole tick, also if
/// the body slips from its support at once; without a bound a mover of 80 kg shoots a ball of 50 g away at
/// 450 m/s. Under a load above its centre, a body above a thirtieth of the mover's mass carries all of the
/// weight at 60 Hz and 9.81 m/s^2. Off its centre a body has more mobility and carries less.
constexpr double kMaxLoadSpeedMS = 5.0;

/// Inverse effective mass of a body for a push along `direction` (unit) at lever arm `arm`, 1/kg; 0 if locks
/// leave the body no motion along it.
template <class Real>
double mobility(const BodyRecord<Real>& body, Vec3<double> arm, Vec3<double> direction) {
  SymMat<Real> const inertia =
      with_locks(rotated(body.inverse_inertia, to_matrix(body.motion.rotation)), body.locked_axes);
  Vec3<double> const lever = cross(arm, direction);
  // The lever is of the order of a metre: both modes can represent it.
  Vec3<double> const turn = to_double(inertia * rounded<Real>(lever));
  double const angular = maximum(dot(lever, turn), 0.0);
  double const free =
      has_linear(body.locked_axes) ? dot(direction, free_linear(body.locked_axes, direction)) : 1.0;
  double const linear = free / body.mass_kg;
  // Below it the remainder stems from the rounding of a normal.
  return linear + angular > kMinFreeFraction * (1.0 / body.mass_kg) ? linear + angular : 0.0;
}

/// A vertical capsule and a wall touch along a line. The push acts at the height of the body's centre,
/// clamped to the capsule's axis.
Vec3<double> push_point(const MoverPlane& plane, Vec3<double> at, double half_length,
                        Vec3<double> center) noexcept {
  constexpr double kUpright = 0.05;
  if (absolute(plane.normal.y) > kUpright) return plane.point;
  Vec3<double> point = plane.point;
  point.y = clamp(center.y, at.y - half_length, at.y + half_length);
  return point;
}

}  // namespace

template <class Real>
Vec3<double> velocity_at(const WorldState<Real>& state, std::uint32_t index, const Position& about,
                         Vec3<double> point) noexcept {
  const BodyRecord<Real>& body = state.bodies[index];
  if (body.type == BodyType::kStatic || body.quarantined) return {};
  Vec3<double> const arm = point - relative<double>(body.motion.center, about);
  return to_double(body.motion.linear_velocity) + cross(to_double(body.motion.angular_velocity), arm);
}

template <class Real>
void press(WorldState<Real>& state, StepEvents& events, std::uint32_t index, Vec3<double> force_n,
           Vec3<double> arm) {
  BodyRecord<Real>& body = state.bodies[index];
  TAKT_ASSERT(body.type == BodyType::kDynamic);
  if (body.asleep) {
    body.asleep = false;
    body.still_ticks = 0;
    events.woken.push_back(state.bodies.id(index));
  }
  auto const add = [](Vec3<Real> sum, Vec3<double> more) {
    Real const max = to_real<Real>(kMaxImpulse);
    Vec3<Real> const v = sum + rounded<Real>(more);
    return canonical(Vec3<Real>{clamp(v.x, -max, max), clamp(v.y, -max, max), clamp(v.z, -max, max)});
  };
  body.motion.force = add(body.motion.force, force_n);
  body.motion.torque = add(body.motion.torque, cross(arm, force_n));
}

template <class Real>
void load_body(WorldState<Real>& state, StepEvents& events, std::uint32_t index, double weight_n,
               Vec3<double> arm) {
  Vec3<double> const down{0.0, -1.0, 0.0};
  double const period_s = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  double const inverse_mass = mobility(state.bodies[index], arm, down);
  double const max_n = inverse_mass > 0.0 ? kMaxLoadSpeedMS / (inverse_mass * period_s) : weight_n;
  press(state, events, index, down * minimum(weight_n, max_n), arm);
}

template <class Real>
void push_bodies(MoverPush<Real>& push, Vec3<double> velocity, std::span<MoverPlane> planes) {
  TAKT_ASSERT(push.period_s > 0.0);
  WorldState<Real>& state = push.state;
  for (MoverPlane& plane : planes) {
    const MoverObstacle<Real>& obstacle = push.around.obstacle(plane.obstacle);
    Vec3<double> const center = relative<double>(state.bodies[obstacle.body].motion.center, push.start);
    Vec3<double> const point = push_point(plane, push.at, push.around.half_length(), center);
    double const other = dot(plane.normal, velocity_at(state, obstacle.body, push.start, point));
    plane.min = obstacle.kind == MoverObstacleKind::kDriven ? other : minimum(other, 0.0);
    if (!obstacle.is_dynamic) continue;
    // Speeds along -normal: `wanted` of the mover, `lack` the body's deficit. A mover that does not walk
    // against a body does not push it.
    double const wanted = -dot(plane.normal, velocity);
    double const lack = wanted + other;
    if (!(wanted > 0.0) || !(lack > 0.0) || !(push.force_n > 0.0)) continue;
    double const inverse_mass = mobility(state.bodies[obstacle.body], point - center, plane.normal);
    if (!(inverse_mass > 0.0)) continue;  // as immovable as a wall, which takes none of the force
    double const force = minimum(push.force_n, lack / (inverse_mass * push.period_s));
    push.force_n -= force;
    press(state, push.events, obstacle.body, plane.normal * -force, point - center);
    plane.min = minimum(other - force * inverse_mass * push.period_s, 0.0);
  }
}

#define TAKT_INSTANTIATE(Real)                                                                    \
  template Vec3<double> velocity_at(const WorldState<Real>&, std::uint32_t, const Position&,      \
                                    Vec3<double>) noexcept;                                       \
  template void load_body(WorldState<Real>&, StepEvents&, std::uint32_t, double, Vec3<double>);   \
  template void press(WorldState<Real>&, StepEvents&, std::uint32_t, Vec3<double>, Vec3<double>); \
  template void push_bodies(MoverPush<Real>&, Vec3<double>, std::span<MoverPlane>);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
