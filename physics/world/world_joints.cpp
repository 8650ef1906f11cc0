// World calls about joints.
#include "physics/joints/joint_store.h"
#include "physics/state/joint_check.h"
#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {

template <class Real>
Result<JointId, PhysicsError> World<Real>::create_joint(const JointDef& def) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (auto const error = check(state, def)) return *error;
  if (state.joints.alive_count >= 8 * state.def.max_bodies) return PhysicsError::kWorldFull;
  JointId const joint = insert_joint(state, def);
  impl_->wake_joint(joint.index);
  return joint;
}

template <class Real>
EditResult World<Real>::destroy_joint(JointId joint) {
  if (!contains(joint)) return PhysicsError::kUnknownJoint;
  impl_->wake_joint(joint.index);
  erase_joint(impl_->state, joint.index);
  return Unit{};
}

template <class Real>
bool World<Real>::contains(JointId joint) const noexcept {
  return impl_->state.joints.contains(joint);
}

template <class Real>
void World<Real>::list_joints(std::vector<JointId>& out) const {
  out.clear();
  for (std::uint32_t i = 0; i < impl_->state.joints.capacity(); ++i) {
    if (impl_->state.joints.alive(i)) out.push_back(impl_->state.joints.id(i));
  }
}

template <class Real>
EditResult World<Real>::change_joint(JointId joint, const JointDef& def) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!contains(joint)) return PhysicsError::kUnknownJoint;
  if (auto const error = check(state, def)) return *error;
  const JointRecord& record = state.joints[joint.index];
  bool const same =
      def.kind == record.kind && def.body_a.index == record.body_a && def.body_b.index == record.body_b &&
      (def.kind != JointKind::kGear ||
       (def.coupling.joint_1 == record.coupling.joint_1 && def.coupling.joint_2 == record.coupling.joint_2));
  if (!same) return PhysicsError::kOutOfRange;
  // A joint that a gear couples keeps the coordinates the gear needs.
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    const JointCoupling& gear = state.joints[i].coupling;
    if (!state.joints.alive(i) || state.joints[i].kind != JointKind::kGear) continue;
    if (gear.joint_1 == joint && !can_be_geared(def.locked, gear.axis_1))
      return PhysicsError::kJointBadCoupling;
    if (gear.joint_2 == joint && !can_be_geared(def.locked, gear.axis_2))
      return PhysicsError::kJointBadCoupling;
  }
  rewrite_joint(state, joint.index, def);
  impl_->wake_joint(joint.index);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_joint_enabled(JointId joint, bool enabled) {
  if (!contains(joint)) return PhysicsError::kUnknownJoint;
  JointRecord& record = impl_->state.joints[joint.index];
  bool const was_on = record.enabled && !record.broken;
  record.enabled = enabled;
  if (enabled) record.broken = false;
  if (!enabled) stop_joint(impl_->state, joint.index);
  if (enabled && !was_on) engage_gears(impl_->state, joint.index);
  impl_->wake_joint(joint.index);
  return Unit{};
}

template <class Real>
JointDef World<Real>::joint_def(JointId joint) const {
  TAKT_ASSERT(contains(joint));
  return read_joint(impl_->state, joint.index);
}

template <class Real>
JointView World<Real>::joint(JointId joint) const {
  FloatControlGuard const guard;
  TAKT_ASSERT(contains(joint));
  const WorldState<Real>& state = impl_->state;
  const JointRecord& record = state.joints[joint.index];
  const BodyRecord<Real>& a = state.bodies[record.body_a];
  const BodyRecord<Real>& b = state.bodies[record.body_b];
  JointPose const pose = pose_of(state, record);
  JointView view;
  view.id = joint;
  view.kind = record.kind;
  view.body_a = state.bodies.id(record.body_a);
  view.body_b = state.bodies.id(record.body_b);
  view.anchor_a = moved(a.motion.center, pose.r_a());
  view.anchor_b = moved(b.motion.center, pose.r_b());
  view.frame_a = to_double(a.motion.rotation) * record.frame_a.rotation;
  view.frame_b = to_double(b.motion.rotation) * record.frame_b.rotation;
  view.force_n = record.force;
  view.torque_n_m = record.torque;
  view.enabled = record.enabled;
  view.broken = record.broken;
  return view;
}

template <class Real>
double World<Real>::joint_coordinate(JointId joint, JointAxis axis) const {
  FloatControlGuard const guard;
  TAKT_ASSERT(contains(joint));
  const JointRecord& record = impl_->state.joints[joint.index];
  return coordinate_of(pose_of(impl_->state, record), record, axis).value;
}

template <class Real>
double World<Real>::joint_rate(JointId joint, JointAxis axis) const {
  FloatControlGuard const guard;
  TAKT_ASSERT(contains(joint));
  const JointRecord& record = impl_->state.joints[joint.index];
  JointDirection const d = coordinate_of(pose_of(impl_->state, record), record, axis).direction;
  const BodyMotion<Real>& a = impl_->state.bodies[record.body_a].motion;
  const BodyMotion<Real>& b = impl_->state.bodies[record.body_b].motion;
  return dot(d.linear, to_double(b.linear_velocity) - to_double(a.linear_velocity)) +
         dot(d.jacobian_b, to_double(b.angular_velocity)) - dot(d.jacobian_a, to_double(a.angular_velocity));
}

template <class Real>
JointFrame World<Real>::joint_frame(BodyId body, const Position& origin, Quat<double> rotation) const {
  FloatControlGuard const guard;
  const BodyRecord<Real>& record = impl_->body(body);
  Quat<double> const rotated = to_double(record.motion.rotation);
  return {to_double(record.local_center) +
              rotate_inverse(rotated, relative<double>(origin, record.motion.center)),
          conjugate(rotated) * rotation};
}

#define TAKT_INSTANTIATE(Real)                                                       \
  template Result<JointId, PhysicsError> World<Real>::create_joint(const JointDef&); \
  template EditResult World<Real>::destroy_joint(JointId);                           \
  template bool World<Real>::contains(JointId) const noexcept;                       \
  template void World<Real>::list_joints(std::vector<JointId>&) const;               \
  template EditResult World<Real>::change_joint(JointId, const JointDef&);           \
  template EditResult World<Real>::set_joint_enabled(JointId, bool);                 \
  template JointDef World<Real>::joint_def(JointId) const;                           \
  template JointView World<Real>::joint(JointId) const;                              \
  template double World<Real>::joint_coordinate(JointId, JointAxis) const;           \
  template double World<Real>::joint_rate(JointId, JointAxis) const;                 \
  template JointFrame World<Real>::joint_frame(BodyId, const Position&, Quat<double>) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
