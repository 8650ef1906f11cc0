// Rows whose impulse is bounded: limits, motors, friction and holds with a largest force, one by one (CONSTRAINTS 1.10).
#include "physics/joint_solver.h"

#include "physics/tuning.h"

namespace takt {

/// Takes what a bounded row remembers into the tick.
template <class Real>
BoundedRow& JointSolver<Real>::next_bounded(PreparedJoint& joint, std::uint32_t& count, BoundedKind kind, double impulse) {
  BoundedRow& row = bounded_[joint.first_bounded + count++];
  row.kind = kind;
  row.joint = static_cast<std::uint32_t>(&joint - joints_.data());
  if (fresh_) row.impulse = impulse;
  return row;
}

template <class Real>
void JointSolver<Real>::add_axis(const JointAxisRecord& axis, std::uint32_t index, const JointCoordinate& found, PreparedJoint& joint,
                                 std::uint32_t& rows, std::uint32_t& bounded) {
  const JointAxisDef& def = axis.def;
  double const line_m = def.axis == JointAxis::kDistance ? found.value : 0.0;
  if (is_equality(def)) {
    EqualityRow& row = rows_[joint.first_row + rows++];
    set_row(joint, row, found, def.hold_softness, found.value - def.target);
    row.line_m = line_m;
    if (fresh_) row.impulse = axis.hold_impulse;
  }
  auto const add = [&](BoundedKind kind, double impulse) -> BoundedRow& {
    BoundedRow& row = next_bounded(joint, bounded, kind, impulse);
    row.axis = index;
    row.direction = found.direction;
    row.lines_m = {line_m, line_m};
    return row;
  };
  if (def.friction > 0.0) add(BoundedKind::kFriction, axis.friction_impulse).most = def.friction * substep_s_;
  if (def.max_motor > 0.0) {
    BoundedRow& row = add(BoundedKind::kMotor, axis.motor_impulse);
    row.most = def.max_motor * substep_s_;
    row.speed = def.speed;
  }
  if (is_bounded_hold(def)) {
    BoundedRow& row = add(BoundedKind::kHold, axis.hold_impulse);
    row.most = def.max_hold * substep_s_;
    if (!relaxing_) row.error = found.value - def.target;
    row.said = def.hold_softness;
  }
  if (has_limit(def)) {
    BoundedRow& row = add(BoundedKind::kLimit, axis.limit_impulse);
    row.said = def.limit_softness;
    if (!relaxing_ || row.said.is_rigid()) {  // a spring pushes by where the substep began
      row.above_lower = has_lower(def) ? found.value - def.lower : kUnbounded;
      row.below_upper = def.upper - found.value;
    }
  }
}

/// Leaves the row's part that its joint's equality rows do not hold.
template <class Real>
void JointSolver<Real>::project(BoundedRow& row) {
  const PreparedJoint& joint = joints_[row.joint];
  auto& [sides, share] = sides_of(row);
  if (!is_coupling_row(row.kind)) {
    sides[0] = side_a(joint.a, row.direction);
    sides[1] = side_b(joint.b, row.direction);
  }
  auto const mobility = [&row, &sides = sides] {
    double sum = 0.0;
    for (std::uint32_t s = 0; s < row.side_count; ++s) sum += side_coupling(sides[s], sides[s]);
    return sum;
  };
  double const whole = mobility();
  share = {};
  if (!is_coupling_row(row.kind) && joint.row_count > 0) {
    const RowSide& a = sides[0];
    const RowSide& b = sides[1];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& held = rows_[joint.first_row + i];
      double const by_a = a.moves ? dot(held.linear, a.linear_change) + dot(held.turn_a, a.angular_change) : 0.0;
      double const by_b = b.moves ? dot(held.linear, b.linear_change) + dot(held.turn_b, b.angular_change) : 0.0;
      share[i] = by_b - by_a;
    }
    own_factor_.solve_node(own_pattern_, joint.node, std::span(share).first(joint.row_count));
    Vec3<double> linear = b.linear;
    Vec3<double> angular_a = a.angular;
    Vec3<double> angular_b = b.angular;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& held = rows_[joint.first_row + i];
      linear -= held.linear * share[i];
      angular_a += held.turn_a * share[i];
      angular_b -= held.turn_b * share[i];
    }
    sides[0] = joint.a.side(-linear, angular_a);
    sides[1] = joint.b.side(linear, angular_b);
  }
  row.mobility = mobility();
  if (!(row.mobility > kLeastFreedom * whole)) row.mobility = 0.0;  // held already
  if (row.mobility > 0.0 && !relaxing_) row.softness = row.said.row(substep_s_, row.mobility);
}

