#include "physics/joints/joint_reactions.h"

#include <algorithm>

#include "physics/joints/joint_row_steps.h"
#include "physics/joints/joint_store.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Canonical value; 0 for a non-finite number, which a quarantined body may leave.
double finite_or_zero(double value) noexcept { return value - value == 0.0 ? canonical(value) : 0.0; }
Vec3<double> mean(const Vec3<double>& sum, double tick_s) noexcept {
  return {finite_or_zero(sum.x / tick_s), finite_or_zero(sum.y / tick_s), finite_or_zero(sum.z / tick_s)};
}

/// Stores a point joint's impulse in the axes of the frame on a, with which it turns between ticks.
template <class Real>
inline void store_point_impulse(const WorldState<Real>& state, JointRecord& record,
                                const Vec3<double>& impulse) noexcept {
  Quat<double> const frame = to_double(state.bodies[record.body_a].motion.rotation) * record.frame_a.rotation;
  Vec3<double> const local = transpose_multiply(to_matrix(frame), impulse);
  record.impulses[0] = finite_or_zero(local.x);
  record.impulses[1] = finite_or_zero(local.y);
  record.impulses[2] = finite_or_zero(local.z);
  for (std::size_t i = 3; i < record.impulses.size(); ++i) record.impulses[i] = 0.0;
}

template <class Real>
inline void break_if_overloaded(WorldState<Real>& state, std::uint32_t index, std::vector<JointId>& broken) {
  JointRecord& record = state.joints[index];
  if (!(length(record.force) > record.break_force) && !(length(record.torque) > record.break_torque)) return;
  record.broken = true;
  forget_impulses(state, index);
  broken.push_back(state.joints.id(index));
}

}  // namespace

template <class Real>
void JointReactions<Real>::begin_tick(std::size_t joint_count, std::uint32_t substeps) {
  TAKT_ASSERT(substeps > 0);
  sums_.assign(joint_count, {});
  substeps_left_ = substeps;
}

template <class Real>
bool JointReactions<Real>::end_substep(const JointOrdering<Real>& ordering,
                                       const JointPartition<Real>& partition,
                                       const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                                       const JointCouplings<Real>& couplings) {
  TAKT_ASSERT(substeps_left_ > 0 && sums_.size() == ordering.joints().size());
  for (std::uint32_t const node : partition.nodes()) {
    const EqualityJoint& joint = equality.joints()[node];
    if (joint.is_point) sums_[joint.joint].force_sum += joint.point.impulse;
  }
  for (std::uint32_t const index : partition.joints()) {
    const PreparedJoint& joint = ordering.joints()[index];
    VelocityOf<double> impulse = joint_impulse<double>(equality.rows_of(joint).data(), joint.row_count,
                                                       limits.rows_of(joint).data(), joint.limit_count);
    if (joint.coupling != kNoIndex) {
      const CouplingRow& row = couplings.row_of(joint);
      for (std::uint32_t s = 0; s < row.side_count; ++s) {
        if (row.sides[s].body != joint.b.body) continue;
        impulse.linear += row.sides[s].linear * row.impulse;
        impulse.angular += row.sides[s].angular * row.impulse;
      }
    }
    sums_[index].force_sum += impulse.linear;
    sums_[index].torque_sum += impulse.angular - cross(joint.r_b, impulse.linear);
  }
  return --substeps_left_ == 0;
}

template <class Real>
void JointReactions<Real>::store_impulses(WorldState<Real>& state, const PreparedJoint& joint,
                                          const JointEquality<Real>& equality,
                                          const JointLimits<Real>& limits,
                                          const JointCouplings<Real>& couplings) {
  JointRecord& record = state.joints[joint.index];
  if (joint.is_point) {
    store_point_impulse(state, record, equality.joints()[joint.node].point.impulse);
    return;
  }
  auto row = equality.rows_of(joint).begin();
  for (std::uint32_t slot = 0; slot < kLockedSlots; ++slot)
    record.impulses[slot] = has_locked_row(record, slot) ? finite_or_zero((row++)->impulse) : 0.0;
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    if (is_equality(state.joint_axes[axis].def))
      state.joint_axes[axis].drive_impulse = finite_or_zero((row++)->impulse);
    if (!joint.loop_closing && is_direct_limit(state.joint_axes[axis].def))
      state.joint_axes[axis].limit_impulse = finite_or_zero((row++)->impulse);
  }
  TAKT_ASSERT(row == equality.rows_of(joint).end());
  for (const LimitRow& limit : limits.rows_of(joint)) {
    TAKT_ASSERT(limit.axis < state.joint_axes.capacity());
    JointAxisRecord& axis = state.joint_axes[limit.axis];
    double const impulse = finite_or_zero(limit.impulse);
    switch (limit.kind) {
      case LimitKind::kFriction: axis.friction_impulse = impulse; break;
      case LimitKind::kMotor: axis.motor_impulse = impulse; break;
      case LimitKind::kDrive: axis.drive_impulse = impulse; break;
      case LimitKind::kLimit: axis.limit_impulse = impulse; break;
    }
  }
  if (joint.coupling != kNoIndex) record.coupling_impulse = finite_or_zero(couplings.row_of(joint).impulse);
}

template <class Real>
void JointReactions<Real>::store(WorldState<Real>& state, double tick_s, const JointOrdering<Real>& ordering,
                                 const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                                 const JointCouplings<Real>& couplings,
                                 const PointJointBatches<Real>& point_joints,
                                 std::vector<JointId>& broken) const {
  TAKT_ASSERT(tick_s > 0.0 && (ordering.empty() || substeps_left_ == 0));
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (state.joints.alive(i) && !ordering.acts(i) && !can_act(state, i)) stop_joint(state, i);
  }
  for (std::size_t i = 0; i < ordering.joints().size(); ++i) {
    const PreparedJoint& joint = ordering.joints()[i];
    JointRecord& record = state.joints[joint.index];
    record.force = mean(sums_[i].force_sum, tick_s);
    record.torque = mean(sums_[i].torque_sum, tick_s);
    record.revolutions = {finite_or_zero(joint.revolutions.last), finite_or_zero(joint.revolutions.first)};
    store_impulses(state, joint, equality, limits, couplings);
    break_if_overloaded(state, joint.index, broken);
  }
  for (std::uint32_t i = 0; i < point_joints.joints().size(); ++i) {
    std::uint32_t const index = point_joints.joints()[i].index;
    JointRecord& record = state.joints[index];
    BatchReaction const reaction = point_joints.reaction_of(i);
    record.force = mean(reaction.force_sum, tick_s);
    record.torque = {};
    record.revolutions = {};
    store_point_impulse(state, record, reaction.impulse);
    break_if_overloaded(state, index, broken);
  }
  std::sort(broken.begin(), broken.end(), [](JointId a, JointId b) { return a.index < b.index; });
}

template class JointReactions<float>;
template class JointReactions<Fixed>;

}  // namespace takt
