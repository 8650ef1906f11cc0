#include "physics/joints/joint_ordering.h"

#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// In prepared_: a colour batch solves the joint.
constexpr std::uint32_t kBatchedJoint = 0xffffffffu;

std::uint32_t equality_count(const JointRecord& record, const JointAxisPool& axes, bool in_tree) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < kLockedSlots; ++slot) count += has_locked_row(record, slot) ? 1u : 0u;
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = axes[axis].next)
    count += (is_equality(axes[axis].def) ? 1u : 0u) + (in_tree && is_direct_limit(axes[axis].def) ? 1u : 0u);
  return count;
}

std::uint32_t limit_count_of(const JointRecord& record, const JointAxisPool& axes, bool in_tree) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = axes[axis].next) {
    const JointAxisDef& def = axes[axis].def;
    count += (def.friction > 0.0 ? 1u : 0u) + (def.max_motor > 0.0 ? 1u : 0u) +
             (is_limited_drive(def) ? 1u : 0u) +
             (has_limit(def) && !(in_tree && is_direct_limit(def)) ? 1u : 0u);
  }
  return count;
}

bool has_linear_axis(const JointRecord& record, const JointAxisPool& axes) noexcept {
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = axes[axis].next) {
    JointAxis const coordinate = axes[axis].def.axis;
    if (coordinate < JointAxis::kAngularX || coordinate == JointAxis::kDistance) return true;
  }
  return false;
}

/// Parts of the pose that the joint's own rows need; a gear on the joint may need more.
JointParts parts_of(const JointRecord& record, const JointAxisPool& axes) noexcept {
  bool angular = is_coupling(record.kind) || record.locked >= lock_of(JointAxis::kAngularX);
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = axes[axis].next) {
    JointAxis const coordinate = axes[axis].def.axis;
    angular = angular || (coordinate >= JointAxis::kAngularX && coordinate != JointAxis::kDistance);
  }
  return angular ? JointParts::kAll : JointParts::kPoints;
}

template <class Real>
RowBody row_body(const JointBodies<Real>& bodies, std::uint32_t pool_index) noexcept {
  RowBody row;
  row.body = bodies.solver_index[pool_index];
  row.moves = bodies.moving[row.body].dynamic;
  if (!row.moves) return row;
  const SolverMass<Real>& mass = bodies.masses[row.body];
  double const inverse = to_double(mass.inverse_mass);
  row.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{inverse, inverse, inverse});
  row.inverse_inertia = to_sym_mat64(mass.inverse_inertia);
  return row;
}

}  // namespace

template <class Real>
void JointOrdering<Real>::clear() noexcept {
  acting_.clear();
  joints_.clear();
}

template <class Real>
PreparedJoint& JointOrdering<Real>::prepared(std::uint32_t index) noexcept {
  TAKT_ASSERT(index < prepared_.size());
  TAKT_ASSERT(prepared_[index] - 1 < joints_.size());
  return joints_[prepared_[index] - 1];
}

template <class Real>
void JointOrdering<Real>::build(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                double substep_s, std::vector<BatchedPointJoint>& batched) {
  clear();
  list_acting(state, bodies);
  forest_.build(forest_joints_, static_cast<std::uint32_t>(bodies.bodies.size()));
  prepare_joints(state, bodies, substep_s, batched);
  assign_nodes(state);
  assign_limits(state);
}

