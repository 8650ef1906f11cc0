#include "physics/joints/joint_store.h"

#include "physics/base/union_find.h"
#include "physics/joints/joint_rows.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

JointFrame canonical_frame(const JointFrame& frame) noexcept {
  const Quat<double>& q = frame.rotation;
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {canonical(frame.position_m),
          canonical(Quat<double>{q.x / size, q.y / size, q.z / size, q.w / size})};
}

JointAxisDef canonical_axis(JointAxisDef def) noexcept {
  for (double* const field : {&def.lower, &def.upper, &def.target, &def.speed}) *field = canonical(*field);
  return def;
}

/// Writes all fields of a definition except its axes.
void write(const JointDef& def, JointRecord& record) {
  record.kind = def.kind;
  record.body_a = def.body_a.index;
  record.body_b = def.body_b.index;
  // An unchanged frame is kept: normalising it again could change its last digit.
  if (def.frame_a != record.frame_a) record.frame_a = canonical_frame(def.frame_a);
  if (def.frame_b != record.frame_b) record.frame_b = canonical_frame(def.frame_b);
  record.locked = def.locked;
  record.collide_connected = def.collide_connected;
  record.enabled = def.enabled;
  record.direct = def.direct;
  record.linear = def.linear;
  record.angular = def.angular;
  record.max_force = def.max_force_n;
  record.max_torque = def.max_torque_n_m;
  record.break_force = def.break_force_n;
  record.break_torque = def.break_torque_n_m;
  record.user_tag = def.user_tag;
  if (is_coupling(def.kind)) record.coupling = def.coupling;
}

template <class Real>
void erase_axes(WorldState<Real>& state, JointRecord& record) {
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex;) {
    std::uint32_t const next = state.joint_axes[axis].next;
    state.joint_axes.erase(axis);
    axis = next;
  }
  record.first_axis = kNoIndex;
  record.axis_count = 0;
}

/// Clears impulses of parts that the axis no longer has.
void forget_parts_gone(JointAxisRecord& axis) noexcept {
  const JointAxisDef& def = axis.def;
  if (!has_limit(def) || (axis.limit_impulse > 0.0 ? !has_lower(def) : !(def.upper < kUnbounded)))
    axis.limit_impulse = 0.0;
  if (!is_equality(def) && !is_limited_drive(def)) axis.drive_impulse = 0.0;
  if (!(def.max_motor > 0.0)) axis.motor_impulse = 0.0;
  if (!(def.friction > 0.0)) axis.friction_impulse = 0.0;
}

/// Links new records of the definition's axes; they keep the impulses of `old` axes.
template <class Real>
void insert_axes(WorldState<Real>& state, std::uint32_t joint, const JointDef& def,
                 const std::array<JointAxisRecord, kJointAxisCount>& old, std::uint32_t old_count) {
  std::uint32_t last = kNoIndex;
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    JointAxisRecord axis;
    for (std::uint32_t k = 0; k < old_count; ++k) {
      if (old[k].def.axis == def.axes[i].axis) axis = old[k];
    }
    axis.joint = joint;
    axis.next = kNoIndex;
    axis.def = canonical_axis(def.axes[i]);
    forget_parts_gone(axis);
    std::uint32_t const slot = state.joint_axes.insert(axis).index;
    (last == kNoIndex ? state.joints[joint].first_axis : state.joint_axes[last].next) = slot;
    last = slot;
  }
  state.joints[joint].axis_count = def.axis_count;
}

template <class Real>
double coupled_value(const WorldState<Real>& state, JointId id, JointAxis axis) {
  const JointRecord& joint = state.joints[id.index];
  return pose_of(state, joint).coordinate(axis, joint.revolutions).value;
}

/// The gear keeps the current sum of the two coordinates.
template <class Real>
void engage(const WorldState<Real>& state, JointRecord& gear) {
  const JointCoupling& tie = gear.coupling;
  gear.coupled = canonical(coupled_value(state, tie.joint_1, tie.axis_1) +
                           tie.ratio * coupled_value(state, tie.joint_2, tie.axis_2));
  gear.coupling_impulse = 0.0;
}

template <class Real>
void copy_revolutions(const WorldState<Real>& state, JointRecord& joint, const JointRevolutions& near) {
  JointRevolutions const revolutions = pose_of(state, joint).revolutions(near);
  joint.revolutions = {canonical(revolutions.last), canonical(revolutions.first)};
}

