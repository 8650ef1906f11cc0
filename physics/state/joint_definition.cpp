#include "physics/state/joint_definition.h"

#include "takt/core/assert.h"

namespace takt {

template <class Real>
JointDef read_joint(const WorldState<Real>& state, std::uint32_t joint) {
  TAKT_ASSERT(joint < state.joints.capacity() && state.joints.alive(joint));
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
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
    TAKT_ASSERT(def.axis_count < kJointAxisCount);
    def.axes[def.axis_count++] = state.joint_axes[at].def;
  }
  def.coupling = record.coupling;
  def.collide_connected = record.collide_connected;
  def.enabled = record.enabled;
  def.direct = record.direct;
  def.user_tag = record.user_tag;
  return def;
}

template JointDef read_joint(const WorldState<float>&, std::uint32_t);
template JointDef read_joint(const WorldState<Fixed>&, std::uint32_t);

}  // namespace takt
