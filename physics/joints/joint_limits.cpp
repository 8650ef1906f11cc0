#include "physics/joints/joint_limits.h"

#include "physics/base/solver_constants.h"
#include "physics/joints/joint_row_steps.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// A soft limit (bumper) pushes from the first substep that finds its bound passed. On the way in it then
/// lacks at most the impulse that implicit Euler would take in one substep, so that no arrival gains energy.
double soft_limit_impulse(const LimitRow& row, double free_velocity) noexcept {
  double const compliance = row.mobility + row.soft_row.gamma;
  auto const impulse = [&](double gap, double sign) {
    if (!(gap <= 0.0)) return 0.0;
    return (row.soft_row.bias_rate * -gap - sign * free_velocity) / compliance;
  };
  double const lower = impulse(row.lower_gap_or_max, 1.0);
  double const upper = impulse(row.upper_gap_or_speed, -1.0);
  return lower > 0.0 ? lower : upper > 0.0 ? -upper : 0.0;
}

[[maybe_unused]] bool is_within_bounds(const LimitRow& row, double impulse) noexcept {
  if (impulse != impulse) return true;  // a body with non-finite numbers, quarantined at the end of the step
  if (row.kind != LimitKind::kLimit) return absolute(impulse) <= row.lower_gap_or_max;
  return impulse == 0.0 ||
         (impulse > 0.0 ? row.lower_gap_or_max < kUnbounded : row.upper_gap_or_speed < kUnbounded);
}

}  // namespace

template <class Real>
void JointLimits<Real>::prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering,
                                const JointConstants& constants) {
  rows_.resize(ordering.limit_count());
  for (const PreparedJoint& joint : ordering.joints()) {
    if (joint.limit_count == 0) continue;
    LimitRow* next = rows_.data() + joint.first_limit;
    auto const add = [&](LimitKind kind, std::uint32_t axis, double impulse, double max) -> LimitRow& {
      next->kind = kind;
      next->axis = axis;
      next->coordinate = state.joint_axes[axis].def.axis;
      next->impulse = impulse;
      next->lower_gap_or_max = max * constants.tick.substep_s;
      next->softness = {};
      next->soft_row = {};
      return *next++;
    };
    for (std::uint32_t axis = state.joints[joint.index].first_axis; axis != kNoIndex;
         axis = state.joint_axes[axis].next) {
      const JointAxisRecord& record = state.joint_axes[axis];
      const JointAxisDef& def = record.def;
      if (def.friction > 0.0) add(LimitKind::kFriction, axis, record.friction_impulse, def.friction);
      if (def.max_motor > 0.0)
        add(LimitKind::kMotor, axis, record.motor_impulse, def.max_motor).upper_gap_or_speed = def.speed;
      if (is_limited_drive(def))
        add(LimitKind::kDrive, axis, record.drive_impulse, def.max_drive).softness = def.drive_softness;
      if (has_limit(def) && (joint.loop_closing || !is_direct_limit(def))) {
        LimitRow& limit = add(LimitKind::kLimit, axis, record.limit_impulse, 0.0);
        limit.softness = def.limit_softness;
        limit.input.lower = has_lower(def) ? def.lower : -kUnbounded;
        limit.input.upper = def.upper;
      }
    }
    TAKT_ASSERT(next == rows_.data() + joint.first_limit + joint.limit_count);
  }
}

template <class Real>
void JointLimits<Real>::compute_axis(const PreparedJoint& joint, std::uint32_t axis, const JointAxisDef& def,
                                     const JointCoordinate& coordinate, bool relaxing, std::uint32_t& limit) {
  for (; limit < joint.limit_count && rows_[joint.first_limit + limit].axis == axis; ++limit) {
    LimitRow& row = rows_[joint.first_limit + limit];
    compute_limit(row, coordinate.direction);
    row.input.linear = coordinate.direction.linear;
    row.line_m = def.axis == JointAxis::kDistance ? coordinate.value : 0.0;
    if (row.kind == LimitKind::kDrive && !relaxing) row.error = coordinate.value - def.target;
    if (row.kind == LimitKind::kLimit && (!relaxing || row.softness.is_rigid()))
      compute_gaps(row, row.input, coordinate.value);
  }
}