/// True when the joint leaves its bodies no relative motion.
bool is_rigid_weld(const JointRecord& joint) noexcept {
  constexpr std::uint8_t kAll = (1u << kLockedSlots) - 1u;
  return joint.locked == kAll && joint.direct && joint.linear.is_rigid() && joint.angular.is_rigid() &&
         !(joint.max_force < kUnbounded) && !(joint.max_torque < kUnbounded);
}

}  // namespace

template <class Real>
JointPose pose_of(const WorldState<Real>& state, const JointRecord& joint) {
  const BodyRecord<Real>& a = state.bodies[joint.body_a];
  const BodyRecord<Real>& b = state.bodies[joint.body_b];
  Quat<double> const rotation_a = to_double(a.motion.rotation);
  Quat<double> const rotation_b = to_double(b.motion.rotation);
  return JointPose(joint.frame_a.rotation, joint.frame_b.rotation, joint.locked, rotation_a, rotation_b,
                   rotate(rotation_a, joint.frame_a.position_m - to_double(a.local_center)),
                   rotate(rotation_b, joint.frame_b.position_m - to_double(b.local_center)),
                   relative<double>(b.motion.center, a.motion.center));
}

template <class Real>
JointId insert_joint(WorldState<Real>& state, const JointDef& def) {
  TAKT_ASSERT(state.bodies.alive(def.body_a.index) && state.bodies.alive(def.body_b.index));
  JointRecord record;
  write(def, record);
  JointId const id = state.joints.insert(record);
  insert_axes(state, id.index, def, {}, 0);
  JointRecord& joint = state.joints[id.index];
  copy_revolutions(state, joint, {});
  if (def.kind == JointKind::kGear) engage(state, joint);
  return id;
}

template <class Real>
void rewrite_joint(WorldState<Real>& state, std::uint32_t joint, const JointDef& def) {
  TAKT_ASSERT(state.joints.alive(joint));
  std::array<JointAxisRecord, kJointAxisCount> old{};
  std::uint32_t count = 0;
  for (std::uint32_t axis = state.joints[joint].first_axis; axis != kNoIndex;
       axis = state.joint_axes[axis].next)
    old[count++] = state.joint_axes[axis];
  erase_axes(state, state.joints[joint]);
  JointRecord const before = state.joints[joint];
  write(def, state.joints[joint]);
  insert_axes(state, joint, def, old, count);
  JointRecord& record = state.joints[joint];
  for (unsigned c = 0; c < record.impulses.size(); ++c) {
    if ((record.locked >> c & 1u) == 0) record.impulses[c] = 0.0;
  }
  if (!record.enabled) stop_joint(state, joint);
  if (is_coupling(record.kind) && !has_coupling_row(record)) record.coupling_impulse = 0.0;
  bool const frames_changed =
      record.frame_a != before.frame_a || record.frame_b != before.frame_b || record.locked != before.locked;
  if (frames_changed) {
    // The angle that counts full turns continues in another frame; another angle starts from its own value.
    bool const same = last_rotation_axis(record.locked) == last_rotation_axis(before.locked) &&
                      first_rotation_axis(record.locked) == first_rotation_axis(before.locked);
    copy_revolutions(state, record, same ? before.revolutions : JointRevolutions{});
  }
  bool const tied = record.coupling.ratio != before.coupling.ratio ||
                    record.coupling.axis_1 != before.coupling.axis_1 ||
                    record.coupling.axis_2 != before.coupling.axis_2;
  if (frames_changed || tied || (record.enabled && !before.enabled)) engage_gears(state, joint);
}

template <class Real>
void erase_joint(WorldState<Real>& state, std::uint32_t joint) {
  TAKT_ASSERT(state.joints.alive(joint));
  JointId const id = state.joints.id(joint);
  erase_axes(state, state.joints[joint]);
  state.joints.erase(joint);
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i) || state.joints[i].kind != JointKind::kGear) continue;
    if (state.joints[i].coupling.joint_1 == id || state.joints[i].coupling.joint_2 == id)
      erase_joint(state, i);
  }
}

template <class Real>
void erase_joints_of(WorldState<Real>& state, std::uint32_t body) {
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (state.joints.alive(i) && (state.joints[i].body_a == body || state.joints[i].body_b == body))
      erase_joint(state, i);
  }
}

