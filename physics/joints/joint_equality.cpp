#include "physics/joints/joint_equality.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/joints/joint_row_steps.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Rounds of the active set of a tree's limits in one pass, and changes of one limit after which it may not
/// begin to act again (prevents cycling). In 4 million passes of random trees 99.9 % end within three rounds.
constexpr int kMaxLimitRounds = 8;
constexpr int kMaxFlips = 5;

void store(std::vector<double>& values, std::uint32_t first, const Vec3<double>& v) noexcept {
  values[first] = v.x;
  values[first + 1] = v.y;
  values[first + 2] = v.z;
}

/// D^-1 on the diagonal of a factored block: a pivot is positive, or 0 when its row is redundant.
[[maybe_unused]] bool has_valid_pivots(const double* block, std::uint32_t size) noexcept {
  for (std::uint32_t r = 0; r < size; ++r) {
    if (block[r * size + r] < 0.0) return false;
  }
  return true;
}

RowPartOf<double> part_of(const EqualityJoint& joint, std::span<const EqualityRow> rows, std::uint32_t row,
                          bool of_a, const std::vector<SymMat64>& inverse_inertias) noexcept {
  if (!joint.is_point) return row_part(rows[joint.first_row + row], of_a);
  return point_row_part(row, of_a ? joint.point.r_a : joint.point.r_b,
                        inverse_inertias[of_a ? joint.moving_a : joint.moving_b]);
}

/// True for a row whose impulse comes from a constraint. Springs have energy of their own.
bool is_rigid(const EqualityRow& row) noexcept { return !row.soft || row.slot == kLimitSlot; }

/// Scales the impulses of the locked linear and of the locked angular coordinates to their maximum.
void clamp_to_maximum(const PreparedJoint& joint, std::span<const EqualityRow> rows,
                      std::span<double> changes) noexcept {
  for (bool const angular : {false, true}) {
    double const max = angular ? joint.max_angular : joint.max_linear;
    if (!(max < kUnbounded)) continue;
    auto const takes_part = [&](std::size_t i) {
      return rows[i].slot < kLockedSlots && (rows[i].slot >= 3) == angular;
    };
    double square = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double const impulse = rows[i].impulse + changes[i];
      if (takes_part(i)) square += impulse * impulse;
    }
    double const size = sqrt(square);
    if (!(size > max)) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double const old = rows[i].impulse;
      if (takes_part(i)) changes[i] = (old + changes[i]) * (max / size) - old;
    }
  }
}

}  // namespace

template <class Real>
void JointEquality<Real>::prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering) {
  pattern_.clear();
  node_pattern_.clear();
  joints_.clear();
  limits_.clear();
  rows_.resize(ordering.row_count());
  impulses_.resize(rows_.size());
  drift_.resize(rows_.size());
  for (std::uint32_t node = 0; node < ordering.nodes().size(); ++node) {
    const PreparedJoint& prepared = ordering.joints()[ordering.nodes()[node]];
    TAKT_ASSERT(prepared.node == node && prepared.first_row + prepared.row_count <= rows_.size());
    node_pattern_.add_node(prepared.row_count, {});
    EqualityJoint& joint = joints_.emplace_back();
    joint.joint = ordering.nodes()[node];
    joint.body_a = prepared.a.body;
    joint.body_b = prepared.b.body;
    joint.moving_a = prepared.a.moves ? prepared.a.body : 0;
    joint.moving_b = prepared.b.moves ? prepared.b.body : 0;
    joint.first_row = prepared.first_row;
    joint.row_count = prepared.row_count;
    joint.first_limit = static_cast<std::uint32_t>(limits_.size());
    joint.has_maximum = prepared.max_linear < kUnbounded || prepared.max_angular < kUnbounded;
    joint.inverse_mass_a = prepared.a.inverse_mass;
    joint.inverse_mass_b = prepared.b.inverse_mass;
    joint.is_point = prepared.is_point;
    if (joint.is_point) {
      joint.point = make_point_joint(prepared, state.joints[prepared.index]);
    } else {
      begin_rows(state, prepared);
    }
    joint.limit_count = static_cast<std::uint32_t>(limits_.size()) - joint.first_limit;
    if (prepared.loop_closing) continue;
    ordering.forest().upper(node, upper_);
    TAKT_ASSERT(upper_.empty() ||
                (upper_.front() > node && upper_.back() < ordering.forest().first_loop_closing()));
    pattern_.add_node(prepared.row_count, upper_);
  }
  pattern_.finish();
  node_pattern_.finish();
  mark_guarded_groups(ordering.forest());
}

