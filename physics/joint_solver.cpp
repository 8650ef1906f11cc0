#include "physics/joint_solver.h"

#include <algorithm>

#include "physics/locked_axes.h"
#include "physics/tuning.h"

namespace takt {
namespace {

std::uint32_t equality_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  std::uint32_t count = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    if ((record.locked >> c & 1u) != 0 && !(c < 3 ? record.linear : record.angular).is_idle()) ++count;
  }
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) count += is_equality(axes[at].def) ? 1u : 0u;
  return count;
}

std::uint32_t bounded_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  if (is_coupling(record.kind)) return has_coupling_row(record) ? 1 : 0;
  std::uint32_t count = 0;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    const JointAxisDef& def = axes[at].def;
    count += (def.friction > 0.0 ? 1u : 0u) + (def.max_motor > 0.0 ? 1u : 0u) + (is_bounded_hold(def) ? 1u : 0u) + (has_limit(def) ? 1u : 0u);
  }
  return count;
}

/// What its rows ask of a pose: a gear that ties it may ask for more.
JointParts parts_of(const JointRecord& record, const JointAxisPool& axes) noexcept {
  bool turns = is_coupling(record.kind) || record.locked >= lock_of(JointAxis::kAngularX);
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    JointAxis const axis = axes[at].def.axis;
    turns = turns || (axis >= JointAxis::kAngularX && axis != JointAxis::kDistance);
  }
  return turns ? JointParts::kAll : JointParts::kPoints;
}

}  // namespace

/// Whether its rows depend on nothing but where its bodies are, so that those of a relax pass serve the next substep: springs keep errors of where a substep began,
/// and gears look at other joints.
template <class Real>
bool JointSolver<Real>::is_steady(const WorldState<Real>& state, const PreparedJoint& joint) const noexcept {
  const JointRecord& record = state.joints[joint.index];
  if (is_coupling(record.kind) || !record.linear.is_rigid() || !record.angular.is_rigid()) return false;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
    const JointAxisDef& def = state.joint_axes[at].def;
    if (is_equality(def) || is_bounded_hold(def) || (has_limit(def) && !def.limit_softness.is_rigid())) return false;
  }
  // In trees with loops the rows give in one pass and not in the other, and bounded rows know by how much.
  return joint.bounded_count == 0 || joint.alone || !forest_.is_looped(joint.a.moves ? joint.a.body : joint.b.body);
}

template <class Real>
void JointSolver<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& at, double substep_s, std::uint32_t substeps) {
  substep_s_ = substep_s;
  substeps_ = substeps;
  alone_softness_ = Softness::frequency(kContactHertzPerSubstepRate / substep_s, kContactDampingRatio);
  alone_row_ = alone_softness_.row(substep_s, 1.0);
  joints_.clear();
  if (state.joints.alive_count == 0) return;
  gather(state, at);
  arrange(state, at);
}

template <class Real>
void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>& contacts) const {
  if (joints_.empty()) return;
  for (PreparedContact<Real>& contact : contacts) {
    std::uint32_t const a = contact.dynamic_a ? forest_.group_of(contact.body_a) : 0;
    contact.joined = a != 0 && contact.dynamic_b && a == forest_.group_of(contact.body_b);
  }
}

template <class Real>
void JointSolver<Real>::gather(const WorldState<Real>& state, const JointBodies<Real>& at) {
  prepared_.assign(state.joints.capacity(), 0);
  auto const row_body = [&](std::uint32_t body) {
    std::uint32_t const place = at.solver_index[body];
    RowBody row;
    row.body = place;
    row.moves = place != 0 && at.moving[place].dynamic;
    if (!row.moves) return row;
    const SolverMass<Real>& mass = at.masses[place];
    double const inverse = to_double(mass.inverse_mass);
    row.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{inverse, inverse, inverse});
    row.inverse_inertia = to_sym_mat64(mass.inverse_inertia);
    return row;
  };
  // Gears last: they look at the joints that they tie.
  for (bool const gears : {false, true}) {
    for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
      if (!state.joints.alive(i)) continue;
      const JointRecord& record = state.joints[i];
      if ((record.kind == JointKind::kGear) != gears || !record.enabled || record.broken) continue;
      const BodyRecord<Real>& a = state.bodies[record.body_a];
      const BodyRecord<Real>& b = state.bodies[record.body_b];
      if (!a.enabled || !b.enabled) continue;
      PreparedJoint joint;
      joint.index = i;
      joint.kind = record.kind;
      joint.locked = record.locked;
      joint.parts = parts_of(record, state.joint_axes);
      joint.a = row_body(record.body_a);
      joint.b = row_body(record.body_b);
      bool const tied = gears && (prepared_[record.coupling.joint_1.index] == 0 || prepared_[record.coupling.joint_2.index] == 0);
      if (tied || !(joint.a.moves || joint.b.moves)) continue;
      joint.rotation_a = to_double(a.motion.rotation);
      joint.rotation_b = to_double(b.motion.rotation);
      joint.frame_a = record.frame_a.rotation;
      joint.frame_b = record.frame_b.rotation;
      joint.local_a = record.frame_a.position_m - to_double(a.local_center);
      joint.local_b = record.frame_b.position_m - to_double(b.local_center);
      joint.between = relative<double>(b.motion.center, a.motion.center);
      if (joint.parts == JointParts::kAll) joint.turns = record.turns;
      joint.max_linear = record.max_force * substep_s_;
      joint.max_angular = record.max_torque * substep_s_;
      joints_.push_back(joint);
      prepared_[i] = static_cast<std::uint32_t>(joints_.size());
      if (!gears) continue;
      for (JointId const other : {record.coupling.joint_1, record.coupling.joint_2}) joints_[prepared_[other.index] - 1].parts = JointParts::kAll;
    }
  }
}

