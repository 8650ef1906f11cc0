#include "physics/joints/joint_solver.h"

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
void JointSolver<Real>::begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at,
                                      bool moved) {
  relaxing_ = false;
  if (fresh_) list_loop(state);
  build_all(state, at);
  bool const fresh = fresh_;
  if (!tree_batches_.empty() && (fresh || shifted_))
    tree_batches_.compute_rows(tree_source(), at, stale_, fresh);
  if (!batches_.empty()) prepare_batches(at, fresh_ || moved);
  fresh_ = false;
  condition_inertias(state, at);
  if (!batches_.empty() && !conditioned_.empty()) prepare_batches(at, false);
  fill_matrix(at, !fresh);
  // Warm start: what the equality rows gave way for a bounded row comes back with it.
  values_.resize(rows_.size());
  pushes_.resize(rows_.size());
  for (std::uint32_t const node : loop_nodes_) {
    const EqualityJoint& held = equality_[node];
    if (held.is_ball) collect(held, held.ball.impulse);
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count && !held.is_ball; ++i)
      values_[i] = rows_[i].impulse;
  }
  for (std::uint32_t const slot : loop_rows_) {
    LimitRow& row = limited_[slot];
    if (!(row.mobility > 0.0)) row.impulse = 0.0;
    const auto& [sides, share] = sides_of(row);
    for (std::uint32_t s = 0; s < row.side_count; ++s) collect(sides[s], row.impulse);
    const PreparedJoint& joint = joints_[row.joint];
    for (std::uint32_t i = 0; i < joint.row_count; ++i)
      values_[joint.first_row + i] += share[i] * row.impulse;
  }
  for (std::uint32_t const node : loop_nodes_) {
    if (!equality_[node].is_ball) collect_all(equality_[node], values_);
  }
  for (std::uint32_t const body : loop_bodies_) apply(at, body);
  if (!tree_batches_.empty()) tree_batches_.warm_start(at);
  if (!batches_.empty()) batches_.warm_start(at);
  store_angular_velocities(at);
}

/// Which trees are solved in lanes, and what is not.
template <class Real>
void JointSolver<Real>::list_loop(const WorldState<Real>& state) {
  marked_.assign(changes_.size(), 0);
  auto const mix = [this](std::uint32_t body) { marked_[forest_.group_of(body)] = 1; };
  for (const BatchedPointJoint& ball : batches_.balls())
    mix(ball.pushed_a != 0 ? ball.pushed_a : ball.pushed_b);
  for (const EqualityJoint& held : std::span(equality_).subspan(forest_.first_loop_closing())) {
    mix(held.pushed_a != 0 ? held.pushed_a : held.pushed_b);
    const PreparedJoint& joint = joints_[held.joint];
    if (joint.kind != JointKind::kGear || joint.limit_count == 0) continue;
    const JointCoupling& gear = state.joints[joint.index].coupling;
    for (JointId const tied : {gear.joint_1, gear.joint_2}) {
      const PreparedJoint& other = joints_[prepared_[tied.index] - 1];
      for (const RowBody* body : {&other.a, &other.b}) {
        if (body->moves) mix(body->body);
      }
    }
  }
  tree_batches_.arrange(tree_source(), lanes_, marked_, loop_trees_);
  loop_nodes_.clear();
  for (const EqualityJoint& held : equality_) {
    if (!held.in_lanes) loop_nodes_.push_back(held.node);
  }
  loop_joints_.clear();
  loop_rows_.clear();
  for (std::uint32_t slot = 0; slot < joints_.size(); ++slot) {
    const PreparedJoint& joint = joints_[slot];
    if (joint.is_ball || equality_[joint.node].in_lanes) continue;
    loop_joints_.push_back(slot);
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) loop_rows_.push_back(joint.first_limit + k);
  }
  marked_.assign(changes_.size(), 0);
  for (const EqualityJoint& held : equality_) {
    if (held.in_lanes) marked_[held.pushed_a] = marked_[held.pushed_b] = 1;
  }
  loop_bodies_.clear();
  for (std::uint32_t const body : touched_) {
    if (marked_[body] == 0) loop_bodies_.push_back(body);
  }
}

/// Woven balls where the bodies are now: all of them, or those whose bodies may have been raised since the
/// relax pass.
template <class Real>
void JointSolver<Real>::prepare_batches(const JointBodies<Real>& at, bool all) {
  batches_.set_tensors(inertias_);
  batches_.compute_rows(at, !all);
}

template <class Real>
void JointSolver<Real>::begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = true;
  build_all(state, at);
  fill_matrix(at, true);
  batches_.set_tensors(inertias_);
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& at, bool use_bias) {
  average_angular_velocities(at);
  if (!tree_batches_.empty()) tree_batches_.solve(at, {substep_s_, &scalar_softness_}, use_bias);
  for (std::uint32_t const row : loop_rows_) solve_limits(at, limited_[row], use_bias);
  for (std::uint32_t slot = forest_.first_loop_closing(); slot < equality_.size(); ++slot)
    solve_scalar(at, equality_[slot], use_bias);
  for (const NodeRange& tree : loop_trees_) solve_tree(at, tree, use_bias);
  if (pattern_.rows() > 0) {
    for (std::uint32_t const body : loop_bodies_) apply(at, body);
  }
  if (!batches_.empty() && use_bias) batches_.solve(at);
  if (!batches_.empty() && relaxing_) batches_.relax(at);
  store_angular_velocities(at);
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