/// Guarded: groups with a loop.
template <class Real>
void JointEquality<Real>::mark_guarded_groups(const EliminationForest& forest) {
  carried_.clear();
  any_guarded_ = false;
  for (EqualityJoint& joint : joints_) {
    joint.group = forest.group_of(joint.moving_a != 0 ? joint.moving_a : joint.moving_b);
    joint.is_guarded = joint.row_count > 0 && forest.is_looped(joint.group);
    any_guarded_ = any_guarded_ || joint.is_guarded;
    if (joint.is_guarded && carried_.size() <= joint.group) carried_.resize(joint.group + 1);
  }
}

/// Fields of the rows that last for the tick; compute_row() writes all others before they are read.
template <class Real>
void JointEquality<Real>::begin_rows(const WorldState<Real>& state, const PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  EqualityRow* row = rows_.data() + joint.first_row;
  for (std::uint32_t slot = 0; slot < kLockedSlots; ++slot) {
    if (!has_locked_row(record, slot)) continue;
    row->slot = slot;
    row->line_m = 0.0;
    (row++)->impulse = record.impulses[slot];
  }
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisRecord& axis_record = state.joint_axes[axis];
    if (is_equality(axis_record.def)) {
      row->slot = kLockedSlots;
      (row++)->impulse = axis_record.drive_impulse;
    }
    if (joint.loop_closing || !is_direct_limit(axis_record.def)) continue;
    limits_.push_back(make_direct_limit(axis_record.def, static_cast<std::uint32_t>(row - rows_.data()),
                                        axis_record.limit_impulse));
    row->slot = kLimitSlot;
    (row++)->impulse = limits_.back().side == 0 ? 0.0 : axis_record.limit_impulse;
  }
  TAKT_ASSERT(row == rows_.data() + joint.first_row + joint.row_count);
}

template <class Real>
void JointEquality<Real>::compute_row(const PreparedJoint& joint, std::uint32_t index,
                                      const JointCoordinate& coordinate, const Softness& softness,
                                      double error, const JointConstants& constants, bool relaxing) {
  TAKT_ASSERT(index < joint.row_count);
  EqualityRow& row = rows_[joint.first_row + index];
  set_jacobian(row, coordinate.direction);
  multiply_inertias(row, joint.a.moves, joint.a, joint.b.moves, joint.b);
  row.soft = !softness.is_rigid();
  if (relaxing && row.soft) return;
  row.error = error;
  row.softness = {};
  if (!row.soft) return;
  // Mobility 0: no body moves along the row (the plane's normal of a planar body). Its pivot excludes the
  // row.
  double const mobility = row_coupling<double>(row, row, along_axes(row.linear, joint.a.inverse_mass),
                                               along_axes(row.linear, joint.b.inverse_mass));
  if (mobility > 0.0) row.softness = softness.row(constants.tick.substep_s, mobility);
}

template <class Real>
void JointEquality<Real>::compute_limit(const PreparedJoint& joint, std::uint32_t index,
                                        const JointCoordinate& coordinate, const JointAxisDef& def,
                                        double substep_s) {
  TAKT_ASSERT(index < joint.row_count);
  std::uint32_t const row = joint.first_row + index;
  const EqualityJoint& equality = joints_[joint.node];
  auto const limits = std::span(limits_).subspan(equality.first_limit, equality.limit_count);
  auto const found = std::find_if(limits.begin(), limits.end(),
                                  [row](const DirectLimit& limit) { return limit.row == row; });
  TAKT_ASSERT(found != limits.end());
  DirectLimit& limit = *found;
  set_jacobian(limit.direction, coordinate.direction);
  multiply_inertias(limit.direction, joint.a.moves, joint.a, joint.b.moves, joint.b);
  limit.mobility = row_coupling<double>(limit.direction, limit.direction,
                                        along_axes(limit.direction.linear, joint.a.inverse_mass),
                                        along_axes(limit.direction.linear, joint.b.inverse_mass));
  limit.lower_gap = coordinate.value - limit.lower;
  limit.upper_gap = limit.upper - coordinate.value;
  rows_[row].line_m = def.axis == JointAxis::kDistance ? coordinate.value : 0.0;
  write_row(limit, substep_s, rows_[row]);
}