template <class Real>
void JointLimits<Real>::project(const PreparedJoint& joint, const JointEquality<Real>& equality,
                                const JointConstants& constants, bool relaxing) {
  TAKT_ASSERT(joint.first_limit + joint.limit_count <= rows_.size());
  std::span<const EqualityRow> const rows = equality.rows_of(joint);
  for (LimitRow& row : std::span(rows_).subspan(joint.first_limit, joint.limit_count)) {
    project_limit(row, joint.a.moves, joint.a, joint.b.moves, joint.b, rows.data(), joint.row_count,
                  [&](double* values, std::uint32_t count) {
                    if (count > 0) equality.solve_node(joint.node, {values, count});
                  });
    if (row.mobility > 0.0 && !relaxing)
      row.soft_row = row.softness.row(constants.tick.substep_s, row.mobility);
  }
}

template <class Real>
void JointLimits<Real>::warm_start(const PreparedJoint& joint, JointEquality<Real>& equality,
                                   const JointPass<Real>& pass) {
  for (LimitRow& row : std::span(rows_).subspan(joint.first_limit, joint.limit_count)) {
    TAKT_VALIDATE(!(row.mobility < 0.0));
    if (!(row.mobility > 0.0)) row.impulse = 0.0;
    if (joint.a.moves) pass.changes.add(joint.a.body, limit_change_a(row, joint.a.inverse_mass, row.impulse));
    if (joint.b.moves) pass.changes.add(joint.b.body, limit_change_b(row, joint.b.inverse_mass, row.impulse));
    equality.add_projected(joint, row.projection, row.impulse);
  }
}

template <class Real>
double JointLimits<Real>::impulse_of(const LimitRow& row, double free_velocity,
                                     const JointPass<Real>& pass) noexcept {
  const JointConstants& constants = pass.constants;
  bool const rigid = row.softness.is_rigid();
  switch (row.kind) {
    case LimitKind::kFriction: return clamp_magnitude(-free_velocity / row.mobility, row.lower_gap_or_max);
    case LimitKind::kMotor:
      return clamp_magnitude((row.upper_gap_or_speed - free_velocity) / row.mobility, row.lower_gap_or_max);
    case LimitKind::kDrive: {
      SoftRow const soft = !rigid          ? row.soft_row
                           : pass.use_bias ? constants.softness.row(constants.tick.substep_s, row.mobility)
                                           : SoftRow{};
      double const bias =
          rigid ? clamp_magnitude(soft.bias_rate * row.error, kJointPushMax) : soft.bias_rate * row.error;
      return clamp_magnitude(-(free_velocity + bias) / (row.mobility + soft.gamma), row.lower_gap_or_max);
    }
    case LimitKind::kLimit: break;
  }
  if (!rigid) return soft_limit_impulse(row, free_velocity);
  return rigid_limit_impulse<double>(
      row.lower_gap_or_max, row.upper_gap_or_speed, row.mobility, free_velocity,
      {constants.tick.substep_s, pass.use_bias ? &constants.softness : nullptr});
}

template <class Real>
void JointLimits<Real>::solve(const PreparedJoint& joint, JointEquality<Real>& equality,
                              const JointPass<Real>& pass) {
  for (LimitRow& row : std::span(rows_).subspan(joint.first_limit, joint.limit_count)) {
    if (!(row.mobility > 0.0)) continue;
    double const velocity =
        limit_velocity(row, pass.bodies.velocity_of(joint.a.body), pass.bodies.velocity_of(joint.b.body));
    double const impulse = impulse_of(row, velocity - row.mobility * row.impulse, pass);
    TAKT_VALIDATE(is_within_bounds(row, impulse));
    double const change = impulse - row.impulse;
    if (change == 0.0) continue;
    row.impulse = impulse;
    std::span<EqualityRow> const rows = equality.rows_of(joint);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].impulse -= row.projection[i] * change;
    if (joint.a.moves)
      pass.bodies.add_velocity(joint.a.body, limit_change_a(row, joint.a.inverse_mass, change));
    if (joint.b.moves)
      pass.bodies.add_velocity(joint.b.body, limit_change_b(row, joint.b.inverse_mass, change));
  }
}

template class JointLimits<float>;
template class JointLimits<Fixed>;

}  // namespace takt
