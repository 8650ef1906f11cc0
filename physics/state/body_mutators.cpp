#include "physics/state/body_mutators.h"

#include <algorithm>

#include "physics/state/locked_axes.h"
#include "physics/state/mass_properties.h"
#include "takt/core/assert.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

/// Reconstructs the part of a shape's definition that determines mass.
template <class Real>
ShapeDef mass_def(const ShapeRecord<Real>& record) {
  ShapeDef def;
  def.kind = record.kind;
  def.half_extents_m = to_double(record.extents);
  def.radius_m = def.half_extents_m.x;
  def.half_length_m = def.half_extents_m.y;
  def.rounding_m = def.half_extents_m.x;
  def.local_position_m = to_double(record.local_position);
  const Quat<Real>& q = record.local_rotation;
  def.local_rotation = {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
  def.density_kg_m3 = to_double(record.density);
  def.is_sensor = record.is_sensor;
  return def;
}

/// Computes mass from the stored shapes.
template <class Real>
std::optional<PhysicsError> weigh(const WorldState<Real>& state, BodyRecord<Real>& body) {
  std::vector<ShapeDef> shapes;
  std::vector<PlacedHull> hulls;
  for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    const ShapeRecord<Real>& shape = state.shapes[at];
    shapes.push_back(mass_def(shape));
    hulls.emplace_back();
    if (shape.kind == ShapeKind::kHull) hulls.back().geometry = state.hulls.find_shared(shape.geometry);
    TAKT_ASSERT(shape.kind != ShapeKind::kHull || hulls.back().geometry != nullptr);
  }
  MassProperties const mass = mass_properties(shapes, hulls);
  if (!(mass.mass_kg > 0.0)) return PhysicsError::kNoMass;
  if (mass.mass_kg < kMinMassKg || mass.mass_kg > kMaxMassKg) return PhysicsError::kMassOutOfRange;
  auto const inverse = inverted(mass.inertia);
  if (!inverse.ok()) return inverse.error();
  body.mass_kg = mass.mass_kg;
  body.inverse_mass = to_mass<Real>(1.0 / mass.mass_kg);
  body.inverse_inertia = to_sym_mat<Real>(inverse.value());
  Vec3<double> const c = mass.center_m;
  Vec3<Real> const center = canonical(Vec3<Real>{to_real<Real>(c.x), to_real<Real>(c.y), to_real<Real>(c.z)});
  // The origin keeps its position and velocity.
  Vec3<Real> const shift = rotate(body.motion.rotation, center - body.local_center);
  body.motion.center = moved(body.motion.center, shift);
  body.motion.linear_velocity =
      canonical(body.motion.linear_velocity + cross(body.motion.angular_velocity, shift));
  body.local_center = center;
  return std::nullopt;
}

}  // namespace

template <class Real>
void stop_locked(BodyRecord<Real>& body) noexcept {
  if (body.type != BodyType::kDynamic) return;
  body.motion.linear_velocity = free_linear(body.locked_axes, body.motion.linear_velocity);
  body.motion.angular_velocity = free_angular(body.locked_axes, body.motion.angular_velocity);
}

template <class Real>
void enable(WorldState<Real>& state, std::uint32_t body, bool enabled) {
  TAKT_ASSERT(body < state.bodies.capacity() && state.bodies.alive(body));
  state.bodies[body].enabled = enabled;
  if (enabled) return;
  state.bodies[body].motion.force = {};
  state.bodies[body].motion.torque = {};
  drop_target(state, body);
}