template <class Real>
void JointEquality<Real>::update_point_joints(const JointBodies<Real>& bodies,
                                              const JointInertias<Real>& inertias,
                                              std::span<const std::uint32_t> nodes) {
  for (std::uint32_t const node : nodes) {
    EqualityJoint& joint = joints_[node];
    if (!joint.is_point || (!inertias.is_stale(joint.moving_a) && !inertias.is_stale(joint.moving_b)))
      continue;
    TAKT_ASSERT(joint.row_count == 3);
    bool const static_a = joint.body_a == 0;
    bool const static_b = joint.body_b == 0;
    update_point_joint(joint.point, static_a, static_a ? BodyPoseOf<double>{} : bodies.pose_of(joint.body_a),
                       static_b, static_b ? BodyPoseOf<double>{} : bodies.pose_of(joint.body_b));
    joint.is_stale = true;
  }
}

template <class Real>
void JointEquality<Real>::fill_diagonal(EqualityJoint& joint, const JointInertias<Real>& inertias,
                                        double loop_compliance, double* block) {
  if (joint.is_point) {
    fill_point_block(joint.point, joint.inverse_mass_a + joint.inverse_mass_b,
                     inertias.inverse()[joint.moving_a], inertias.inverse()[joint.moving_b], loop_compliance,
                     block);
    return;
  }
  std::uint32_t const n = joint.row_count;
  EqualityRow* const rows = rows_.data() + joint.first_row;
  fill_diagonal_block(rows, n, joint.inverse_mass_a, joint.inverse_mass_b, block);
  for (std::uint32_t r = 0; r < n; ++r) {
    if (loop_compliance >= 0.0 && is_rigid(rows[r]))
      rows[r].softness.gamma = loop_compliance * block[r * n + r];
    block[r * n + r] += rows[r].softness.gamma;
  }
}

/// K between a node and the later nodes on its pivot `body`.
template <class Real>
void JointEquality<Real>::fill_couplings(std::uint32_t node, std::uint32_t body,
                                         const JointInertias<Real>& inertias,
                                         std::span<double> blocks) const {
  const EqualityJoint& joint = joints_[node];
  bool const by_a = joint.moving_a == body;
  TAKT_ASSERT(by_a || joint.moving_b == body);
  Vec3<double> const inverse_mass = by_a ? joint.inverse_mass_a : joint.inverse_mass_b;
  auto const upper = pattern_.upper(node);
  for (std::uint32_t k = 0; k < upper.size(); ++k) {
    const EqualityJoint& other = joints_[upper[k]];
    bool const of_a = other.moving_a == body;
    TAKT_ASSERT(of_a || other.moving_b == body);
    double* const block = blocks.data() + pattern_.below(node, k);
    if (joint.is_point && other.is_point) {
      fill_point_coupling(inverse_mass, inertias.inverse()[body], by_a ? joint.point.r_a : joint.point.r_b,
                          of_a ? other.point.r_a : other.point.r_b, by_a == of_a, block);
      continue;
    }
    fill_coupling_block<double>(
        joint.row_count, [&](std::uint32_t c) { return part_of(joint, rows_, c, by_a, inertias.inverse()); },
        other.row_count, [&](std::uint32_t r) { return part_of(other, rows_, r, of_a, inertias.inverse()); },
        inverse_mass, by_a == of_a, block);
  }
}

/// A tree with loops is always filled: its compliance differs between the passes.
template <class Real>
void JointEquality<Real>::fill_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                                    const JointInertias<Real>& inertias, double loop_compliance) {
  TAKT_ASSERT(nodes.first < nodes.end && nodes.end <= ordering.forest().first_loop_closing());
  bool const looped = ordering.forest().is_looped(ordering.forest().pivot(nodes.first));
  auto const tree = std::span(joints_).subspan(nodes.first, nodes.end - nodes.first);
  if (!looped && std::none_of(tree.begin(), tree.end(), [](const EqualityJoint& j) { return j.is_stale; }))
    return;
  factor_tree(nodes, ordering, inertias, looped ? loop_compliance : -1.0);
}

