// Rows whose impulse is bounded: limits, motors, friction and holds with a largest force, one by one
// (CONSTRAINTS 1.10).
#include "physics/joints/joint_solver.h"

#include "physics/base/solver_constants.h"

namespace takt {

/// What the rows of a joint are and remember for the whole tick. All else of them is said where they are
/// built, before anything asks for it.
template <class Real>
void JointSolver<Real>::begin_rows(const WorldState<Real>& state, PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  EqualityRow* row = rows_.data() + joint.first_row;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    if ((joint.locked >> c & 1u) == 0 || (c < 3 ? record.linear : record.angular).is_idle()) continue;
    row->slot = c;
    row->line_m = 0.0;
    (row++)->impulse = record.impulses[c];
  }
  LimitRow* next = limited_.data() + joint.first_limit;
  auto const add = [&](LimitKind kind, double impulse) -> LimitRow& {
    next->kind = kind;
    next->joint = static_cast<std::uint32_t>(&joint - joints_.data());
    next->axis = kNoIndex;
    next->side_count = 2;
    next->impulse = impulse;
    next->said = {};
    next->softness = {};
    return *next++;
  };
  for (std::uint32_t index = record.first_axis; index != kNoIndex; index = state.joint_axes[index].next) {
    const JointAxisRecord& axis = state.joint_axes[index];
    const JointAxisDef& def = axis.def;
    auto const add_along = [&](LimitKind kind, double impulse, double max) -> LimitRow& {
      LimitRow& limited = add(kind, impulse);
      limited.axis = index;
      limited.along = def.axis;
      limited.max = max * substep_s_;
      return limited;
    };
    if (is_equality(def)) {
      row->slot = kLockedSlots;
      (row++)->impulse = axis.drive_impulse;
    }
    if (def.friction > 0.0) add_along(LimitKind::kFriction, axis.friction_impulse, def.friction);
    if (def.max_motor > 0.0)
      add_along(LimitKind::kMotor, axis.motor_impulse, def.max_motor).speed = def.speed;
    if (is_limited_drive(def))
      add_along(LimitKind::kDrive, axis.drive_impulse, def.max_drive).said = def.drive_softness;
    if (has_limit(def)) {
      LimitRow& limit = add_along(LimitKind::kLimit, axis.limit_impulse, 0.0);
      limit.said = def.limit_softness;
      limit.lower = has_lower(def) ? def.lower : -kUnbounded;
      limit.upper = def.upper;
    }
  }
  if (has_coupling_row(record))
    add(joint.kind == JointKind::kPulley ? LimitKind::kPulley : LimitKind::kGear, record.coupling_impulse);
}

/// The rows of an axis where it is now: its next equality row, if it has one, and its bounded rows.
template <class Real>
void JointSolver<Real>::add_axis(const JointAxisDef& def, std::uint32_t index, const JointCoordinate& found,
                                 const PreparedJoint& joint, std::uint32_t& rows, std::uint32_t& limited) {
  double const line_m = def.axis == JointAxis::kDistance ? found.value : 0.0;
  if (is_equality(def)) {
    EqualityRow& row = rows_[joint.first_row + rows++];
    set_row(joint, row, found, def.drive_softness, found.value - def.target);
    row.line_m = line_m;
  }
  for (; limited < joint.limit_count && limited_[joint.first_limit + limited].axis == index; ++limited) {
    LimitRow& row = limited_[joint.first_limit + limited];
    row.direction = found.direction;
    row.lines_m = {line_m, line_m};
    if (row.kind == LimitKind::kDrive && !relaxing_) row.error = found.value - def.target;
    if (row.kind != LimitKind::kLimit || (relaxing_ && !row.said.is_rigid()))
      continue;  // a spring pushes by where the substep began
    row.above_lower = found.value - row.lower;
    row.below_upper = row.upper - found.value;
  }
}

