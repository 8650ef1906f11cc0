// Solves what joints hold: trees at once, others joint by joint (CONSTRAINTS 2.3 to 2.6).
#include "physics/joints/joint_solver.h"

#include <algorithm>

#include "physics/base/solver_constants.h"

namespace takt {

/// The velocity with which a rigid row takes its drift back.
template <class Real>
double JointSolver<Real>::drift_push(double error, double share) const noexcept {
  return equality_within(share * error / substep_s_, kJointPushMax);
}

/// The same of all rows of a joint, taken from `pushes`.
template <class Real>
void JointSolver<Real>::push_drift(const EqualityJoint& held, double share,
                                   std::span<double> pushes) const noexcept {
  if (held.is_ball) {
    pushes[0] -= drift_push(held.ball.apart.x, share);
    pushes[1] -= drift_push(held.ball.apart.y, share);
    pushes[2] -= drift_push(held.ball.apart.z, share);
    return;
  }
  for (std::uint32_t i = 0; i < held.row_count; ++i) {
    const EqualityRow& row = rows_[held.first_row + i];
    if (!row.soft) pushes[i] -= drift_push(row.error, share);
  }
}

/// The locked coordinates' impulses within their largest force and torque.
template <class Real>
void JointSolver<Real>::clamp_within(const PreparedJoint& joint, std::span<double> changes) const noexcept {
  for (bool const angular : {false, true}) {
    double const max = angular ? joint.max_angular : joint.max_linear;
    if (!(max < kUnbounded)) continue;
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
    if (!(size > max)) continue;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      double const had = rows_[joint.first_row + i].impulse;
      if (takes_part(i)) changes[i] = (had + changes[i]) * (max / size) - had;
    }
  }
}

template <class Real>
void JointSolver<Real>::solve_scalar(const JointBodies<Real>& at, EqualityJoint& held, bool use_bias) {
  std::span<double> const changes = std::span(values_).subspan(held.first_row, held.row_count);
  Motion const a = motion_of(at, held.body_a);
  Motion const b = motion_of(at, held.body_b);
  double const drift_fraction = scalar_row_.bias_rate * substep_s_;
  double const kept = 1.0 / (1.0 + scalar_row_.gamma);
  if (held.is_ball) {
    PreparedPointJoint& ball = held.ball;
    Vec3<double> const asked = residual(ball, a, b);
    changes[0] = -asked.x;
    changes[1] = -asked.y;
    changes[2] = -asked.z;
    if (use_bias) push_drift(held, drift_fraction, changes);
    own_factor_.solve_node(own_pattern_, held.node, changes);
    Vec3<double> change{changes[0], changes[1], changes[2]};
    if (use_bias) change = (change - ball.impulse * scalar_row_.gamma) * kept;
    ball.impulse += change;
    collect(held, change);
  } else {
    std::span<EqualityRow> const rows = std::span(rows_).subspan(held.first_row, held.row_count);
    for (std::size_t i = 0; i < rows.size(); ++i) changes[i] = -residual(rows[i], a, b);
    if (use_bias) push_drift(held, drift_fraction, changes);
    own_factor_.solve_node(own_pattern_, held.node, changes);
    for (std::size_t i = 0; i < rows.size() && use_bias; ++i) {
      if (!rows[i].soft)
        changes[i] = (changes[i] - scalar_row_.gamma * rows[i].impulse) / (1.0 + scalar_row_.gamma);
    }
    if (held.is_limited) clamp_within(joints_[held.joint], changes);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].impulse += changes[i];
      collect(held, rows[i], changes[i]);
    }
  }
  apply(at, held.pushed_a);
  apply(at, held.pushed_b);
}

/// Adds to values_ what takes a tree's drift back, as far as it speeds no body up too much. The rest of a
/// pass is a projection, which adds no energy whatever the joints ask; this part may ask for any speed where
/// joints hold only just, or not at all.
template <class Real>
void JointSolver<Real>::push_back_drift(const NodeRange& nodes) {
  std::span<const EqualityJoint> const tree =
      std::span(equality_).subspan(nodes.first, nodes.end - nodes.first);
  for (const EqualityJoint& held : tree) {
    std::span<double> const pushes = std::span(pushes_).subspan(held.first_row, held.row_count);
    std::fill(pushes.begin(), pushes.end(), 0.0);
    push_drift(held, kTreeDriftFraction, pushes);
  }
  factor_.solve(pattern_, nodes.first, nodes.end, pushes_);
  for (const EqualityJoint& held : tree) collect_all(held, pushes_);
  double excess = 1.0;
  for (const EqualityJoint& held : tree) {
    for (std::uint32_t const body : {held.pushed_a, held.pushed_b}) {
      const Change& change = changes_[body];
      excess = maximum(excess, maximum(length(change.linear) / kJointSpeedUpMaxMS,
                                       length(change.angular) / kJointAngularSpeedupMaxRadS));
    }
  }
  for (const EqualityJoint& held : tree) {
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i)
      values_[i] += pushes_[i] / excess;
    changes_[held.pushed_a] = {};
    changes_[held.pushed_b] = {};
  }
}

template <class Real>
void JointSolver<Real>::solve_tree(const JointBodies<Real>& at, const NodeRange& nodes, bool use_bias) {
  std::span<EqualityJoint> const tree = std::span(equality_).subspan(nodes.first, nodes.end - nodes.first);
  std::span<double> const changes = values_;
  for (const EqualityJoint& held : tree) {
    Motion const a = motion_of(at, held.body_a);
    Motion const b = motion_of(at, held.body_b);
    if (held.is_ball) {
      Vec3<double> const asked = residual(held.ball, a, b);
      changes[held.first_row] = -asked.x;
      changes[held.first_row + 1] = -asked.y;
      changes[held.first_row + 2] = -asked.z;
      continue;
    }
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i)
      changes[i] = -residual(rows_[i], a, b);
  }
  factor_.solve(pattern_, nodes.first, nodes.end, changes);
  if (use_bias) push_back_drift(nodes);
  for (EqualityJoint& held : tree) {
    if (held.is_ball)
      held.ball.impulse +=
          {changes[held.first_row], changes[held.first_row + 1], changes[held.first_row + 2]};
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count && !held.is_ball; ++i)
      rows_[i].impulse += changes[i];
    collect_all(held, changes);
  }
}

#define TAKT_INSTANTIATE(Real)                                                                   \
  template void JointSolver<Real>::solve_scalar(const JointBodies<Real>&, EqualityJoint&, bool); \
  template void JointSolver<Real>::solve_tree(const JointBodies<Real>&, const NodeRange&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