template <class Real>
std::optional<PhysicsError> change_type(WorldState<Real>& state, std::uint32_t index, BodyType type) {
  if (type > BodyType::kDynamic) return PhysicsError::kOutOfRange;
  TAKT_ASSERT(index < state.bodies.capacity() && state.bodies.alive(index));
  BodyRecord<Real> body = state.bodies[index];
  if (type != BodyType::kStatic) {
    for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
      ShapeKind const kind = state.shapes[at].kind;
      if (kind == ShapeKind::kHalfSpace) return PhysicsError::kHalfSpaceNotStatic;
      if (kind == ShapeKind::kHeightField) return PhysicsError::kHeightFieldNotStatic;
      if (kind == ShapeKind::kMesh && type == BodyType::kDynamic) return PhysicsError::kMeshOnDynamic;
    }
  }
  Vec3<double> const old_center = to_double(body.local_center);
  if (type == BodyType::kDynamic && !is_positive(body.inverse_mass)) {
    if (auto const error = weigh(state, body)) return error;
  }
  // Anchors of pins are about the centre of mass, and stay where they are on the body.
  Vec3<double> const shift = old_center - to_double(body.local_center);
  for (RopePinRecord& pin : state.rope_pins) {
    if (pin.body == index && shift != Vec3<double>{}) pin.local_anchor = canonical(pin.local_anchor + shift);
  }
  body.type = type;
  body.asleep = false;
  body.still_ticks = 0;
  body.motion.force = {};
  body.motion.torque = {};
  if (type == BodyType::kStatic) {
    body.motion.linear_velocity = {};
    body.motion.angular_velocity = {};
  }
  stop_locked(body);
  state.bodies[index] = body;
  drop_target(state, index);
  for (std::uint32_t i = 0; type != BodyType::kDynamic && i < state.grabs.capacity(); ++i) {
    if (state.grabs.alive(i) && state.grabs[i].body == index) state.grabs.erase(i);
  }
  return std::nullopt;
}

template <class Real>
std::optional<PhysicsError> aim(WorldState<Real>& state, std::uint32_t index, const Position& center,
                                Quat<Real> rotation) {
  TAKT_ASSERT(index < state.bodies.capacity() && state.bodies.alive(index));
  BodyRecord<Real>& body = state.bodies[index];
  TAKT_ASSERT(body.type == BodyType::kKinematic);
  auto const rate = Real(static_cast<int>(state.def.tick_rate_hz));
  Vec3<Real> const displacement = relative<Real>(center, body.motion.center);
  Real const max_displacement = to_real<Real>(kMaxLinearSpeedMS) / rate;
  if (length(displacement) > max_displacement) return PhysicsError::kOutOfRange;
  Quat<Real> turn = rotation * conjugate(body.motion.rotation);
  if (turn.w < Real(0)) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
  Vec3<Real> const axis{turn.x, turn.y, turn.z};
  Real const sine = length(axis);
  Real const half_angle = atan2(sine, turn.w);
  if ((half_angle + half_angle) * rate > to_real<Real>(kMaxAngularSpeedRadS))
    return PhysicsError::kOutOfRange;
  Vec3<Real> spin{};
  if (sine > Real(0))
    spin = Vec3<Real>{axis.x / sine, axis.y / sine, axis.z / sine} * ((half_angle + half_angle) * rate);
  body.motion.linear_velocity = canonical(displacement * rate);
  body.motion.angular_velocity = canonical(spin);
  TargetRecord<Real> const target{index, center, rotation, false};
  auto const at = std::lower_bound(
      state.targets.begin(), state.targets.end(), index,
      [](const TargetRecord<Real>& record, std::uint32_t body_index) { return record.body < body_index; });
  if (at != state.targets.end() && at->body == index) {
    *at = target;
  } else {
    state.targets.insert(at, target);
  }
  TAKT_VALIDATE(std::ranges::is_sorted(state.targets, {}, &TargetRecord<Real>::body));
  return std::nullopt;
}

template <class Real>
void drop_target(WorldState<Real>& state, std::uint32_t body) {
  auto const mine = [body](const TargetRecord<Real>& target) { return target.body == body; };
  state.targets.erase(std::remove_if(state.targets.begin(), state.targets.end(), mine), state.targets.end());
}

#define TAKT_INSTANTIATE(Real)                                                                             \
  template void stop_locked(BodyRecord<Real>&) noexcept;                                                   \
  template void enable(WorldState<Real>&, std::uint32_t, bool);                                            \
  template std::optional<PhysicsError> change_type(WorldState<Real>&, std::uint32_t, BodyType);            \
  template std::optional<PhysicsError> aim(WorldState<Real>&, std::uint32_t, const Position&, Quat<Real>); \
  template void drop_target(WorldState<Real>&, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
