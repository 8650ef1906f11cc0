// World calls that move and change existing bodies and shapes.
#include "physics/movers/mover_store.h"
#include "physics/state/body_mutators.h"
#include "physics/state/body_records.h"
#include "physics/state/definition_check.h"
#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

// A number of the world and the one that its reader gets for it, for numbers that do not survive the way
// back: a Fixed has more bits than a double, and rotations are normalised on entry.
template <class Real>
bool is_read_as(const Vec3<Real>& present, const Vec3<double>& given) noexcept {
  return to_double(present.x) == given.x && to_double(present.y) == given.y &&
         to_double(present.z) == given.z;
}
template <class Real>
bool is_read_as(const Quat<Real>& present, const Quat<double>& given) noexcept {
  return to_double(present.x) == given.x && to_double(present.y) == given.y &&
         to_double(present.z) == given.z && to_double(present.w) == given.w;
}

}  // namespace

template <class Real>
EditResult World<Real>::wake(BodyId body) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  BodyRecord<Real>& record = impl_->body(body);
  if (record.asleep) impl_->mark_modified(record);
  return Unit{};
}

template <class Real>
EditResult World<Real>::apply_impulse(BodyId body, Vec3<double> impulse_n_s) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_s, kMaxImpulse)) return *error;
  impl_->push(*record.value(), to_real<Real>(impulse_n_s), {});
  return Unit{};
}

template <class Real>
EditResult World<Real>::apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_s, kMaxImpulse)) return *error;
  if (auto const error = check_position(point)) return *error;
  Vec3<Real> const arm = relative<Real>(point, record.value()->motion.center);
  Real const reach = to_real<Real>(2.0 * kMaxExtentM);
  if (absolute(arm.x) > reach || absolute(arm.y) > reach || absolute(arm.z) > reach)
    return PhysicsError::kOutOfRange;
  Vec3<Real> const impulse = to_real<Real>(impulse_n_s);
  impl_->push(*record.value(), impulse, cross(arm, impulse));
  return Unit{};
}

template <class Real>
EditResult World<Real>::apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_m_s, kMaxImpulse)) return *error;
  impl_->push(*record.value(), {}, to_real<Real>(impulse_n_m_s));
  return Unit{};
}

template <class Real>
EditResult World<Real>::apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(force_n, kMaxImpulse)) return *error;
  if (auto const error = check_vector(torque_n_m, kMaxImpulse)) return *error;
  BodyMotion<Real>& motion = record.value()->motion;
  if (record.value()->quarantined) return Unit{};
  impl_->mark_modified(*record.value());
  auto const add = [](Vec3<Real> sum, Vec3<double> more) {
    Real const max = to_real<Real>(kMaxImpulse);
    Vec3<Real> const v = sum + to_real<Real>(more);
    return canonical(Vec3<Real>{clamp(v.x, -max, max), clamp(v.y, -max, max), clamp(v.z, -max, max)});
  };
  motion.force = add(motion.force, force_n);
  motion.torque = add(motion.torque, torque_n_m);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_pose(BodyId body, const Position& position, Quat<double> rotation) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_position(position)) return *error;
  if (auto const error = check_rotation(rotation)) return *error;
  BodyRecord<Real>& record = impl_->body(body);
  wake_ropes_near(impl_->state, body.index);  // from its old pose
  record.motion.rotation = to_real<Real>(rotation);
  record.motion.center = moved(position, rotate(record.motion.rotation, record.local_center));
  drop_target(impl_->state, body.index);
  impl_->persistent.mark_stale();  // only then are static proxies checked
  impl_->mark_modified(record);
  impl_->wake_neighbours(body.index);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_speed(linear_m_s, kMaxLinearSpeedMS)) return *error;
  if (auto const error = check_speed(angular_rad_s, kMaxAngularSpeedRadS)) return *error;
  BodyRecord<Real>& record = impl_->body(body);
  if (record.type == BodyType::kStatic) return PhysicsError::kNotDynamic;
  if (record.quarantined) return Unit{};
  impl_->mark_modified(record);
  if (std::uint32_t const mover = takt::mover_of(impl_->state, body.index); mover != kNoIndex) {
    throw_mover(impl_->state.movers[mover], linear_m_s);
    return Unit{};
  }
  record.motion.linear_velocity = canonical(to_real<Real>(linear_m_s));
  record.motion.angular_velocity = canonical(to_real<Real>(angular_rad_s));
  drop_target(impl_->state, body.index);
  stop_locked(record);
  Impl::clamp_speed(record);
  return Unit{};
}