/// `loop_compliance` is negative without loops.
template <class Real>
void JointEquality<Real>::factor_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                                      const JointInertias<Real>& inertias, double loop_compliance) {
  std::span<double> const blocks = factor_.blocks(pattern_);
  std::span<double> const node_blocks = node_factor_.blocks(node_pattern_);
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    EqualityJoint& joint = joints_[node];
    double* const block = blocks.data() + pattern_.own(node);
    fill_diagonal(joint, inertias, loop_compliance, block);
    fill_couplings(node, ordering.forest().pivot(node), inertias, blocks);
    if (ordering.joints()[joint.joint].limit_count == 0) continue;
    double* const own = node_blocks.data() + node_pattern_.own(node);
    std::copy(block, block + std::size_t{joint.row_count} * joint.row_count, own);
    // A motor against a limit keeps its freedom: the limit may let it go.
    for (const DirectLimit& limit : std::span(limits_).subspan(joint.first_limit, joint.limit_count)) {
      std::uint32_t const row = limit.row - joint.first_row;
      for (std::uint32_t i = 0; i < joint.row_count; ++i)
        own[row * joint.row_count + i] = own[i * joint.row_count + row] = 0.0;
    }
    node_factor_.factor(node_pattern_, node, node + 1, kMinPivot);
  }
  factor_.factor(pattern_, nodes.first, nodes.end, kMinPivot);
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node)
    TAKT_VALIDATE(has_valid_pivots(blocks.data() + pattern_.own(node), joints_[node].row_count));
}

template <class Real>
void JointEquality<Real>::fill(const JointOrdering<Real>& ordering, const JointInertias<Real>& inertias,
                               std::span<const NodeRange> trees, double loop_compliance) {
  loop_compliance_ = loop_compliance;
  for (const NodeRange& tree : trees) fill_tree(tree, ordering, inertias, loop_compliance);
  std::span<double> const blocks = node_factor_.blocks(node_pattern_);
  for (std::uint32_t node = ordering.forest().first_loop_closing(); node < joints_.size(); ++node) {
    if (!joints_[node].is_stale) continue;
    double* const block = blocks.data() + node_pattern_.own(node);
    fill_diagonal(joints_[node], inertias, -1.0, block);
    node_factor_.factor(node_pattern_, node, node + 1, kMinPivot);
    TAKT_VALIDATE(has_valid_pivots(block, joints_[node].row_count));
  }
}

template <class Real>
void JointEquality<Real>::solve_node(std::uint32_t node, std::span<double> values) const {
  TAKT_ASSERT(values.size() == joints_[node].row_count);
  node_factor_.solve_node(node_pattern_, node, values);
}

template <class Real>
void JointEquality<Real>::apply(const EqualityJoint& joint, std::span<const double> impulses,
                                const JointPass<Real>& pass) const {
  if (joint.is_point) {
    Vec3<double> const impulse{impulses[joint.first_row], impulses[joint.first_row + 1],
                               impulses[joint.first_row + 2]};
    if (joint.moving_a != 0) {
      VelocityOf<double>& change = pass.changes[joint.moving_a];
      change.linear -= along_axes(impulse, joint.inverse_mass_a);
      change.angular -= multiply(pass.inverse_inertias[joint.moving_a], cross(joint.point.r_a, impulse));
    }
    if (joint.moving_b != 0) {
      VelocityOf<double>& change = pass.changes[joint.moving_b];
      change.linear += along_axes(impulse, joint.inverse_mass_b);
      change.angular += multiply(pass.inverse_inertias[joint.moving_b], cross(joint.point.r_b, impulse));
    }
    return;
  }
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
    if (joint.moving_a != 0)
      apply_to_a(pass.changes[joint.moving_a], rows_[i], joint.inverse_mass_a, impulses[i]);
    if (joint.moving_b != 0)
      apply_to_b(pass.changes[joint.moving_b], rows_[i], joint.inverse_mass_b, impulses[i]);
  }
}

/// impulses_ = `factor` x the impulses of a joint's rigid rows, and 0 for its springs.
template <class Real>
void JointEquality<Real>::store_carried(const EqualityJoint& joint, double factor) noexcept {
  if (joint.is_point) {
    store(impulses_, joint.first_row, joint.point.impulse * factor);
    return;
  }
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i)
    impulses_[i] = is_rigid(rows_[i]) ? rows_[i].impulse * factor : 0.0;
}

