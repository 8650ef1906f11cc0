#include "physics/joint_solver.h"

namespace takt {

template <class Real>
void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>& contacts) const {
  if (empty()) return;
  for (PreparedContact<Real>& contact : contacts) {
    std::uint32_t const a = contact.dynamic_a ? forest_.group_of(contact.body_a) : 0;
    contact.joined = a != 0 && contact.dynamic_b && a == forest_.group_of(contact.body_b);
  }
}

template <class Real>
void JointSolver<Real>::begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at, bool moved) {
  relaxing_ = false;
  build_all(state, at);
  if (!woven_.empty()) place_woven(at, fresh_ || moved);
  fresh_ = false;
  tame_swings(state, at);
  if (!woven_.empty() && !swings_.empty()) place_woven(at, false);
  fill_matrix();
  // Warm start: what the equality rows gave way for a bounded row comes back with it.
  values_.resize(rows_.size());
  for (const HeldJoint& held : held_) {
    if (held.is_ball) collect(held, held.ball.impulse);
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count && !held.is_ball; ++i) values_[i] = rows_[i].impulse;
  }
  for (BoundedRow& row : bounded_) {
    if (!(row.mobility > 0.0)) row.impulse = 0.0;
    for (std::uint32_t s = 0; s < row.side_count; ++s) collect(row.sides[s], row.impulse);
    const PreparedJoint& joint = joints_[row.joint];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) values_[joint.first_row + i] += row.share[i] * row.impulse;
  }
  for (const HeldJoint& held : held_) {
    if (!held.is_ball) collect_all(held, values_);
  }
  for (std::uint32_t const body : touched_) apply(at, body);
  if (!woven_.empty()) woven_.warm_start(at);
  remember_spins(at);
}

/// Woven balls where the bodies are now: all of them, or those whose bodies may have been raised since the relax pass.
template <class Real>
void JointSolver<Real>::place_woven(const JointBodies<Real>& at, bool all) {
  woven_.set_tensors(inertias_);
  woven_.place(at, !all);
}

template <class Real>
void JointSolver<Real>::begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = true;
  build_all(state, at);
  fill_matrix();
  woven_.set_tensors(inertias_);
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& at, bool use_bias) {
  share_spins(at);
  for (BoundedRow& row : bounded_) solve_bounded(at, row, use_bias);
  for (std::uint32_t place = forest_.alone(); place < held_.size(); ++place) solve_alone(at, held_[place], use_bias);
  if (pattern_.rows() > 0) solve_trees(at, use_bias);
  if (!woven_.empty() && use_bias) woven_.solve(at);
  if (!woven_.empty() && relaxing_) woven_.relax(at);
  remember_spins(at);
}

#define TAKT_INSTANTIATE(Real)                                                                             \
  template void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>&) const;                 \
  template void JointSolver<Real>::begin_substep(const WorldState<Real>&, const JointBodies<Real>&, bool); \
  template void JointSolver<Real>::begin_relax(const WorldState<Real>&, const JointBodies<Real>&);         \
  template void JointSolver<Real>::solve(const JointBodies<Real>&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