template <class Real>
EditResult World<Real>::correct(BodyId body, const BodyCorrection& correction) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_position(correction.position)) return *error;
  if (auto const error = check_rotation(correction.rotation)) return *error;
  if (auto const error = check_speed(correction.linear_velocity_m_s, kMaxLinearSpeedMS)) return *error;
  if (auto const error = check_speed(correction.angular_velocity_rad_s, kMaxAngularSpeedRadS)) return *error;
  BodyRecord<Real>& record = impl_->body(body);
  if (record.quarantined) return Unit{};
  BodyMotion<Real>& motion = record.motion;
  BodyPose<Real> const present = pose(body);
  if (!(present.position == correction.position) || !is_read_as(present.rotation, correction.rotation)) {
    Quat<Real> const rotation = to_real<Real>(correction.rotation);
    motion.rotation = rotation;
    motion.center = moved(correction.position, rotate(rotation, record.local_center));
    drop_target(impl_->state, body.index);
    impl_->persistent.all_asleep = false;
    impl_->persistent.proxies.mark_moved();
    // Proxies of static and sleeping bodies are checked only then.
    if (record.type == BodyType::kStatic || record.asleep) impl_->persistent.mark_stale();
  }
  if (record.type == BodyType::kStatic || record.asleep) return Unit{};
  if (is_read_as(motion.linear_velocity, correction.linear_velocity_m_s) &&
      is_read_as(motion.angular_velocity, correction.angular_velocity_rad_s))
    return Unit{};
  impl_->persistent.all_asleep = false;
  motion.linear_velocity = canonical(to_real<Real>(correction.linear_velocity_m_s));
  motion.angular_velocity = canonical(to_real<Real>(correction.angular_velocity_rad_s));
  stop_locked(record);
  Impl::clamp_speed(record);
  if (std::uint32_t const mover = takt::mover_of(impl_->state, body.index); mover != kNoIndex)
    correct_mover(impl_->state.movers[mover], correction.linear_velocity_m_s);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_user_tag(BodyId body, std::uint64_t tag) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  impl_->body(body).user_tag = tag;
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_gravity_scale(BodyId body, double scale) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_vector({scale, 0.0, 0.0}, 1000.0)) return *error;
  impl_->body(body).gravity_scale = canonical(to_real<Real>(scale));
  impl_->mark_modified(impl_->body(body));
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_damping(BodyId body, double linear_1_s, double angular_1_s) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_vector({linear_1_s, angular_1_s, 0.0}, 1000.0)) return *error;
  if (linear_1_s < 0.0 || angular_1_s < 0.0) return PhysicsError::kOutOfRange;
  impl_->body(body).linear_damping = canonical(to_real<Real>(linear_1_s));
  impl_->body(body).angular_damping = canonical(to_real<Real>(angular_1_s));
  impl_->mark_modified(impl_->body(body));
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_locked_axes(BodyId body, std::uint8_t locked) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (locked > kAllLocks) return PhysicsError::kOutOfRange;
  impl_->body(body).locked_axes = locked;
  stop_locked(impl_->body(body));
  impl_->mark_modified(impl_->body(body));
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_enabled(BodyId body, bool enabled) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (impl_->body(body).enabled == enabled) return Unit{};
  enable(impl_->state, body.index, enabled);
  if (enabled) impl_->mark_modified(impl_->body(body));
  impl_->wake_neighbours(body.index);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_type(BodyId body, BodyType type) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (impl_->body(body).type == type) return Unit{};
  if (takt::mover_of(impl_->state, body.index) != kNoIndex) return PhysicsError::kMoversBody;
  if (auto const error = change_type(impl_->state, body.index, type)) return *error;
  Impl::clamp_speed(impl_->body(body));
  impl_->persistent.mark_stale();
  impl_->mark_modified(impl_->body(body));
  impl_->wake_neighbours(body.index);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_target(BodyId body, const Position& position, Quat<double> rotation) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  const BodyRecord<Real>& record = impl_->body(body);
  if (record.type != BodyType::kKinematic) return PhysicsError::kNotKinematic;
  if (takt::mover_of(impl_->state, body.index) != kNoIndex) return PhysicsError::kMoversBody;
  if (!record.enabled) return PhysicsError::kDisabled;
  if (auto const error = check_position(position)) return *error;
  if (auto const error = check_rotation(rotation)) return *error;
  if (record.quarantined) return Unit{};
  Quat<Real> const rotated = to_real<Real>(rotation);
  if (auto const error =
          aim(impl_->state, body.index, moved(position, rotate(rotated, record.local_center)), rotated))
    return *error;
  impl_->mark_modified(impl_->body(body));
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_filter(ShapeId shape, const ShapeFilter& filter) {
  WorldState<Real>& state = impl_->state;
  if (!state.shapes.contains(shape)) return PhysicsError::kUnknownShape;
  if (state.shapes[shape.index].filter == filter) return Unit{};
  ShapeRecord<Real>& record = impl_->edit_shapes().shapes[shape.index];
  record.filter = filter;
  impl_->persistent.mark_stale();
  impl_->mark_modified(state.bodies[record.body]);
  impl_->wake_neighbours(record.body);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!state.shapes.contains(shape)) return PhysicsError::kUnknownShape;
  if (auto const error = check_vector(velocity_m_s, kMaxSurfaceSpeedMS)) return *error;
  Vec3<Real> const velocity = canonical(to_real<Real>(velocity_m_s));
  const ShapeRecord<Real>& record = state.shapes[shape.index];
  if (!(record.surface_velocity == velocity))
    impl_->edit_shapes().shapes[shape.index].surface_velocity = velocity;
  impl_->mark_modified(state.bodies[record.body]);
  impl_->wake_neighbours(record.body);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_material(ShapeId shape, double friction, double restitution) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!state.shapes.contains(shape)) return PhysicsError::kUnknownShape;
  if (auto const error = check_material(friction, restitution)) return *error;
  Real const new_friction = canonical(to_real<Real>(friction));
  Real const new_restitution = canonical(to_real<Real>(restitution));
  const ShapeRecord<Real>& record = state.shapes[shape.index];
  if (record.friction != new_friction || record.restitution != new_restitution) {
    ShapeRecord<Real>& edited = impl_->edit_shapes().shapes[shape.index];
    edited.friction = new_friction;
    edited.restitution = new_restitution;
  }
  impl_->mark_modified(state.bodies[record.body]);
  impl_->wake_neighbours(record.body);
  return Unit{};
}

