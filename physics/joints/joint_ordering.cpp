// Which joints act in a tick and in what order: lists, forest, blocks of rows.
#include "physics/joints/joint_solver.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"

namespace takt {
namespace {

std::uint32_t equality_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  std::uint32_t count = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    if ((record.locked >> c & 1u) != 0 && !(c < 3 ? record.linear : record.angular).is_idle()) ++count;
  }
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next)
    count += is_equality(axes[at].def) ? 1u : 0u;
  return count;
}

std::uint32_t limit_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  if (is_coupling(record.kind)) return has_coupling_row(record) ? 1 : 0;
  std::uint32_t count = 0;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    const JointAxisDef& def = axes[at].def;
    count += (def.friction > 0.0 ? 1u : 0u) + (def.max_motor > 0.0 ? 1u : 0u) +
             (is_limited_drive(def) ? 1u : 0u) + (has_limit(def) ? 1u : 0u);
  }
  return count;
}

bool limit_tension(const JointRecord& record, const JointAxisPool& axes) noexcept {
  bool tension = is_coupling(record.kind);
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    tension =
        tension || axes[at].def.axis < JointAxis::kAngularX || axes[at].def.axis == JointAxis::kDistance;
  }
  return tension;
}

/// A rigid ball and socket of which nothing else is asked. None of its coordinates can be geared
/// (can_be_geared), so nothing else looks at its rows.
bool is_ball(const JointRecord& record) noexcept {
  constexpr std::uint8_t kLinear =
      lock_of(JointAxis::kLinearX) | lock_of(JointAxis::kLinearY) | lock_of(JointAxis::kLinearZ);
  return record.locked == kLinear && record.linear.is_rigid() && record.first_axis == kNoIndex &&
         !is_coupling(record.kind) && !(record.max_force < kUnbounded);
}

/// What its rows ask of a pose: a gear that ties it may ask for more.
JointParts parts_of(const JointRecord& record, const JointAxisPool& axes) noexcept {
  bool revolutions = is_coupling(record.kind) || record.locked >= lock_of(JointAxis::kAngularX);
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    JointAxis const axis = axes[at].def.axis;
    revolutions = revolutions || (axis >= JointAxis::kAngularX && axis != JointAxis::kDistance);
  }
  return revolutions ? JointParts::kAll : JointParts::kPoints;
}

}  // namespace

/// Whether its rows depend on nothing but where its bodies are, so that those of a relax pass serve the next
/// substep: springs keep errors of where a substep began, and gears look at other joints.
template <class Real>
bool JointSolver<Real>::is_steady(const WorldState<Real>& state, const PreparedJoint& joint) const noexcept {
  const JointRecord& record = state.joints[joint.index];
  if (is_coupling(record.kind) || !record.linear.is_rigid() || !record.angular.is_rigid()) return false;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
    const JointAxisDef& def = state.joint_axes[at].def;
    if (is_equality(def) || is_limited_drive(def) || (has_limit(def) && !def.limit_softness.is_rigid()))
      return false;
  }
  // In trees with loops the rows give in one pass and not in the other, and bounded rows know by how much.
  return joint.limit_count == 0 || joint.scalar ||
         !forest_.is_looped(joint.a.moves ? joint.a.body : joint.b.body);
}

template <class Real>
void JointSolver<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& at,
                                const JointTick& tick) {
  substep_s_ = tick.substep_s;
  substeps_ = tick.substeps;
  lanes_ = tick.lanes;
  scalar_softness_ = Softness::frequency(kContactHertzPerSubstepRate / substep_s_, kContactDampingRatio);
  scalar_row_ = scalar_softness_.row(substep_s_, 1.0);
  acting_.clear();
  joints_.clear();
  batches_.clear();
  tree_batches_.clear();
  if (state.joints.alive_count == 0) return;
  list_acting(state, at);
  forest_.build(forest_joints_, static_cast<std::uint32_t>(at.bodies.size()));
  gather(state, at);
  if (!batches_.empty()) {
    joint_bodies_.clear();
    for (const PreparedJoint& joint : joints_) {
      for (const RowBody* body : {&joint.a, &joint.b}) {
        if (body->moves) joint_bodies_.push_back(body->body);
      }
    }
    batches_.prepare(state, at, tick, joint_bodies_);
  }
  arrange(state, at);
}

