// Solves what joints hold: trees at once, others joint by joint (CONSTRAINTS 2.3 to 2.6).
#include "physics/joint_solver.h"

#include "physics/tuning.h"

namespace takt {

/// The velocity with which a rigid row takes its drift back.
template <class Real>
double JointSolver<Real>::drift_push(const EqualityRow& row, double share) const noexcept {
  return row.soft ? 0.0 : held_within(share * row.error / substep_s_, kJointPushMax);
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
void JointSolver<Real>::solve_alone(const JointBodies<Real>& at, const HeldJoint& held, bool use_bias) {
  std::span<double> const changes = std::span(values_).subspan(held.first_row, held.row_count);
  std::span<EqualityRow> const rows = std::span(rows_).subspan(held.first_row, held.row_count);
  Motion const a = motion_of(at, held.body_a);
  Motion const b = motion_of(at, held.body_b);
  double const drift_share = alone_row_.bias_rate * substep_s_;
  for (std::size_t i = 0; i < rows.size(); ++i) changes[i] = -residual(rows[i], a, b) - (use_bias ? drift_push(rows[i], drift_share) : 0.0);
  own_factor_.solve_node(own_pattern_, held.node, changes);
  for (std::size_t i = 0; i < rows.size() && use_bias; ++i) {
    if (!rows[i].soft) changes[i] = (changes[i] - alone_row_.gamma * rows[i].impulse) / (1.0 + alone_row_.gamma);
  }
  const PreparedJoint& joint = joints_[held.joint];
  if (held.is_bounded) hold_within(joint, changes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].impulse += changes[i];
    collect(held, rows[i], changes[i]);
  }
  apply(at, held.pushed_a);
  apply(at, held.pushed_b);
}

/// Adds to values_ what takes drift back, tree by tree, as far as it speeds no body up too much. The rest of a pass is a projection, which adds no energy whatever
/// the joints ask; this part may ask for any speed where joints hold only just, or not at all.
template <class Real>
void JointSolver<Real>::push_back_drift() {
  pushes_.resize(pattern_.rows());
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) pushes_[i] = -drift_push(rows_[i], kTreeDriftShare);
  factor_.solve(pattern_, pushes_);
  std::uint32_t first = 0;
  for (std::uint32_t const end : forest_.tree_ends()) {
    std::span<HeldJoint> const tree = std::span(held_).subspan(first, end - first);
    for (const HeldJoint& held : tree) {
      for (std::uint32_t i = 0; i < held.row_count; ++i) collect(held, rows_[held.first_row + i], pushes_[held.first_row + i]);
    }
    double excess = 1.0;
    for (const HeldJoint& held : tree) {
      for (std::uint32_t const body : {held.pushed_a, held.pushed_b}) {
        const Change& change = changes_[body];
        excess = maximum(excess, maximum(length(change.linear) / kJointSpeedUpMaxMS, length(change.angular) / kJointSpinUpMaxRadS));
      }
    }
    for (const HeldJoint& held : tree) {
      for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i) values_[i] += pushes_[i] / excess;
      changes_[held.pushed_a] = {};
      changes_[held.pushed_b] = {};
    }
    first = end;
  }
}

template <class Real>
void JointSolver<Real>::solve_trees(const JointBodies<Real>& at, bool use_bias) {
  std::span<const HeldJoint> const trees = std::span(held_).first(pattern_.nodes());
  std::span<double> const changes = std::span(values_).first(pattern_.rows());
  for (const HeldJoint& held : trees) {
    Motion const a = motion_of(at, held.body_a);
    Motion const b = motion_of(at, held.body_b);
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i) changes[i] = -residual(rows_[i], a, b);
  }
  factor_.solve(pattern_, changes);
  if (use_bias) push_back_drift();
  for (const HeldJoint& held : trees) {
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i) {
      rows_[i].impulse += changes[i];
      collect(held, rows_[i], changes[i]);
    }
  }
  for (std::uint32_t const body : touched_) apply(at, body);
}

#define TAKT_INSTANTIATE(Real)                                                                    \
  template void JointSolver<Real>::solve_alone(const JointBodies<Real>&, const HeldJoint&, bool); \
  template void JointSolver<Real>::solve_trees(const JointBodies<Real>&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
