#include "physics/joint_store.h"

namespace takt {
namespace {

JointFrame canonical_frame(const JointFrame& frame) noexcept {
  const Quat<double>& q = frame.rotation;
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {canonical(frame.position_m), canonical(Quat<double>{q.x / size, q.y / size, q.z / size, q.w / size})};
}

JointAxisDef canonical_axis(JointAxisDef def) noexcept {
  for (double* const field : {&def.lower, &def.upper, &def.target, &def.speed}) *field = canonical(*field);
  return def;
}

/// Everything that a definition says but the axes.
void write(const JointDef& def, JointRecord& record) {
  record.kind = def.kind;
  record.body_a = def.body_a.index;
  record.body_b = def.body_b.index;
  record.frame_a = canonical_frame(def.frame_a);
  record.frame_b = canonical_frame(def.frame_b);
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
  for (std::uint32_t at = record.first_axis; at != kNoIndex;) {
    std::uint32_t const next = state.joint_axes[at].next;
    state.joint_axes.erase(at);
    at = next;
  }
  record.first_axis = kNoIndex;
  record.axis_count = 0;
}

/// Links new records of the definition's axes; `old` ones give their impulses.
template <class Real>
void insert_axes(WorldState<Real>& state, std::uint32_t joint, const JointDef& def, const std::array<JointAxisRecord, kJointAxisCount>& old,
                 std::uint32_t old_count) {
  std::uint32_t last = kNoIndex;
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    JointAxisRecord axis;
    for (std::uint32_t k = 0; k < old_count; ++k) {
      if (old[k].def.axis == def.axes[i].axis) axis = old[k];
    }
    axis.joint = joint;
    axis.next = kNoIndex;
    axis.def = canonical_axis(def.axes[i]);
    std::uint32_t const place = state.joint_axes.insert(axis).index;
    (last == kNoIndex ? state.joints[joint].first_axis : state.joint_axes[last].next) = place;
    last = place;
  }
  state.joints[joint].axis_count = def.axis_count;
}

template <class Real>
double coupled_value(const WorldState<Real>& state, JointId id, JointAxis axis) {
  const JointRecord& joint = state.joints[id.index];
  return pose_of(state, joint).coordinate(axis, joint.turn).value;
}

}  // namespace

template <class Real>
JointPose pose_of(const WorldState<Real>& state, const JointRecord& joint) {
  const BodyRecord<Real>& a = state.bodies[joint.body_a];
  const BodyRecord<Real>& b = state.bodies[joint.body_b];
  Quat<double> const rotation_a = to_double(a.motion.rotation);
  Quat<double> const rotation_b = to_double(b.motion.rotation);
  return JointPose(joint.frame_a, joint.frame_b, joint.locked, rotation_a, rotation_b,
                   rotate(rotation_a, joint.frame_a.position_m - to_double(a.local_center)),
                   rotate(rotation_b, joint.frame_b.position_m - to_double(b.local_center)), relative<double>(b.motion.center, a.motion.center));
}

template <class Real>
JointId insert_joint(WorldState<Real>& state, const JointDef& def) {
  JointRecord record;
  write(def, record);
  JointId const id = state.joints.insert(record);
  insert_axes(state, id.index, def, {}, 0);
  JointRecord& joint = state.joints[id.index];
  JointAxis const turning = JointPose::turning_axis(joint.locked);
  if (turning != JointAxis::kDistance) joint.turn = canonical(pose_of(state, joint).coordinate(turning, 0.0).value);
  if (def.kind == JointKind::kGear) {
    joint.coupled = canonical(coupled_value(state, def.coupling.joint_1, def.coupling.axis_1) +
                              def.coupling.ratio * coupled_value(state, def.coupling.joint_2, def.coupling.axis_2));
  }
  return id;
}

template <class Real>
void rewrite_joint(WorldState<Real>& state, std::uint32_t joint, const JointDef& def) {
  std::array<JointAxisRecord, kJointAxisCount> old{};
  std::uint32_t count = 0;
  for (std::uint32_t at = state.joints[joint].first_axis; at != kNoIndex; at = state.joint_axes[at].next) old[count++] = state.joint_axes[at];
  erase_axes(state, state.joints[joint]);
  double const ratio = state.joints[joint].coupling.ratio;
  write(def, state.joints[joint]);
  insert_axes(state, joint, def, old, count);
  if (!def.enabled) forget_impulses(state, joint);
  JointRecord& record = state.joints[joint];
  for (unsigned c = 0; c < record.impulses.size(); ++c) {
    if ((record.locked >> c & 1u) == 0) record.impulses[c] = 0.0;
  }
  if (def.kind != JointKind::kGear || ratio == def.coupling.ratio) return;
  // Another ratio goes on from where the two are now.
  record.coupled = canonical(coupled_value(state, def.coupling.joint_1, def.coupling.axis_1) +
                             def.coupling.ratio * coupled_value(state, def.coupling.joint_2, def.coupling.axis_2));
}