#define TAKT_INSTANTIATE(Real)                                                              \
  template EditResult World<Real>::wake(BodyId);                                            \
  template EditResult World<Real>::apply_impulse(BodyId, Vec3<double>);                     \
  template EditResult World<Real>::apply_impulse_at(BodyId, Vec3<double>, const Position&); \
  template EditResult World<Real>::apply_angular_impulse(BodyId, Vec3<double>);             \
  template EditResult World<Real>::apply_force(BodyId, Vec3<double>, Vec3<double>);         \
  template EditResult World<Real>::set_pose(BodyId, const Position&, Quat<double>);         \
  template EditResult World<Real>::set_velocity(BodyId, Vec3<double>, Vec3<double>);        \
  template EditResult World<Real>::correct(BodyId, const BodyCorrection&);                  \
  template EditResult World<Real>::set_user_tag(BodyId, std::uint64_t);                     \
  template EditResult World<Real>::set_gravity_scale(BodyId, double);                       \
  template EditResult World<Real>::set_damping(BodyId, double, double);                     \
  template EditResult World<Real>::set_locked_axes(BodyId, std::uint8_t);                   \
  template EditResult World<Real>::set_enabled(BodyId, bool);                               \
  template EditResult World<Real>::set_type(BodyId, BodyType);                              \
  template EditResult World<Real>::set_target(BodyId, const Position&, Quat<double>);       \
  template EditResult World<Real>::set_filter(ShapeId, const ShapeFilter&);                 \
  template EditResult World<Real>::set_surface_velocity(ShapeId, Vec3<double>);             \
  template EditResult World<Real>::set_material(ShapeId, double, double);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