/// The work of the impulses of a joint's rigid rows at these velocities of a and b, J.
template <class Real>
double JointEquality<Real>::work_of(const EqualityJoint& joint, const VelocityOf<double>& a,
                                    const VelocityOf<double>& b) const noexcept {
  if (joint.is_point) {
    return dot(joint.point.impulse, (b.linear + cross(b.angular, joint.point.r_b)) -
                                        (a.linear + cross(a.angular, joint.point.r_a)));
  }
  double sum = 0.0;
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
    if (is_rigid(rows_[i])) sum += rows_[i].impulse * row_velocity(rows_[i], a, b);
  }
  return sum;
}

/// lambda . gamma lambda over a joint's rigid rows.
template <class Real>
double JointEquality<Real>::compliance_of(const EqualityJoint& joint) const noexcept {
  if (joint.is_point) return dot(along_axes(joint.point.gamma, joint.point.impulse), joint.point.impulse);
  double sum = 0.0;
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
    const EqualityRow& row = rows_[i];
    if (is_rigid(row)) sum += row.softness.gamma * row.impulse * row.impulse;
  }
  return sum;
}

template <class Real>
void JointEquality<Real>::begin_warm_start(std::span<const std::uint32_t> nodes,
                                           const JointPass<Real>& pass) {
  for (std::uint32_t const node : nodes) {
    const EqualityJoint& joint = joints_[node];
    if (joint.is_point) {
      store(impulses_, joint.first_row, joint.point.impulse);
      apply(joint, impulses_, pass);
      continue;
    }
    for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i)
      impulses_[i] = rows_[i].impulse;
  }
}

template <class Real>
void JointEquality<Real>::add_projected(const PreparedJoint& joint, std::span<const double> projection,
                                        double impulse) noexcept {
  for (std::uint32_t i = 0; i < joint.row_count; ++i)
    impulses_[joint.first_row + i] += projection[i] * impulse;
}

template <class Real>
void JointEquality<Real>::end_warm_start(std::span<const std::uint32_t> nodes, const JointPass<Real>& pass) {
  for (std::uint32_t const node : nodes) {
    if (!joints_[node].is_point) apply(joints_[node], impulses_, pass);
  }
}

template <class Real>
void JointEquality<Real>::guard_warm_start(std::span<const std::uint32_t> nodes, const JointPass<Real>& pass,
                                           std::span<PinImpulse> pins) {
  auto const for_guarded = [&](const auto& body) {
    for (std::uint32_t const node : nodes)
      if (joints_[node].is_guarded) body(joints_[node], carried_[joints_[node].group]);
  };
  auto const for_pins = [&](const auto& body) {
    for (PinImpulse& pin : pins)
      if (pin.group != 0) body(pin, carried_[pin.group]);
  };
  auto const work_of_pin = [](const PinImpulse& pin, const VelocityOf<double>& velocity) {
    return dot(pin.impulse, velocity.linear + cross(velocity.angular, pin.lever_arm));
  };
  for_guarded([&](const EqualityJoint& joint, Carried& carried) {
    carried = {};
    store_carried(joint, 1.0);
    apply(joint, impulses_, pass);
  });
  for_pins([&](const PinImpulse& pin, const Carried&) {
    pass.bodies.add_velocity(pin.body, pin.change);
    pass.changes.add(pin.body, pin.change);
  });
  for_guarded([&](const EqualityJoint& joint, Carried& carried) {
    carried.self +=
        work_of(joint, pass.changes[joint.moving_a], pass.changes[joint.moving_b]) + compliance_of(joint);
    carried.work +=
        work_of(joint, pass.bodies.velocity_of(joint.body_a), pass.bodies.velocity_of(joint.body_b)) +
        compliance_of(joint);
  });
  for_pins([&](const PinImpulse& pin, Carried& carried) {
    carried.self += work_of_pin(pin, pass.changes[pin.body]);
    carried.work += work_of_pin(pin, pass.bodies.velocity_of(pin.body));
  });
  for_guarded([&](const EqualityJoint& joint, const Carried&) {
    pass.changes.clear(joint.moving_a);
    pass.changes.clear(joint.moving_b);
  });
  // The bodies have moved by the impulses already: the work before is the difference.
  auto const factor_of = [](const Carried& carried) {
    return warm_start_factor(carried.work - carried.self, carried.self);
  };
  for_guarded([&](EqualityJoint& joint, const Carried& carried) {
    double const factor = factor_of(carried);
    if (factor == 1.0) return;
    store_carried(joint, factor - 1.0);
    apply(joint, impulses_, pass);
    add_impulses(joint);
  });
  for_pins([&](PinImpulse& pin, const Carried& carried) {
    double const factor = factor_of(carried);
    if (factor == 1.0) return;
    pass.changes.add(pin.body, {pin.change.linear * (factor - 1.0), pin.change.angular * (factor - 1.0)});
    pin.impulse = pin.impulse * factor;
  });
  for_guarded([&](const EqualityJoint& joint, const Carried& carried) {
    if (factor_of(carried) == 1.0) return;
    pass.changes.apply(pass.bodies, joint.moving_a);
    pass.changes.apply(pass.bodies, joint.moving_b);
  });
}