template <class Real>
void erase_joint(WorldState<Real>& state, std::uint32_t joint) {
  JointId const id = state.joints.id(joint);
  erase_axes(state, state.joints[joint]);
  state.joints.erase(joint);
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i) || state.joints[i].kind != JointKind::kGear) continue;
    if (state.joints[i].coupling.joint_1 == id || state.joints[i].coupling.joint_2 == id) erase_joint(state, i);
  }
}

template <class Real>
void erase_joints_of(WorldState<Real>& state, std::uint32_t body) {
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (state.joints.alive(i) && (state.joints[i].body_a == body || state.joints[i].body_b == body)) erase_joint(state, i);
  }
}

template <class Real>
void forget_impulses(WorldState<Real>& state, std::uint32_t joint) {
  JointRecord& record = state.joints[joint];
  record.impulses = {};
  record.coupling_impulse = 0.0;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
    JointAxisRecord& axis = state.joint_axes[at];
    axis.limit_impulse = axis.hold_impulse = axis.motor_impulse = axis.friction_impulse = 0.0;
  }
}

template <class Real>
BodiesOfJoint bodies_of_joint(const WorldState<Real>& state, std::uint32_t joint) noexcept {
  BodiesOfJoint out;
  auto const add = [&](std::uint32_t place) {
    out.places[out.count++] = state.joints[place].body_a;
    out.places[out.count++] = state.joints[place].body_b;
  };
  add(joint);
  if (state.joints[joint].kind != JointKind::kGear) return out;
  add(state.joints[joint].coupling.joint_1.index);
  add(state.joints[joint].coupling.joint_2.index);
  return out;
}

template <class Real>
bool is_on(const WorldState<Real>& state, std::uint32_t joint) noexcept {
  auto const on = [&](std::uint32_t place) { return state.joints[place].enabled && !state.joints[place].broken; };
  const JointRecord& record = state.joints[joint];
  return on(joint) && (record.kind != JointKind::kGear || (on(record.coupling.joint_1.index) && on(record.coupling.joint_2.index)));
}

template <class Real>
JointDef read_joint(const WorldState<Real>& state, std::uint32_t joint) {
  const JointRecord& record = state.joints[joint];
  JointDef def;
  def.kind = record.kind;
  def.body_a = state.bodies.id(record.body_a);
  def.body_b = state.bodies.id(record.body_b);
  def.frame_a = record.frame_a;
  def.frame_b = record.frame_b;
  def.locked = record.locked;
  def.linear = record.linear;
  def.angular = record.angular;
  def.max_force_n = record.max_force;
  def.max_torque_n_m = record.max_torque;
  def.break_force_n = record.break_force;
  def.break_torque_n_m = record.break_torque;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) def.axes[def.axis_count++] = state.joint_axes[at].def;
  def.coupling = record.coupling;
  def.collide_connected = record.collide_connected;
  def.enabled = record.enabled;
  def.direct = record.direct;
  def.user_tag = record.user_tag;
  return def;
}

template <class Real>
void list_joined(const WorldState<Real>& state, std::vector<std::uint64_t>& out) {
  out.clear();
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    const JointRecord& joint = state.joints[i];
    if (!state.joints.alive(i) || joint.collide_connected || !joint.enabled || joint.broken) continue;
    std::uint32_t const low = joint.body_a < joint.body_b ? joint.body_a : joint.body_b;
    std::uint32_t const high = joint.body_a < joint.body_b ? joint.body_b : joint.body_a;
    out.push_back(std::uint64_t{low} << 32u | high);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

#define TAKT_INSTANTIATE(Real)                                                             \
  template JointPose pose_of(const WorldState<Real>&, const JointRecord&);                 \
  template JointId insert_joint(WorldState<Real>&, const JointDef&);                       \
  template void rewrite_joint(WorldState<Real>&, std::uint32_t, const JointDef&);          \
  template void erase_joint(WorldState<Real>&, std::uint32_t);                             \
  template void erase_joints_of(WorldState<Real>&, std::uint32_t);                         \
  template void forget_impulses(WorldState<Real>&, std::uint32_t);                         \
  template BodiesOfJoint bodies_of_joint(const WorldState<Real>&, std::uint32_t) noexcept; \
  template bool is_on(const WorldState<Real>&, std::uint32_t) noexcept;                    \
  template JointDef read_joint(const WorldState<Real>&, std::uint32_t);                    \
  template void list_joined(const WorldState<Real>&, std::vector<std::uint64_t>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