template <class Real>
void JointSolver<Real>::arrange(const WorldState<Real>& state, const JointBodies<Real>& at) {
  auto const body_count = static_cast<std::uint32_t>(at.bodies.size());
  forest_joints_.clear();
  for (const PreparedJoint& joint : joints_) {
    const JointRecord& record = state.joints[joint.index];
    bool const bounded = record.max_force < kUnbounded || record.max_torque < kUnbounded;
    forest_joints_.push_back(
        {joint.a.moves ? joint.a.body : 0, joint.b.moves ? joint.b.body : 0, record.direct && !bounded && !is_coupling(record.kind)});
  }
  forest_.build(forest_joints_, body_count);
  pattern_.clear();
  own_pattern_.clear();
  held_.clear();
  only_balls_ = true;
  std::uint32_t bounded_rows = 0;
  for (std::uint32_t place = 0; place < joints_.size(); ++place) {
    PreparedJoint& joint = joints_[forest_.order()[place]];
    const JointRecord& record = state.joints[joint.index];
    joint.node = place;
    joint.alone = place >= forest_.alone();
    joint.row_count = equality_count(record, state.joint_axes);
    own_pattern_.add_node(joint.row_count, {});
    joint.first_row = own_pattern_.first_row(place);
    HeldJoint& held = held_.emplace_back();
    held.joint = forest_.order()[place];
    held.node = place;
    held.body_a = joint.a.body;
    held.body_b = joint.b.body;
    held.pushed_a = joint.a.moves ? joint.a.body : 0;
    held.pushed_b = joint.b.moves ? joint.b.body : 0;
    held.first_row = joint.first_row;
    held.row_count = joint.row_count;
    held.is_bounded = joint.max_linear < kUnbounded || joint.max_angular < kUnbounded;
    held.inverse_mass_a = joint.a.inverse_mass;
    held.inverse_mass_b = joint.b.inverse_mass;
    joint.is_ball = is_ball(state, joint);
    only_balls_ = only_balls_ && joint.is_ball;
    if (joint.is_ball) make_ball(state, joint, held);
    if (joint.alone) continue;
    forest_.upper(place, upper_);
    pattern_.add_node(joint.row_count, upper_);
  }
  pattern_.finish();
  own_pattern_.finish();
  for (PreparedJoint& joint : joints_) {
    joint.first_bounded = bounded_rows;
    joint.bounded_count = bounded_count(state.joints[joint.index], state.joint_axes);
    bounded_rows += joint.bounded_count;
    joint.is_steady = is_steady(state, joint);
  }
  rows_.resize(own_pattern_.rows());
  for (const HeldJoint& held : held_) {
    if (!held.is_ball) std::fill_n(rows_.begin() + held.first_row, held.row_count, EqualityRow{});
  }
  bounded_.assign(bounded_rows, {});
  changes_.assign(body_count, {});
  pulls_.assign(body_count, {});
  touched_.clear();
  for (const PreparedJoint& joint : joints_) {
    if (joint.a.moves) touched_.push_back(joint.a.body);
    if (joint.b.moves) touched_.push_back(joint.b.body);
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  inertias_.resize(body_count);
  inertias_[0] = {};
  given_inertias_.resize(body_count);
  for (std::uint32_t const body : touched_) {
    given_inertias_[body] = has_angular(at.masses[body].locked_axes) ? to_sym_mat64(at.masses[body].inverse_inertia)
                                                                     : to_sym_mat64(state.bodies[at.moving[body].index].inverse_inertia);
  }
  placed_.resize(body_count);
  stale_.assign(body_count, 0);
  tamed_.assign(body_count, 0);
  fresh_ = true;
}

template <class Real>
void JointSolver<Real>::begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = false;
  build_all(state, at);
  fresh_ = false;
  tame_swings(state, at);
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
  remember_spins(at);
}

template <class Real>
void JointSolver<Real>::begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = true;
  build_all(state, at);
  fill_matrix();
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& at, bool use_bias) {
  share_spins(at);
  for (BoundedRow& row : bounded_) solve_bounded(at, row, use_bias);
  for (std::uint32_t place = forest_.alone(); place < held_.size(); ++place) solve_alone(at, held_[place], use_bias);
  if (pattern_.rows() > 0) solve_trees(at, use_bias);
  remember_spins(at);
}

#define TAKT_INSTANTIATE(Real)                                                                                        \
  template void JointSolver<Real>::prepare(const WorldState<Real>&, const JointBodies<Real>&, double, std::uint32_t); \
  template void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>&) const;                            \
  template void JointSolver<Real>::begin_substep(const WorldState<Real>&, const JointBodies<Real>&);                  \
  template void JointSolver<Real>::begin_relax(const WorldState<Real>&, const JointBodies<Real>&);                    \
  template void JointSolver<Real>::solve(const JointBodies<Real>&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