/// impulses_ = -(J v + gamma lambda), with the bias of soft rows.
template <class Real>
void JointEquality<Real>::store_residual(const EqualityJoint& joint, const JointPass<Real>& pass) {
  VelocityOf<double> const a = pass.bodies.velocity_of(joint.body_a);
  VelocityOf<double> const b = pass.bodies.velocity_of(joint.body_b);
  if (joint.is_point) {
    store(impulses_, joint.first_row, -residual(joint.point, a, b));
    return;
  }
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
    const EqualityRow& row = rows_[i];
    double const velocity = row_velocity(row, a, b);
    impulses_[i] = -((row.soft ? velocity + row.softness.bias_rate * row.error : velocity) +
                     row.softness.gamma * row.impulse);
  }
}

/// Subtracts the drift correction of rigid rows; `values` are of the joint's rows.
template <class Real>
void JointEquality<Real>::subtract_drift(const EqualityJoint& joint, double fraction, double substep_s,
                                         std::span<double> values) const noexcept {
  if (joint.is_point) {
    values[0] -= drift_velocity(joint.point.error.x, fraction, substep_s);
    values[1] -= drift_velocity(joint.point.error.y, fraction, substep_s);
    values[2] -= drift_velocity(joint.point.error.z, fraction, substep_s);
    return;
  }
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    if (!row.soft) values[i] -= drift_velocity(row.error, fraction, substep_s);
  }
}

template <class Real>
void JointEquality<Real>::solve_joint(const PreparedJoint& prepared, EqualityJoint& joint,
                                      const JointPass<Real>& pass) {
  std::span<double> const changes = std::span(impulses_).subspan(joint.first_row, joint.row_count);
  const SoftRow& soft = pass.constants.unit_row;
  double const substep_s = pass.constants.tick.substep_s;
  store_residual(joint, pass);
  if (pass.use_bias) subtract_drift(joint, soft.bias_rate * substep_s, substep_s, changes);
  node_factor_.solve_node(node_pattern_, static_cast<std::uint32_t>(&joint - joints_.data()), changes);
  if (joint.is_point) {
    Vec3<double> change{changes[0], changes[1], changes[2]};
    if (pass.use_bias) change = (change - joint.point.impulse * soft.gamma) * (1.0 / (1.0 + soft.gamma));
    joint.point.impulse += change;
    store(impulses_, joint.first_row, change);
  } else {
    std::span<EqualityRow> const rows = std::span(rows_).subspan(joint.first_row, joint.row_count);
    for (std::size_t i = 0; i < rows.size() && pass.use_bias; ++i) {
      if (!rows[i].soft) changes[i] = (changes[i] - soft.gamma * rows[i].impulse) / (1.0 + soft.gamma);
    }
    if (joint.has_maximum) clamp_to_maximum(prepared, rows, changes);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].impulse += changes[i];
  }
  apply(joint, impulses_, pass);
  pass.changes.apply(pass.bodies, joint.moving_a);
  pass.changes.apply(pass.bodies, joint.moving_b);
}