/// Of joints whose rows are new.
template <class Real>
void JointSolver<Real>::project_all() {
  if (bounded_.empty()) return;
  for (const PreparedJoint& joint : joints_) {
    if (!held_[joint.node].is_stale || held_[joint.node].in_lanes) continue;
    for (std::uint32_t k = 0; k < joint.bounded_count; ++k) project(bounded_[joint.first_bounded + k]);
  }
}

template <class Real>
void JointSolver<Real>::solve_bounded(const JointBodies<Real>& at, BoundedRow& row, bool use_bias) {
  if (!(row.mobility > 0.0)) return;
  const auto& [sides, share] = sides_of(row);
  double velocity = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s) velocity += side_velocity(sides[s], at.bodies.data());
  double const without = velocity - row.mobility * row.impulse;
  double const rate = 1.0 / substep_s_;
  bool const soft = !row.said.is_rigid();
  // Rigid rows are as soft as contacts are while they push back, and rigid in the relax pass.
  bool const may_give = row.kind != BoundedKind::kFriction && row.kind != BoundedKind::kMotor;
  SoftRow const rigid = use_bias && may_give && !soft ? alone_softness_.row(substep_s_, row.mobility) : SoftRow{};
  double const bias_rate = soft ? row.softness.bias_rate : rigid.bias_rate;
  double const gamma = soft ? row.softness.gamma : rigid.gamma;
  double const give = row.mobility + gamma;
  auto const taken_back = [&](double error) { return soft ? bias_rate * error : held_within(bias_rate * error, kJointPushMax); };
  double impulse = 0.0;
  switch (row.kind) {
    case BoundedKind::kFriction: impulse = held_within(-without / row.mobility, row.most); break;
    case BoundedKind::kMotor: impulse = held_within((row.speed - without) / row.mobility, row.most); break;
    case BoundedKind::kHold: impulse = held_within(-(without + taken_back(row.error)) / give, row.most); break;
    case BoundedKind::kGear: impulse = held_within(-(without + taken_back(row.error)) / give, row.most); break;
    case BoundedKind::kLimit:
    case BoundedKind::kPulley: {
      // A bound that is not reached leaves the way to it free; one that is passed pushes back. A soft one lets pass, and is a spring from the next substep on:
      // what it did not push for on the way in is at most what implicit Euler takes in that substep, so that no arrival gains energy.
      auto const needed = [&](double room, double sign) {
        bool const reached = room <= 0.0;
        if (soft && !reached) return 0.0;
        double const target = reached ? taken_back(-room) : -room * rate;
        return (target - sign * without) / (reached ? give : row.mobility);
      };
      double const lower = row.above_lower < kUnbounded ? needed(row.above_lower, 1.0) : 0.0;
      double const upper = row.below_upper < kUnbounded ? needed(row.below_upper, -1.0) : 0.0;
      impulse = lower > 0.0 ? lower : upper > 0.0 ? -upper : 0.0;
      if (row.kind == BoundedKind::kPulley) impulse = held_within(impulse, row.most);
      break;
    }
  }
  double const change = impulse - row.impulse;
  if (change == 0.0) return;
  row.impulse = impulse;
  const PreparedJoint& joint = joints_[row.joint];
  for (std::uint32_t i = 0; i < joint.row_count; ++i) rows_[joint.first_row + i].impulse -= share[i] * change;
  for (std::uint32_t s = 0; s < row.side_count; ++s) push(at, sides[s], change);
}

#define TAKT_INSTANTIATE(Real)                                                                                                             \
  template BoundedRow& JointSolver<Real>::next_bounded(PreparedJoint&, std::uint32_t&, BoundedKind, double);                               \
  template void JointSolver<Real>::add_axis(const JointAxisRecord&, std::uint32_t, const JointCoordinate&, PreparedJoint&, std::uint32_t&, \
                                            std::uint32_t&);                                                                               \
  template void JointSolver<Real>::project_all();                                                                                          \
  template void JointSolver<Real>::solve_bounded(const JointBodies<Real>&, BoundedRow&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