/// The joints that act, in id order, gears last.
template <class Real>
void JointSolver<Real>::list_acting(const WorldState<Real>& state, const JointBodies<Real>& at) {
  prepared_.assign(state.joints.capacity(), 0);
  forest_joints_.clear();
  bool any_gears = false;
  auto const list = [&](std::uint32_t i, const JointRecord& record) {
    if (!record.enabled || record.broken || !state.bodies[record.body_a].enabled ||
        !state.bodies[record.body_b].enabled)
      return;
    auto const pushed = [&](std::uint32_t body) {
      std::uint32_t const slot = at.solver_index[body];
      return at.moving[slot].dynamic ? slot : 0u;
    };
    std::uint32_t const a = pushed(record.body_a);
    std::uint32_t const b = pushed(record.body_b);
    if (a == 0 && b == 0) return;
    bool const limited = record.max_force < kUnbounded || record.max_torque < kUnbounded;
    bool const direct = record.direct && !limited && !is_coupling(record.kind);
    prepared_[i] = kBatchedJoint;
    acting_.push_back(i);
    forest_joints_.push_back({a, b, direct, direct && is_ball(record)});
  };
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i)) continue;
    const JointRecord& record = state.joints[i];
    if (record.kind == JointKind::kGear) {
      any_gears = true;
    } else {
      list(i, record);
    }
  }
  // They look at the joints that they tie.
  for (std::uint32_t i = 0; i < state.joints.capacity() && any_gears; ++i) {
    const JointRecord& record = state.joints[i];
    if (!state.joints.alive(i) || record.kind != JointKind::kGear) continue;
    if (prepared_[record.coupling.joint_1.index] != 0 && prepared_[record.coupling.joint_2.index] != 0)
      list(i, record);
  }
}

/// What is woven goes to batches_, all others into joints_.
template <class Real>
void JointSolver<Real>::gather(const WorldState<Real>& state, const JointBodies<Real>& at) {
  auto const row_body = [&](std::uint32_t body) {
    std::uint32_t const slot = at.solver_index[body];
    RowBody row;
    row.body = slot;
    row.moves = at.moving[slot].dynamic;
    if (!row.moves) return row;
    const SolverMass<Real>& mass = at.masses[slot];
    double const inverse = to_double(mass.inverse_mass);
    row.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{inverse, inverse, inverse});
    row.inverse_inertia = to_sym_mat64(mass.inverse_inertia);
    return row;
  };
  for (std::size_t slot = 0; slot < acting_.size(); ++slot) {
    std::uint32_t const i = acting_[slot];
    const JointRecord& record = state.joints[i];
    if (forest_.is_batched(slot)) {
      const ForestJoint& joint = forest_joints_[slot];
      batches_.balls().push_back(
          {i, at.solver_index[record.body_a], at.solver_index[record.body_b], joint.body_a, joint.body_b});
      continue;
    }
    const BodyRecord<Real>& a = state.bodies[record.body_a];
    const BodyRecord<Real>& b = state.bodies[record.body_b];
    PreparedJoint& joint = joints_.emplace_back();
    prepared_[i] = static_cast<std::uint32_t>(joints_.size());
    joint.index = i;
    joint.is_ball = is_ball(record);
    joint.kind = record.kind;
    joint.locked = record.locked;
    joint.parts = parts_of(record, state.joint_axes);
    joint.a = row_body(record.body_a);
    joint.b = row_body(record.body_b);
    joint.rotation_a = to_double(a.motion.rotation);
    joint.rotation_b = to_double(b.motion.rotation);
    joint.frame_a = record.frame_a.rotation;
    joint.frame_b = record.frame_b.rotation;
    joint.local_a = record.frame_a.position_m - to_double(a.local_center);
    joint.local_b = record.frame_b.position_m - to_double(b.local_center);
    joint.delta_center = relative<double>(b.motion.center, a.motion.center);
    joint.max_linear = record.max_force * substep_s_;
    joint.max_angular = record.max_torque * substep_s_;
    if (record.kind == JointKind::kGear) {
      for (JointId const other : {record.coupling.joint_1, record.coupling.joint_2})
        joints_[prepared_[other.index] - 1].parts = JointParts::kAll;
    }
    if (joint.parts == JointParts::kAll) joint.revolutions = record.revolutions;
  }
}