template <class Real>
void JointOrdering<Real>::list_acting(const WorldState<Real>& state, const JointBodies<Real>& bodies) {
  prepared_.assign(state.joints.capacity(), 0);
  forest_joints_.clear();
  bool any_gears = false;
  auto const list = [&](std::uint32_t index, const JointRecord& record) {
    if (!record.enabled || record.broken || !state.bodies[record.body_a].enabled ||
        !state.bodies[record.body_b].enabled)
      return;
    auto const moving = [&](std::uint32_t pool_index) {
      std::uint32_t const body = bodies.solver_index[pool_index];
      return bodies.moving[body].dynamic ? body : 0u;
    };
    std::uint32_t const a = moving(record.body_a);
    std::uint32_t const b = moving(record.body_b);
    if (a == 0 && b == 0) return;
    bool const has_maximum = record.max_force < kUnbounded || record.max_torque < kUnbounded;
    bool const direct = record.direct && !has_maximum && !is_coupling(record.kind);
    prepared_[index] = kBatchedJoint;
    acting_.push_back(index);
    forest_joints_.push_back({a, b, direct, direct && is_point_joint(record)});
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
  for (std::uint32_t i = 0; i < state.joints.capacity() && any_gears; ++i) {
    const JointRecord& record = state.joints[i];
    if (!state.joints.alive(i) || record.kind != JointKind::kGear) continue;
    if (prepared_[record.coupling.joint_1.index] != 0 && prepared_[record.coupling.joint_2.index] != 0)
      list(i, record);
  }
}

template <class Real>
void JointOrdering<Real>::prepare_joints(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                         double substep_s, std::vector<BatchedPointJoint>& batched) {
  for (std::size_t slot = 0; slot < acting_.size(); ++slot) {
    std::uint32_t const index = acting_[slot];
    const JointRecord& record = state.joints[index];
    if (forest_.is_batched(slot)) {
      const ForestJoint& joint = forest_joints_[slot];
      TAKT_ASSERT(joint.point && record.kind != JointKind::kGear);
      batched.push_back({index, bodies.solver_index[record.body_a], bodies.solver_index[record.body_b],
                         joint.body_a, joint.body_b});
      continue;
    }
    const BodyRecord<Real>& a = state.bodies[record.body_a];
    const BodyRecord<Real>& b = state.bodies[record.body_b];
    PreparedJoint& joint = joints_.emplace_back();
    prepared_[index] = static_cast<std::uint32_t>(joints_.size());
    joint.index = index;
    joint.is_point = is_point_joint(record);
    joint.kind = record.kind;
    joint.locked = record.locked;
    joint.parts = parts_of(record, state.joint_axes);
    joint.a = row_body(bodies, record.body_a);
    joint.b = row_body(bodies, record.body_b);
    joint.frames = {to_double(a.motion.rotation),
                    to_double(b.motion.rotation),
                    record.frame_a.rotation,
                    record.frame_b.rotation,
                    record.frame_a.position_m - to_double(a.local_center),
                    record.frame_b.position_m - to_double(b.local_center),
                    relative<double>(b.motion.center, a.motion.center)};
    joint.max_linear = record.max_force * substep_s;
    joint.max_angular = record.max_torque * substep_s;
    if (record.kind == JointKind::kGear) {
      for (JointId const other : {record.coupling.joint_1, record.coupling.joint_2})
        prepared(other.index).parts = JointParts::kAll;
    }
    if (joint.parts == JointParts::kAll) joint.revolutions = record.revolutions;
  }
}

template <class Real>
void JointOrdering<Real>::assign_nodes(const WorldState<Real>& state) {
  const std::vector<std::uint32_t>& order = forest_.order();
  TAKT_ASSERT(order.size() == joints_.size());
  nodes_.resize(order.size());
  row_count_ = 0;
  for (std::uint32_t node = 0; node < order.size(); ++node) {
    PreparedJoint& joint = prepared(acting_[order[node]]);
    nodes_[node] = static_cast<std::uint32_t>(&joint - joints_.data());
    joint.node = node;
    joint.loop_closing = node >= forest_.first_loop_closing();
    joint.first_row = row_count_;
    joint.row_count = equality_count(state.joints[joint.index], state.joint_axes, !joint.loop_closing);
    TAKT_ASSERT(joint.row_count <= kMaxJointRows);
    row_count_ += joint.row_count;
  }
}

template <class Real>
void JointOrdering<Real>::assign_limits(const WorldState<Real>& state) {
  limit_count_ = 0;
  coupling_count_ = 0;
  for (PreparedJoint& joint : joints_) {
    const JointRecord& record = state.joints[joint.index];
    joint.first_limit = limit_count_;
    joint.limit_count =
        is_coupling(joint.kind) ? 0 : limit_count_of(record, state.joint_axes, !joint.loop_closing);
    joint.limit_tension = has_linear_axis(record, state.joint_axes);
    limit_count_ += joint.limit_count;
    if (has_coupling_row(record)) joint.coupling = coupling_count_++;
    TAKT_ASSERT(joint.coupling == kNoIndex || joint.row_count == 0);
    joint.is_steady = is_steady(state, joint);
  }
}

/// True when the rows depend on nothing but the poses of the bodies, so that the rows of a relax pass serve
/// the next substep. Soft rows and drives keep the error of the substep's start, and gears read other joints.
template <class Real>
bool JointOrdering<Real>::is_steady(const WorldState<Real>& state,
                                    const PreparedJoint& joint) const noexcept {
  const JointRecord& record = state.joints[joint.index];
  if (is_coupling(record.kind) || !record.linear.is_rigid() || !record.angular.is_rigid()) return false;
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisDef& def = state.joint_axes[axis].def;
    if (is_equality(def) || is_limited_drive(def) || (has_limit(def) && !def.limit_softness.is_rigid()))
      return false;
  }
  // In trees with loops the equality rows are compliant in the biased pass only, and limit rows are projected
  // by that compliance.
  return joint.limit_count == 0 || joint.loop_closing ||
         !forest_.is_looped(joint.a.moves ? joint.a.body : joint.b.body);
}

template class JointOrdering<float>;
template class JointOrdering<Fixed>;

}  // namespace takt