template <class Real>
void forget_impulses(WorldState<Real>& state, std::uint32_t joint) {
  JointRecord& record = state.joints[joint];
  record.impulses = {};
  record.coupling_impulse = 0.0;
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    JointAxisRecord& part = state.joint_axes[axis];
    part.limit_impulse = part.drive_impulse = part.motor_impulse = part.friction_impulse = 0.0;
  }
}

template <class Real>
void stop_joint(WorldState<Real>& state, std::uint32_t joint) {
  forget_impulses(state, joint);
  state.joints[joint].force = {};
  state.joints[joint].torque = {};
}

template <class Real>
void engage_gears(WorldState<Real>& state, std::uint32_t joint) {
  JointId const id = state.joints.id(joint);
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i) || state.joints[i].kind != JointKind::kGear) continue;
    const JointCoupling& tie = state.joints[i].coupling;
    if (i == joint || tie.joint_1 == id || tie.joint_2 == id) engage(state, state.joints[i]);
  }
}

template <class Real>
BodiesOfJoint bodies_of_joint(const WorldState<Real>& state, std::uint32_t joint) noexcept {
  BodiesOfJoint out;
  auto const add = [&](std::uint32_t slot) {
    out.indices[out.count++] = state.joints[slot].body_a;
    out.indices[out.count++] = state.joints[slot].body_b;
  };
  add(joint);
  if (state.joints[joint].kind != JointKind::kGear) return out;
  add(state.joints[joint].coupling.joint_1.index);
  add(state.joints[joint].coupling.joint_2.index);
  return out;
}

template <class Real>
bool can_act(const WorldState<Real>& state, std::uint32_t joint) noexcept {
  auto const moves = [](const BodyRecord<Real>& body) {
    return body.type == BodyType::kDynamic && !body.quarantined;
  };
  auto const one = [&](std::uint32_t slot) {
    const JointRecord& record = state.joints[slot];
    const BodyRecord<Real>& a = state.bodies[record.body_a];
    const BodyRecord<Real>& b = state.bodies[record.body_b];
    return record.enabled && !record.broken && a.enabled && b.enabled && (moves(a) || moves(b));
  };
  const JointRecord& record = state.joints[joint];
  return one(joint) && (record.kind != JointKind::kGear ||
                        (one(record.coupling.joint_1.index) && one(record.coupling.joint_2.index)));
}

template <class Real>
void list_joined(const WorldState<Real>& state, JoinedBodies& out) {
  out.pairs.clear();
  out.weld_roots.clear();
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    const JointRecord& joint = state.joints[i];
    if (!state.joints.alive(i) || joint.collide_connected || !joint.enabled || joint.broken) continue;
    std::uint32_t const low = joint.body_a < joint.body_b ? joint.body_a : joint.body_b;
    std::uint32_t const high = joint.body_a < joint.body_b ? joint.body_b : joint.body_a;
    out.pairs.push_back(std::uint64_t{low} << 32u | high);
    if (!is_rigid_weld(joint) || !can_act(state, i)) continue;
    if (out.weld_roots.empty()) reset_sets(out.weld_roots, state.bodies.capacity());
    unite(out.weld_roots, low, high);
  }
  for (std::uint32_t i = 0; i < out.weld_roots.size(); ++i)
    out.weld_roots[i] = out.weld_roots[out.weld_roots[i]];
  std::sort(out.pairs.begin(), out.pairs.end());
  out.pairs.erase(std::unique(out.pairs.begin(), out.pairs.end()), out.pairs.end());
}

#define TAKT_INSTANTIATE(Real)                                                             \
  template JointPose pose_of(const WorldState<Real>&, const JointRecord&);                 \
  template JointId insert_joint(WorldState<Real>&, const JointDef&);                       \
  template void rewrite_joint(WorldState<Real>&, std::uint32_t, const JointDef&);          \
  template void erase_joint(WorldState<Real>&, std::uint32_t);                             \
  template void erase_joints_of(WorldState<Real>&, std::uint32_t);                         \
  template void forget_impulses(WorldState<Real>&, std::uint32_t);                         \
  template BodiesOfJoint bodies_of_joint(const WorldState<Real>&, std::uint32_t) noexcept; \
  template bool can_act(const WorldState<Real>&, std::uint32_t) noexcept;                  \
  template void stop_joint(WorldState<Real>&, std::uint32_t);                              \
  template void engage_gears(WorldState<Real>&, std::uint32_t);                            \
  template void list_joined(const WorldState<Real>&, JoinedBodies&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
