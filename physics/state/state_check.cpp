#include "physics/state/state_check.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "physics/math/is_finite.h"
#include "physics/state/definition_check.h"
#include "physics/state/joint_check.h"
#include "physics/state/packed_contacts.h"
#include "physics/state/pair_key.h"
#include "physics/state/rope_check.h"

namespace takt {
namespace {

bool is_rotation(Quat<float> q) noexcept {
  float const square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return square > 0.98f && square < 1.02f;
}
bool is_rotation(Quat<Fixed> q) noexcept {
  Fixed const two(2);
  if (absolute(q.x) > two || absolute(q.y) > two || absolute(q.z) > two || absolute(q.w) > two) return false;
  Fixed const square = dot2(q.x, q.x, q.y, q.y) + dot2(q.z, q.z, q.w, q.w);
  return square > Fixed(0.98) && square < Fixed(1.02);
}
bool plausible(float mass) noexcept { return is_finite(mass) && mass >= 0.0f; }
bool plausible(Scaled mass) noexcept {
  return mass.mantissa() >= 0 && mass.exponent() > -400 && mass.exponent() < 400;
}
bool plausible(const FloatSymMat& a) noexcept {
  return std::all_of(a.m.begin(), a.m.end(), [](float entry) { return is_finite(entry); });
}
bool plausible(const FixedSymMat& a) noexcept {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  return a.exponent > -400 && a.exponent < 400 &&
         std::all_of(a.mantissa.begin(), a.mantissa.end(),
                     [](std::int64_t entry) { return entry >= -kLimit && entry <= kLimit; });
}

/// True when a position is inside the world, enlarged by `room_m`: a centre of mass may be outside by its
/// distance from the body's origin.
bool inside(const Position& p, double room_m) noexcept {
  std::int64_t const limit = kWorldLimitRaw + Fixed(room_m).raw();
  auto const within = [limit](std::int64_t raw) { return raw >= -limit && raw <= limit; };
  return within(p.x_raw) && within(p.y_raw) && within(p.z_raw);
}

template <class Real>
bool consistent_body(const WorldState<Real>& state, std::uint32_t index) {
  const BodyRecord<Real>& body = state.bodies[index];
  const BodyMotion<Real>& motion = body.motion;
  if (!is_finite(motion.linear_velocity) || !is_finite(motion.angular_velocity) || !is_finite(motion.force) ||
      !is_finite(motion.torque))
    return false;
  if (!is_rotation(motion.rotation) || !plausible(body.inverse_mass) || !plausible(body.inverse_inertia) ||
      !is_finite(body.local_center))
    return false;
  if (!is_finite(body.linear_damping) || !is_finite(body.angular_damping) || !is_finite(body.gravity_scale) ||
      !is_finite(body.mass_kg))
    return false;
  if (body.linear_damping < Real(0) || body.angular_damping < Real(0)) return false;
  if (body.locked_axes > 63) return false;
  if (!inside(motion.center, 2.0 * kMaxExtentM)) return false;
  if (body.type > BodyType::kDynamic || body.shape_count > kMaxShapesPerBody) return false;
  if (body.asleep && (body.type != BodyType::kDynamic || body.quarantined ||
                      !is_zero(motion.linear_velocity) || !is_zero(motion.angular_velocity)))
    return false;
  std::uint32_t walked = 0;
  for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    if (at >= state.shapes.capacity() || !state.shapes.alive(at) || state.shapes[at].body != index ||
        ++walked > body.shape_count)
      return false;
  }
  return walked == body.shape_count;
}

template <class Real>
bool consistent_shape(const WorldState<Real>& state, const ShapeRecord<Real>& shape) {
  if (shape.body >= state.bodies.capacity() || !state.bodies.alive(shape.body)) return false;
  if (shape.kind < ShapeKind::kSphere || shape.kind > ShapeKind::kHeightField) return false;
  if (!has_geometry(shape.kind) && shape.geometry != 0) return false;
  if (shape.kind == ShapeKind::kHull && state.hulls.find(shape.geometry) == nullptr) return false;
  if (is_surface(shape.kind)) {
    const SurfaceGeometry* const geometry = state.surfaces.find(shape.geometry);
    if (geometry == nullptr || geometry->source.kind != shape.kind ||
        state.bodies[shape.body].type == BodyType::kDynamic)
      return false;
  }
  bool const fixed_in_place = shape.kind == ShapeKind::kHalfSpace || shape.kind == ShapeKind::kHeightField;
  if (fixed_in_place && state.bodies[shape.body].type != BodyType::kStatic) return false;
  if (!is_finite(shape.extents) || !is_finite(shape.local_position) || !is_rotation(shape.local_rotation))
    return false;
  Real const largest = to_real<Real>(kMaxExtentM * 1.001);
  Vec3<Real> const p = absolute(shape.local_position);
  Vec3<Real> const e = shape.extents;
  bool const in_range = e.x >= Real(0) && e.y >= Real(0) && e.z >= Real(0) && e.x <= largest &&
                        e.y <= largest && e.z <= largest && p.x <= largest && p.y <= largest &&
                        p.z <= largest;
  Real const fastest = to_real<Real>(kMaxSurfaceSpeedMS);
  Vec3<Real> const s = absolute(shape.surface_velocity);
  bool const surface_ok = is_finite(shape.surface_velocity) && s.x <= fastest && s.y <= fastest &&
                          s.z <= fastest && is_finite(shape.rolling_resistance) &&
                          shape.rolling_resistance >= Real(0) && shape.contact_softness.is_valid() &&
                          !shape.contact_softness.is_idle() && shape.friction_rule <= MixRule::kMaximum &&
                          shape.restitution_rule <= MixRule::kMaximum;
  return in_range && surface_ok && is_finite(shape.density) && is_finite(shape.friction) &&
         is_finite(shape.restitution) && shape.friction >= Real(0) && shape.restitution >= Real(0) &&
         shape.restitution <= Real(1);
}

/// True when a contact's child is a part of its pair. Contacts of destroyed shapes are never looked up, so
/// any child is accepted.
template <class Real>
bool consistent_child(const WorldState<Real>& state, const ContactRecord<Real>& contact) {
  std::uint32_t const a = pair_first(contact.key);
  std::uint32_t const b = pair_second(contact.key);
  if (!state.shapes.contains({a, contact.generation_a}) || !state.shapes.contains({b, contact.generation_b}))
    return true;
  bool const surface_a = is_surface(state.shapes[a].kind);
  if (!surface_a && !is_surface(state.shapes[b].kind)) return contact.child == 0;
  const SurfaceGeometry* const geometry = state.surfaces.find(state.shapes[surface_a ? a : b].geometry);
  return geometry != nullptr && child_triangle(contact.child) < geometry->surface.triangle_count();
}

template <class Real>
bool consistent_geometry(const ContactGeometry<Real>& geometry) {
  bool const positions = std::all_of(geometry.positions.begin(), geometry.positions.end(),
                                     [](Vec3<Real> p) { return is_finite(p); });
  bool const separations = std::all_of(geometry.separations.begin(), geometry.separations.end(),
                                       [](Real s) { return is_finite(s); });
  return positions && separations && is_finite(geometry.normal) && is_finite(geometry.delta_center) &&
         is_rotation(geometry.rotation_a) && is_rotation(geometry.rotation_b);
}

template <class Real>
bool consistent_contacts(const WorldState<Real>& state) {
  for (std::size_t i = 0; i < state.contacts.size(); ++i) {
    const ContactRecord<Real>& contact = state.contacts[i];
    if (i > 0 && !comes_before(state.contacts[i - 1], contact)) return false;
    if (!consistent_child(state, contact)) return false;
    if (contact.point_count < 1 || contact.point_count > 4 || !unused_points_are_zero(contact)) return false;
    if (!is_finite(contact.friction_impulse) || !is_finite(contact.twist_impulse) ||
        !is_finite(contact.rolling_impulse))
      return false;
    if (!is_finite(contact.anchor_offset) || !is_finite(contact.twist_offset)) return false;
    if (!consistent_geometry(contact.geometry)) return false;
    for (Real const impulse : contact.normal_impulses) {
      if (!is_finite(impulse) || impulse < Real(0)) return false;
    }
  }
  return true;
}

template <class Real>
bool consistent_overlaps(const WorldState<Real>& state) {
  for (std::size_t i = 1; i < state.overlaps.size(); ++i) {
    if (state.overlaps[i].key <= state.overlaps[i - 1].key) return false;
  }
  return true;
}

template <class Real>
bool consistent_targets(const WorldState<Real>& state) {
  for (std::size_t i = 0; i < state.targets.size(); ++i) {
    const TargetRecord<Real>& target = state.targets[i];
    if (i > 0 && target.body <= state.targets[i - 1].body) return false;
    if (target.body >= state.bodies.capacity() || !state.bodies.alive(target.body)) return false;
    if (state.bodies[target.body].type != BodyType::kKinematic || !inside(target.center, 2.0 * kMaxExtentM) ||
        !is_rotation(target.rotation))
      return false;
  }
  return true;
}

/// A mover's body is kinematic, belongs to no other mover, and has exactly one capsule.
template <class Real>
bool consistent_movers(const WorldState<Real>& state) {
  std::vector<bool> taken(state.bodies.capacity(), false);
  for (std::uint32_t i = 0; i < state.movers.capacity(); ++i) {
    if (!state.movers.alive(i)) continue;
    const MoverRecord& mover = state.movers[i];
    if (mover.body >= state.bodies.capacity() || !state.bodies.alive(mover.body) || taken[mover.body])
      return false;
    taken[mover.body] = true;
    const BodyRecord<Real>& body = state.bodies[mover.body];
    if (body.type != BodyType::kKinematic || body.shape_count != 1 ||
        state.shapes[body.first_shape].kind != ShapeKind::kCapsule)
      return false;
    if (check(mover.tuning).has_value() || check(mover.input).has_value()) return false;
    if (check_vector(mover.velocity, kMaxLinearSpeedMS).has_value() ||
        check_vector(mover.ground_velocity, kMaxLinearSpeedMS).has_value())
      return false;
    if (check_vector(mover.ground_normal, 1.0).has_value()) return false;
  }
  return true;
}

}  // namespace