template <class Real>
void JointEquality<Real>::solve_loop_closing(const JointOrdering<Real>& ordering,
                                             const JointPass<Real>& pass) {
  for (std::uint32_t node = ordering.forest().first_loop_closing(); node < joints_.size(); ++node)
    solve_joint(ordering.joints()[joints_[node].joint], joints_[node], pass);
}

/// Adds the impulses that correct the drift of a tree, scaled so that no body gains more than the maximum
/// speed. The rest of a pass is a projection and adds no energy; drift correction can ask for any speed where
/// the joints can hardly hold, or not at all.
template <class Real>
void JointEquality<Real>::add_drift_correction(const NodeRange& nodes, const JointPass<Real>& pass) {
  auto const tree = std::span(joints_).subspan(nodes.first, nodes.end - nodes.first);
  for (const EqualityJoint& joint : tree) {
    std::span<double> const drift = std::span(drift_).subspan(joint.first_row, joint.row_count);
    std::fill(drift.begin(), drift.end(), 0.0);
    subtract_drift(joint, kTreeDriftFraction, pass.constants.tick.substep_s, drift);
  }
  factor_.solve(pattern_, nodes.first, nodes.end, drift_);
  for (const EqualityJoint& joint : tree) apply(joint, drift_, pass);
  double excess = 1.0;
  for (const EqualityJoint& joint : tree) {
    for (std::uint32_t const body : {joint.moving_a, joint.moving_b})
      excess = maximum(excess, drift_excess(pass.changes[body]));
  }
  for (const EqualityJoint& joint : tree) {
    for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i)
      impulses_[i] += drift_[i] / excess;
    pass.changes.clear(joint.moving_a);
    pass.changes.clear(joint.moving_b);
  }
}

template <class Real>
std::span<DirectLimit> JointEquality<Real>::limits_of(const NodeRange& nodes) noexcept {
  std::uint32_t const first = joints_[nodes.first].first_limit;
  const EqualityJoint& last = joints_[nodes.end - 1];
  return std::span(limits_).subspan(first, last.first_limit + last.limit_count - first);
}

/// impulses_ = impulse changes that satisfy the rows of a tree.
template <class Real>
void JointEquality<Real>::solve_residual(const NodeRange& nodes, const JointPass<Real>& pass) {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) store_residual(joints_[node], pass);
  factor_.solve(pattern_, nodes.first, nodes.end, impulses_);
}

template <class Real>
void JointEquality<Real>::clear_changes(const NodeRange& nodes, const JointPass<Real>& pass) const noexcept {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    pass.changes.clear(joints_[node].moving_a);
    pass.changes.clear(joints_[node].moving_b);
  }
}

/// Releases limits that would pull after the impulse changes of the round, or all that have not reached their
/// bound. Their accumulated impulses leave the bodies at once. True when one was released.
template <class Real>
bool JointEquality<Real>::release_limits(const NodeRange& nodes, bool unreached,
                                         const JointPass<Real>& pass) {
  bool released = false;
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = joints_[node];
    for (DirectLimit& limit : std::span(limits_).subspan(joint.first_limit, joint.limit_count)) {
      EqualityRow& row = rows_[limit.row];
      if (limit.side == 0 ||
          !(unreached ? row.soft : has_wrong_sign(limit, row.impulse + impulses_[limit.row])))
        continue;
      released = true;
      ++limit.flips;
      for (bool const of_a : {true, false}) {
        std::uint32_t const body = of_a ? joint.moving_a : joint.moving_b;
        if (body == 0 || row.impulse == 0.0) continue;
        VelocityOf<double> change;
        if (of_a) {
          apply_to_a(change, row, joint.inverse_mass_a, -row.impulse);
        } else {
          apply_to_b(change, row, joint.inverse_mass_b, -row.impulse);
        }
        pass.bodies.add_velocity(body, change);
      }
      limit.side = 0;
      row.impulse = 0.0;
      write_row(limit, pass.constants.tick.substep_s, row);
    }
  }
  return released;
}