/// Leaves the row's part that its joint's equality rows do not hold.
template <class Real>
void JointSolver<Real>::project(LimitRow& row) {
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
  double const unpacked = mobility();
  share = {};
  if (!is_coupling_row(row.kind) && joint.row_count > 0) {
    const RowSide& a = sides[0];
    const RowSide& b = sides[1];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& held = rows_[joint.first_row + i];
      double const by_a =
          a.moves ? dot(held.linear, a.linear_change) + dot(held.jacobian_a, a.angular_change) : 0.0;
      double const by_b =
          b.moves ? dot(held.linear, b.linear_change) + dot(held.jacobian_b, b.angular_change) : 0.0;
      share[i] = by_b - by_a;
    }
    own_factor_.solve_node(own_pattern_, joint.node, std::span(share).first(joint.row_count));
    Vec3<double> linear = b.linear;
    Vec3<double> angular_a = a.angular;
    Vec3<double> angular_b = b.angular;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& held = rows_[joint.first_row + i];
      linear -= held.linear * share[i];
      angular_a += held.jacobian_a * share[i];
      angular_b -= held.jacobian_b * share[i];
    }
    sides[0] = joint.a.side(-linear, angular_a);
    sides[1] = joint.b.side(linear, angular_b);
  }
  row.mobility = mobility();
  if (!(row.mobility > kMinFreedom * unpacked)) row.mobility = 0.0;  // held already
  if (row.mobility > 0.0 && !relaxing_) row.softness = row.said.row(substep_s_, row.mobility);
}

/// Of joints whose rows are new.
template <class Real>
void JointSolver<Real>::project_all() {
  if (limited_.empty()) return;
  for (std::uint32_t const slot : loop_joints_) {
    const PreparedJoint& joint = joints_[slot];
    if (!equality_[joint.node].is_stale) continue;
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) project(limited_[joint.first_limit + k]);
  }
}

template <class Real>
void JointSolver<Real>::solve_limits(const JointBodies<Real>& at, LimitRow& row, bool use_bias) {
  if (!(row.mobility > 0.0)) return;
  const auto& [sides, share] = sides_of(row);
  double velocity = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s) velocity += side_velocity(sides[s], at.bodies.data());
  double const without = velocity - row.mobility * row.impulse;
  double const rate = 1.0 / substep_s_;
  bool const soft = !row.said.is_rigid();
  // Rigid rows are as soft as contacts are while they push back, and rigid in the relax pass.
  bool const is_compliant = row.kind != LimitKind::kFriction && row.kind != LimitKind::kMotor;
  SoftRow const rigid =
      use_bias && is_compliant && !soft ? scalar_softness_.row(substep_s_, row.mobility) : SoftRow{};
  double const bias_rate = soft ? row.softness.bias_rate : rigid.bias_rate;
  double const gamma = soft ? row.softness.gamma : rigid.gamma;
  double const compliance = row.mobility + gamma;
  auto const taken_back = [&](double error) {
    return soft ? bias_rate * error : equality_within(bias_rate * error, kJointPushMax);
  };
  double impulse = 0.0;
  switch (row.kind) {
    case LimitKind::kFriction: impulse = equality_within(-without / row.mobility, row.max); break;
    case LimitKind::kMotor: impulse = equality_within((row.speed - without) / row.mobility, row.max); break;
    case LimitKind::kDrive:
      impulse = equality_within(-(without + taken_back(row.error)) / compliance, row.max);
      break;
    case LimitKind::kGear:
      impulse = equality_within(-(without + taken_back(row.error)) / compliance, row.max);
      break;
    case LimitKind::kLimit:
    case LimitKind::kPulley: {
      // A bound that is not reached leaves the way to it free; one that is passed pushes back. A soft one
      // lets pass, and is a spring from the next substep on: what it did not push for on the way in is at
      // most what implicit Euler takes in that substep, so that no arrival gains energy.
      auto const needed = [&](double room, double sign) {
        bool const reached = room <= 0.0;
        if (soft && !reached) return 0.0;
        double const target = reached ? taken_back(-room) : -room * rate;
        return (target - sign * without) / (reached ? compliance : row.mobility);
      };
      double const lower = row.above_lower < kUnbounded ? needed(row.above_lower, 1.0) : 0.0;
      double const upper = row.below_upper < kUnbounded ? needed(row.below_upper, -1.0) : 0.0;
      impulse = lower > 0.0 ? lower : upper > 0.0 ? -upper : 0.0;
      if (row.kind == LimitKind::kPulley) impulse = equality_within(impulse, row.max);
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

#define TAKT_INSTANTIATE(Real)                                                                          \
  template void JointSolver<Real>::begin_rows(const WorldState<Real>&, PreparedJoint&);                 \
  template void JointSolver<Real>::add_axis(const JointAxisDef&, std::uint32_t, const JointCoordinate&, \
                                            const PreparedJoint&, std::uint32_t&, std::uint32_t&);      \
  template void JointSolver<Real>::project_all();                                                       \
  template void JointSolver<Real>::solve_limits(const JointBodies<Real>&, LimitRow&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