template <class Real>
bool is_consistent(const WorldState<Real>& state) {
  if (check(state.def).has_value() || (state.random.increment & 1u) == 0) return false;
  if (!state.bodies.consistent() || !state.shapes.consistent() || !state.grabs.consistent() ||
      !state.movers.consistent())
    return false;
  if (state.bodies.alive_count > state.def.max_bodies || state.grabs.alive_count > state.def.max_bodies)
    return false;
  std::uint32_t owned = 0;
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (!state.bodies.alive(i)) continue;
    if (!consistent_body(state, i)) return false;
    owned += state.bodies[i].shape_count;
  }
  if (owned != state.shapes.alive_count) return false;
  for (std::uint32_t i = 0; i < state.shapes.capacity(); ++i) {
    if (state.shapes.alive(i) && !consistent_shape(state, state.shapes[i])) return false;
  }
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    const GrabRecord<Real>& grab = state.grabs[i];
    if (!state.grabs.alive(i)) continue;
    if (grab.body >= state.bodies.capacity() || !state.bodies.alive(grab.body) ||
        !is_finite(grab.local_anchor) || !is_finite(grab.impulse))
      return false;
    if (!inside(grab.target, 0.0) || !is_finite(grab.max_force) || grab.max_force < Real(0)) return false;
  }
  return state.hulls.consistent() && state.surfaces.consistent() && consistent_contacts(state) &&
         consistent_overlaps(state) && consistent_targets(state) && consistent_movers(state) &&
         consistent_ropes(state) && consistent_joints(state);
}

template <class Real>
bool is_ordered(const WorldState<Real>& state) {
  auto const in_order = [](const auto& a, const auto& b) { return comes_before(a, b); };
  return state.bodies.consistent() && state.shapes.consistent() && state.grabs.consistent() &&
         state.movers.consistent() && state.joints.consistent() && state.ropes.consistent() &&
         std::ranges::is_sorted(state.contacts, in_order) &&
         std::ranges::is_sorted(state.rope_pins, in_order) &&
         std::ranges::is_sorted(state.overlaps, {}, [](const auto& overlap) { return overlap.key; }) &&
         std::ranges::is_sorted(state.targets, {}, [](const auto& target) { return target.body; });
}

template bool is_ordered(const WorldState<float>&);
template bool is_ordered(const WorldState<Fixed>&);
template bool is_consistent(const WorldState<float>&);
template bool is_consistent(const WorldState<Fixed>&);

}  // namespace takt
