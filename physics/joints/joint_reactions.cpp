// What joints did to their bodies in a tick: reactions, what is warm for the next, and what broke.
#include "physics/joints/joint_solver.h"

#include <algorithm>

#include "physics/joints/joint_store.h"

namespace takt {

template <class Real>
void JointSolver<Real>::end_substep(const JointBodies<Real>& at) {
  --substeps_left_;
  if (!tree_batches_.empty()) tree_batches_.react(tree_source(), at, substeps_left_ == 0);
  for (std::uint32_t const node : loop_nodes_) {
    EqualityJoint& held = equality_[node];
    if (held.is_ball) held.ball.force_sum += held.ball.impulse;
  }
  for (std::uint32_t const slot : loop_joints_) {
    PreparedJoint& joint = joints_[slot];
    Vec3<double> force;
    Vec3<double> torque;  // about b's centre
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& row = rows_[joint.first_row + i];
      double impulse = row.impulse;
      for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
        impulse += sides_[joint.first_limit + k].share[i] * limited_[joint.first_limit + k].impulse;
      }
      force += row.linear * impulse;
      torque += row.jacobian_b * impulse;
    }
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& row = limited_[joint.first_limit + k];
      for (std::uint32_t s = 0; s < row.side_count; ++s) {
        const RowSide& side = sides_of(row).sides[s];
        if (side.body != joint.b.body) continue;
        force += side.linear * row.impulse;
        torque += side.angular * row.impulse;
      }
    }
    joint.force_sum += force;
    joint.torque_sum += torque - cross(joint.r_b, force);
  }
}

template <class Real>
void JointSolver<Real>::store(WorldState<Real>& state, std::vector<JointId>& broken) const {
  double const period = substep_s_ * static_cast<double>(substeps_);
  auto const sound = [](double value) {
    return value - value == 0.0 ? canonical(value) : 0.0;
  };  // a body that was quarantined may leave none
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (state.joints.alive(i) && prepared_[i] == 0 && !can_act(state, i)) stop_joint(state, i);
  }
  auto const mean = [&](Vec3<double> sum) {
    return Vec3<double>{sound(sum.x / period), sound(sum.y / period), sound(sum.z / period)};
  };
  // As of the frame on a, with which they turn between ticks.
  auto const ball_impulses = [&](const JointRecord& record, Vec3<double> impulse) {
    Quat<double> const frame =
        to_double(state.bodies[record.body_a].motion.rotation) * record.frame_a.rotation;
    Vec3<double> const local = transpose_multiply(to_matrix(frame), impulse);
    return std::array<double, 6>{sound(local.x), sound(local.y), sound(local.z)};
  };
  auto const break_if_overloaded = [&](std::uint32_t index) {
    JointRecord& record = state.joints[index];
    if (!(length(record.force) > record.break_force) && !(length(record.torque) > record.break_torque))
      return;
    record.broken = true;
    forget_impulses(state, index);
    broken.push_back(state.joints.id(index));
  };
  for (const PreparedJoint& joint : joints_) {
    JointRecord& record = state.joints[joint.index];
    record.force = mean(joint.is_ball ? equality_[joint.node].ball.force_sum : joint.force_sum);
    record.torque = mean(joint.torque_sum);
    record.revolutions = {sound(joint.revolutions.last), sound(joint.revolutions.first)};
    if (joint.is_ball) record.impulses = ball_impulses(record, equality_[joint.node].ball.impulse);
    std::uint32_t row = joint.first_row;
    for (unsigned c = 0; c < kLockedSlots && !joint.is_ball; ++c) {
      bool const has_row =
          (record.locked >> c & 1u) != 0 && !(c < 3 ? record.linear : record.angular).is_idle();
      record.impulses[c] = has_row ? sound(rows_[row++].impulse) : 0.0;
    }
    for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
      if (is_equality(state.joint_axes[at].def))
        state.joint_axes[at].drive_impulse = sound(rows_[row++].impulse);
    }
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& limited = limited_[joint.first_limit + k];
      double const impulse = sound(limited.impulse);
      switch (limited.kind) {
        case LimitKind::kFriction: state.joint_axes[limited.axis].friction_impulse = impulse; break;
        case LimitKind::kMotor: state.joint_axes[limited.axis].motor_impulse = impulse; break;
        case LimitKind::kDrive: state.joint_axes[limited.axis].drive_impulse = impulse; break;
        case LimitKind::kLimit: state.joint_axes[limited.axis].limit_impulse = impulse; break;
        case LimitKind::kPulley:
        case LimitKind::kGear: record.coupling_impulse = impulse; break;
      }
    }
    break_if_overloaded(joint.index);
  }
  for (std::uint32_t i = 0; i < batches_.balls().size(); ++i) {
    std::uint32_t const index = batches_.balls()[i].index;
    JointRecord& record = state.joints[index];
    BatchReaction const reaction = batches_.reaction_of(i);
    record.force = mean(reaction.force_sum);
    record.torque = {};
    record.revolutions = {};
    record.impulses = ball_impulses(record, reaction.impulse);
    break_if_overloaded(index);
  }
  std::sort(broken.begin(), broken.end(), [](JointId a, JointId b) { return a.index < b.index; });
}

#define TAKT_INSTANTIATE(Real)                                            \
  template void JointSolver<Real>::end_substep(const JointBodies<Real>&); \
  template void JointSolver<Real>::store(WorldState<Real>&, std::vector<JointId>&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
