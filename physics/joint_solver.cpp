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
  if (fresh_) list_lone(state);
  build_all(state, at);
  bool const fresh = fresh_;
  if (!equal_.empty() && (fresh || shifted_)) equal_.place(tree_source(), at, stale_, fresh);
  if (!woven_.empty()) place_woven(at, fresh_ || moved);
  fresh_ = false;
  tame_swings(state, at);
  if (!woven_.empty() && !swings_.empty()) place_woven(at, false);
  fill_matrix(at, !fresh);
  // Warm start: what the equality rows gave way for a bounded row comes back with it.
  values_.resize(rows_.size());
  pushes_.resize(rows_.size());
  for (std::uint32_t const node : lone_nodes_) {
    const HeldJoint& held = held_[node];
    if (held.is_ball) collect(held, held.ball.impulse);
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count && !held.is_ball; ++i) values_[i] = rows_[i].impulse;
  }
  for (std::uint32_t const place : lone_rows_) {
    BoundedRow& row = bounded_[place];
    if (!(row.mobility > 0.0)) row.impulse = 0.0;
    const auto& [sides, share] = sides_of(row);
    for (std::uint32_t s = 0; s < row.side_count; ++s) collect(sides[s], row.impulse);
    const PreparedJoint& joint = joints_[row.joint];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) values_[joint.first_row + i] += share[i] * row.impulse;
  }
  for (std::uint32_t const node : lone_nodes_) {
    if (!held_[node].is_ball) collect_all(held_[node], values_);
  }
  for (std::uint32_t const body : lone_bodies_) apply(at, body);
  if (!equal_.empty()) equal_.warm_start(at);
  if (!woven_.empty()) woven_.warm_start(at);
  remember_spins(at);
}

/// Which trees are solved in lanes, and what is not.
template <class Real>
void JointSolver<Real>::list_lone(const WorldState<Real>& state) {
  marked_.assign(changes_.size(), 0);
  auto const mix = [this](std::uint32_t body) { marked_[forest_.group_of(body)] = 1; };
  for (const WovenBall& ball : woven_.balls()) mix(ball.pushed_a != 0 ? ball.pushed_a : ball.pushed_b);
  for (const HeldJoint& held : std::span(held_).subspan(forest_.alone())) {
    mix(held.pushed_a != 0 ? held.pushed_a : held.pushed_b);
    const PreparedJoint& joint = joints_[held.joint];
    if (joint.kind != JointKind::kGear || joint.bounded_count == 0) continue;
    const JointCoupling& gear = state.joints[joint.index].coupling;
    for (JointId const tied : {gear.joint_1, gear.joint_2}) {
      const PreparedJoint& other = joints_[prepared_[tied.index] - 1];
      for (const RowBody* body : {&other.a, &other.b}) {
        if (body->moves) mix(body->body);
      }
    }
  }
  equal_.arrange(tree_source(), lanes_, marked_, lone_trees_);
  lone_nodes_.clear();
  for (const HeldJoint& held : held_) {
    if (!held.in_lanes) lone_nodes_.push_back(held.node);
  }
  lone_joints_.clear();
  lone_rows_.clear();
  for (std::uint32_t place = 0; place < joints_.size(); ++place) {
    const PreparedJoint& joint = joints_[place];
    if (joint.is_ball || held_[joint.node].in_lanes) continue;
    lone_joints_.push_back(place);
    for (std::uint32_t k = 0; k < joint.bounded_count; ++k) lone_rows_.push_back(joint.first_bounded + k);
  }
  marked_.assign(changes_.size(), 0);
  for (const HeldJoint& held : held_) {
    if (held.in_lanes) marked_[held.pushed_a] = marked_[held.pushed_b] = 1;
  }
  lone_bodies_.clear();
  for (std::uint32_t const body : touched_) {
    if (marked_[body] == 0) lone_bodies_.push_back(body);
  }
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
  fill_matrix(at, true);
  woven_.set_tensors(inertias_);
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& at, bool use_bias) {
  share_spins(at);
  if (!equal_.empty()) equal_.solve(at, {substep_s_, &alone_softness_}, use_bias);
  for (std::uint32_t const row : lone_rows_) solve_bounded(at, bounded_[row], use_bias);
  for (std::uint32_t place = forest_.alone(); place < held_.size(); ++place) solve_alone(at, held_[place], use_bias);
  for (const NodeRange& tree : lone_trees_) solve_tree(at, tree, use_bias);
  if (pattern_.rows() > 0) {
    for (std::uint32_t const body : lone_bodies_) apply(at, body);
  }
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