/// Activates limits that are violated after the impulse changes of the round. True when there was one.
template <class Real>
bool JointEquality<Real>::activate_limits(const NodeRange& nodes, const JointPass<Real>& pass) {
  double const substep_s = pass.constants.tick.substep_s;
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) apply(joints_[node], impulses_, pass);
  auto const velocity_of = [&](std::uint32_t body, std::uint32_t moving) {
    VelocityOf<double> velocity = pass.bodies.velocity_of(body);
    if (moving == 0) return velocity;
    velocity.linear += pass.changes[moving].linear;
    velocity.angular += pass.changes[moving].angular;
    return velocity;
  };
  bool activated = false;
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = joints_[node];
    for (DirectLimit& limit : std::span(limits_).subspan(joint.first_limit, joint.limit_count)) {
      if (limit.side != 0 || limit.flips >= kMaxFlips) continue;
      limit.side = violated_side(limit, velocity_of(joint.body_a, joint.moving_a),
                                 velocity_of(joint.body_b, joint.moving_b), substep_s);
      if (limit.side == 0) continue;
      activated = true;
      ++limit.flips;
      write_row(limit, substep_s, rows_[limit.row]);
    }
  }
  clear_changes(nodes, pass);
  return activated;
}

/// impulses_ = impulse changes of the tree, with the limits that have to act. The rounds are bounded; the
/// last one keeps only limits at their bound, whose rows have no target speed: a projection.
template <class Real>
void JointEquality<Real>::solve_active_set(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                                           const JointInertias<Real>& inertias, const JointPass<Real>& pass) {
  bool const looped = ordering.forest().is_looped(ordering.forest().pivot(nodes.first));
  auto const factor = [&] { factor_tree(nodes, ordering, inertias, looped ? loop_compliance_ : -1.0); };
  for (DirectLimit& limit : limits_of(nodes)) limit.flips = 0;
  for (int round = 0; round < kMaxLimitRounds; ++round) {
    solve_residual(nodes, pass);
    if (!release_limits(nodes, false, pass) && !activate_limits(nodes, pass)) return;
    factor();
  }
  if (release_limits(nodes, true, pass)) factor();
  solve_residual(nodes, pass);
}

template <class Real>
void JointEquality<Real>::solve_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                                     const JointInertias<Real>& inertias, const JointPass<Real>& pass) {
  auto const tree = std::span(joints_).subspan(nodes.first, nodes.end - nodes.first);
  if (limits_of(nodes).empty()) {
    solve_residual(nodes, pass);
  } else {
    solve_active_set(nodes, ordering, inertias, pass);
  }
  if (pass.use_bias) add_drift_correction(nodes, pass);
  for (EqualityJoint& joint : tree) {
    add_impulses(joint);
    apply(joint, impulses_, pass);
  }
}

/// Adds impulses_ to the accumulated impulses of a joint.
template <class Real>
void JointEquality<Real>::add_impulses(EqualityJoint& joint) noexcept {
  if (joint.is_point) {
    joint.point.impulse +=
        {impulses_[joint.first_row], impulses_[joint.first_row + 1], impulses_[joint.first_row + 2]};
    return;
  }
  for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i)
    rows_[i].impulse += impulses_[i];
}

template <class Real>
void JointEquality<Real>::respond(const NodeRange& nodes, std::uint32_t body, const JointPass<Real>& pass) {
  VelocityOf<double> const change = pass.changes[body];
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = joints_[node];
    VelocityOf<double> const a = joint.moving_a == body ? change : VelocityOf<double>{};
    VelocityOf<double> const b = joint.moving_b == body ? change : VelocityOf<double>{};
    if (joint.is_point) {
      store(impulses_, joint.first_row,
            (a.linear + cross(a.angular, joint.point.r_a)) - (b.linear + cross(b.angular, joint.point.r_b)));
      continue;
    }
    for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i)
      impulses_[i] = -row_velocity(rows_[i], a, b);
  }
  factor_.solve(pattern_, nodes.first, nodes.end, impulses_);
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) apply(joints_[node], impulses_, pass);
}

template <class Real>
void JointEquality<Real>::add_response(const NodeRange& nodes) noexcept {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) add_impulses(joints_[node]);
}

template <class Real>
void JointEquality<Real>::apply_changes(const NodeRange& nodes, const JointPass<Real>& pass) const noexcept {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    pass.changes.apply(pass.bodies, joints_[node].moving_a);
    pass.changes.apply(pass.bodies, joints_[node].moving_b);
  }
}

template class JointEquality<float>;
template class JointEquality<Fixed>;

}  // namespace takt
