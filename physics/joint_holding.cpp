// Solves what joints hold: trees at once, others joint by joint (CONSTRAINTS 2.3 to 2.6).
#include "physics/joint_solver.h"

#include "physics/tuning.h"

namespace takt {

/// The velocity with which a rigid row takes its drift back.
template <class Real>
double JointSolver<Real>::drift_push(const EqualityRow& row, double share) const noexcept {
  return row.soft ? 0.0 : held_within(share * row.error / substep_s_, kJointPushMax);
}

/// What the row asks for, drift apart: minus this, by the matrix, is the change of its impulse.
template <class Real>
double JointSolver<Real>::residual(const EqualityRow& row, const JointBodies<Real>& at) const noexcept {
  double const velocity = side_velocity(row.a, at.bodies.data()) + side_velocity(row.b, at.bodies.data());
  return (row.soft ? velocity + row.softness.bias_rate * row.error : velocity) + row.softness.gamma * row.impulse;
}

/// The locked coordinates' impulses within their largest force and torque.
template <class Real>
void JointSolver<Real>::hold_within(const PreparedJoint& joint, std::span<double> changes) const noexcept {
  for (bool const angular : {false, true}) {
    double const most = angular ? joint.max_angular : joint.max_linear;
    if (!(most < kUnbounded)) continue;
    double square = 0.0;
    auto const takes_part = [&](std::uint32_t i) {
      std::uint32_t const slot = rows_[joint.first_row + i].slot;
      return slot < kLockedSlots && (slot >= 3) == angular;
    };
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      double const wanted = rows_[joint.first_row + i].impulse + changes[i];
      if (takes_part(i)) square += wanted * wanted;
    }
    double const size = sqrt(square);
    if (!(size > most)) continue;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      double const had = rows_[joint.first_row + i].impulse;
      if (takes_part(i)) changes[i] = (had + changes[i]) * (most / size) - had;
    }
  }
}

template <class Real>
void JointSolver<Real>::solve_alone(const JointBodies<Real>& at, const PreparedJoint& joint, bool use_bias) {
  std::span<double> const changes = std::span(values_).subspan(joint.first_row, joint.row_count);
  SoftRow const soft = alone_softness_.row(substep_s_, 1.0);  // of a mass of 1: gamma is the share of the row's own mass
  double const drift_share = soft.bias_rate * substep_s_;
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    changes[i] = -residual(row, at) - (use_bias ? drift_push(row, drift_share) : 0.0);
  }
  own_factor_.solve_node(own_pattern_, joint.node, changes);
  for (std::uint32_t i = 0; i < joint.row_count && use_bias; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    if (!row.soft) changes[i] = (changes[i] - soft.gamma * row.impulse) / (1.0 + soft.gamma);
  }
  hold_within(joint, changes);
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    EqualityRow& row = rows_[joint.first_row + i];
    row.impulse += changes[i];
    collect(row.a, changes[i]);
    collect(row.b, changes[i]);
  }
  apply(at, joint.a.moves ? joint.a.body : 0);
  apply(at, joint.b.moves ? joint.b.body : 0);
}

/// Adds to values_ what takes drift back, tree by tree, as far as it speeds no body up too much. The rest of a pass is a projection, which adds no energy whatever
/// the joints ask; this part may ask for any speed where joints hold only just, or not at all.
template <class Real>
void JointSolver<Real>::push_back_drift() {
  pushes_.resize(pattern_.rows());
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) pushes_[i] = -drift_push(rows_[i], kTreeDriftShare);
  factor_.solve(pattern_, pushes_);
  std::uint32_t first = 0;
  for (std::uint32_t const end_place : forest_.tree_ends()) {
    std::uint32_t const end = end_place < pattern_.nodes() ? pattern_.first_row(end_place) : pattern_.rows();
    for (std::uint32_t i = first; i < end; ++i) {
      collect(rows_[i].a, pushes_[i]);
      collect(rows_[i].b, pushes_[i]);
    }
    double excess = 1.0;
    for (std::uint32_t i = first; i < end; ++i) {
      for (const RowSide* const side : {&rows_[i].a, &rows_[i].b}) {
        Change& change = changes_[side->body];
        excess = maximum(excess, maximum(length(change.linear) / kJointSpeedUpMaxMS, length(change.angular) / kJointSpinUpMaxRadS));
      }
    }
    for (std::uint32_t i = first; i < end; ++i) {
      values_[i] += pushes_[i] / excess;
      changes_[rows_[i].a.body] = {};
      changes_[rows_[i].b.body] = {};
    }
    first = end;
  }
}

template <class Real>
void JointSolver<Real>::solve_trees(const JointBodies<Real>& at, bool use_bias) {
  std::span<double> const changes = std::span(values_).first(pattern_.rows());
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) changes[i] = -residual(rows_[i], at);
  factor_.solve(pattern_, changes);
  if (use_bias) push_back_drift();
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) {
    rows_[i].impulse += changes[i];
    collect(rows_[i].a, changes[i]);
    collect(rows_[i].b, changes[i]);
  }
  for (std::uint32_t const body : touched_) apply(at, body);
}

#define TAKT_INSTANTIATE(Real)                                                                        \
  template void JointSolver<Real>::solve_alone(const JointBodies<Real>&, const PreparedJoint&, bool); \
  template void JointSolver<Real>::solve_trees(const JointBodies<Real>&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
