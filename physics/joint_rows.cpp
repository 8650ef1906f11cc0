// The rows that joints hold their bodies with: where the bodies are, what is asked of them, and the matrix of it (CONSTRAINTS 2.2, 2.4).
#include "physics/joint_solver.h"

#include <algorithm>

#include "physics/locked_axes.h"
#include "physics/tuning.h"

namespace takt {

template <class Real>
JointPose JointSolver<Real>::pose_of(const WorldState<Real>& state, const JointBodies<Real>& at, const PreparedJoint& joint) const {
  const JointRecord& record = state.joints[joint.index];
  Vec3<double> between = joint.between;
  Quat<double> rotation_a = joint.rotation_a;
  Quat<double> rotation_b = joint.rotation_b;
  if (joint.a.body != 0) {
    rotation_a = to_double(at.moving[joint.a.body].rotation);
    between -= doubles_of(at.bodies[joint.a.body].linear_shift);
  }
  if (joint.b.body != 0) {
    rotation_b = to_double(at.moving[joint.b.body].rotation);
    between += doubles_of(at.bodies[joint.b.body].linear_shift);
  }
  return JointPose(record.frame_a, record.frame_b, record.locked, rotation_a, rotation_b, rotate(rotation_a, joint.local_a),
                   rotate(rotation_b, joint.local_b), between);
}

template <class Real>
void JointSolver<Real>::soften(EqualityRow& row, const Softness& said, double error) const {
  if (relaxing_) return;
  row.error = error;
  row.soft = !said.is_rigid();
  // Nothing moves along it (the plane's normal of a planar body): it says nothing, and its pivot leaves it out.
  double const mobility = coupling(row, row);
  row.softness = mobility > 0.0 ? said.row(substep_s_, mobility) : SoftRow{};
}

template <class Real>
void JointSolver<Real>::build_rows(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  JointPose const pose = pose_of(state, at, joint);
  joint.arm_a = record.kind == JointKind::kPulley ? pose.arm_a() : pose.arm_a() + pose.apart();
  joint.arm_b = pose.arm_b();
  joint.turns = pose.turns(joint.turns);
  std::uint32_t rows = 0;
  std::uint32_t bounded = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    const Softness& said = c < 3 ? record.linear : record.angular;
    if ((record.locked >> c & 1u) == 0 || said.is_idle()) continue;
    EqualityRow& row = rows_[joint.first_row + rows++];
    JointCoordinate const found = pose.error(c);
    row.slot = c;
    row.a = side_a(joint.a, found.direction);
    row.b = side_b(joint.b, found.direction);
    soften(row, said, found.value);
    if (fresh_) row.impulse = record.impulses[c];
  }
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisRecord& axis_record = state.joint_axes[axis];
    add_axis(axis_record, axis, pose.coordinate(axis_record.def.axis, joint.turns), joint, rows, bounded);
  }
  if (!has_coupling_row(record)) return;
  if (record.kind == JointKind::kPulley) add_pulley(state, at, joint, pose);
  if (record.kind == JointKind::kGear) add_gear(state, at, joint);
}

/// Rows where the bodies are now, with the inertia tensors of now: rows that know another than the body has would add energy to what spins.
template <class Real>
void JointSolver<Real>::build_all(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) {
    if (relaxing_ && tamed_[body] != 0) continue;
    const MovingBody<Real>& moving = at.moving[body];
    inertias_[body] = has_angular(at.masses[body].locked_axes)
                          ? to_sym_mat64(at.masses[body].inverse_inertia)
                          : rotated(to_sym_mat64(state.bodies[moving.index].inverse_inertia), to_matrix(to_double(moving.rotation)));
  }
  for (PreparedJoint& joint : joints_) {
    if (joint.a.moves) joint.a.inverse_inertia = inertias_[joint.a.body];
    if (joint.b.moves) joint.b.inverse_inertia = inertias_[joint.b.body];
    build_rows(state, at, joint);
  }
}

template <class Real>
void JointSolver<Real>::fill_matrix() {
  matrix_.assign(pattern_.entries(), 0.0);
  double const loop_give = relaxing_ ? 0.0 : kLoopGive * alone_softness_.row(substep_s_, 1.0).gamma;
  own_matrix_.assign(own_pattern_.entries(), 0.0);
  for (std::uint32_t node = 0; node < own_pattern_.nodes(); ++node) {
    std::uint32_t const n = own_pattern_.size(node);
    std::uint32_t const first = own_pattern_.first_row(node);
    double* const own = own_matrix_.data() + own_pattern_.own(node);
    const PreparedJoint& joint = joints_[forest_.order()[node]];
    bool const looped = !joint.alone && forest_.is_looped(joint.a.moves ? joint.a.body : joint.b.body);
    for (std::uint32_t r = 0; r < n; ++r) {
      for (std::uint32_t c = 0; c <= r; ++c) {
        own[r * n + c] = coupling(rows_[first + r], rows_[first + c]);
        own[c * n + r] = own[r * n + c];
      }
      EqualityRow& row = rows_[first + r];
      if (looped && !row.soft) row.softness.gamma = loop_give * own[r * n + r];
      own[r * n + r] += row.softness.gamma;
    }
    if (node >= pattern_.nodes()) continue;
    std::copy(own, own + std::size_t{n} * n, matrix_.data() + pattern_.own(node));
    auto const upper = pattern_.upper(node);
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      double* const block = matrix_.data() + pattern_.below(node, k);
      for (std::uint32_t r = 0; r < pattern_.size(upper[k]); ++r) {
        for (std::uint32_t c = 0; c < n; ++c) block[r * n + c] = coupling(rows_[pattern_.first_row(upper[k]) + r], rows_[first + c]);
      }
    }
  }
  factor_.factor(pattern_, matrix_, kLeastPivot);
  own_factor_.factor(own_pattern_, own_matrix_, kLeastPivot);
}

#define TAKT_INSTANTIATE(Real)                                                                                                  \
  template JointPose JointSolver<Real>::pose_of(const WorldState<Real>&, const JointBodies<Real>&, const PreparedJoint&) const; \
  template void JointSolver<Real>::soften(EqualityRow&, const Softness&, double) const;                                         \
  template void JointSolver<Real>::build_rows(const WorldState<Real>&, const JointBodies<Real>&, PreparedJoint&);               \
  template void JointSolver<Real>::build_all(const WorldState<Real>&, const JointBodies<Real>&);                                \
  template void JointSolver<Real>::fill_matrix();
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