template <class Real>
void JointSolver<Real>::arrange(const WorldState<Real>& state, const JointBodies<Real>& at) {
  auto const body_count = static_cast<std::uint32_t>(at.bodies.size());
  pattern_.clear();
  own_pattern_.clear();
  equality_.clear();
  std::uint32_t limit_rows = 0;
  for (std::uint32_t slot = 0; slot < joints_.size(); ++slot) {
    std::uint32_t const of_joint = prepared_[acting_[forest_.order()[slot]]] - 1;
    PreparedJoint& joint = joints_[of_joint];
    const JointRecord& record = state.joints[joint.index];
    joint.node = slot;
    joint.scalar = slot >= forest_.first_loop_closing();
    joint.row_count = equality_count(record, state.joint_axes);
    own_pattern_.add_node(joint.row_count, {});
    joint.first_row = own_pattern_.first_row(slot);
    EqualityJoint& held = equality_.emplace_back();
    held.joint = of_joint;
    held.node = slot;
    held.body_a = joint.a.body;
    held.body_b = joint.b.body;
    held.pushed_a = joint.a.moves ? joint.a.body : 0;
    held.pushed_b = joint.b.moves ? joint.b.body : 0;
    held.first_row = joint.first_row;
    held.row_count = joint.row_count;
    held.is_limited = joint.max_linear < kUnbounded || joint.max_angular < kUnbounded;
    held.inverse_mass_a = joint.a.inverse_mass;
    held.inverse_mass_b = joint.b.inverse_mass;
    if (joint.is_ball) make_ball(state, joint, held);
    if (joint.scalar) continue;
    forest_.upper(slot, upper_);
    pattern_.add_node(joint.row_count, upper_);
  }
  pattern_.finish();
  own_pattern_.finish();
  for (PreparedJoint& joint : joints_) {
    joint.first_limit = limit_rows;
    joint.limit_count = limit_count(state.joints[joint.index], state.joint_axes);
    joint.limit_tension = limit_tension(state.joints[joint.index], state.joint_axes);
    limit_rows += joint.limit_count;
    joint.is_steady = is_steady(state, joint);
  }
  substeps_left_ = substeps_;
  rows_.resize(own_pattern_.rows());
  limited_.resize(limit_rows);
  sides_.resize(limit_rows);
  for (PreparedJoint& joint : joints_) {
    if (!joint.is_ball) begin_rows(state, joint);
  }
  changes_.resize(body_count);
  tensions_.resize(body_count);
  touched_.clear();
  for (const PreparedJoint& joint : joints_) {
    if (joint.a.moves) touched_.push_back(joint.a.body);
    if (joint.b.moves) touched_.push_back(joint.b.body);
  }
  for (std::uint32_t const ball : batches_.special()) {
    if (batches_.balls()[ball].pushed_a != 0) touched_.push_back(batches_.balls()[ball].pushed_a);
    if (batches_.balls()[ball].pushed_b != 0) touched_.push_back(batches_.balls()[ball].pushed_b);
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  inertias_.resize(body_count);
  inertias_[0] = {};
  given_inertias_.resize(body_count);
  for (std::uint32_t const body : touched_) {
    changes_[body] = {};
    given_inertias_[body] = has_angular(at.masses[body].locked_axes)
                                ? to_sym_mat64(at.masses[body].inverse_inertia)
                                : to_sym_mat64(state.bodies[at.moving[body].index].inverse_inertia);
  }
  placed_.resize(body_count);
  stale_.assign(body_count, 0);
  tamed_.assign(body_count, 0);
  fresh_ = true;
}

#define TAKT_INSTANTIATE(Real)                                                                \
  template void JointSolver<Real>::prepare(const WorldState<Real>&, const JointBodies<Real>&, \
                                           const JointTick&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
