// The rows of a tick's joints in binary64: what each asks of the bodies, built anew in every substep from
// where the bodies are.
//
// Equality rows (locked coordinates, and holds without a largest force) are solved together, joint by joint
// or a tree at once. Bounded rows (limits, motors, friction, holds with a largest force, pulleys, gears) are
// solved one by one, their accumulated impulse clamped (CONSTRAINTS 1.10). A bounded row of a joint is taken
// along a direction that its joint's equality rows leave free: without that a limit of a hinge would need
// many sweeps to feel the hinge's mass.
#pragma once

#include <cstdint>

#include "physics/constraints/constraint_row.h"
#include "physics/joints/joint_pose.h"
#include "physics/state/joint_records.h"

namespace takt {

/// Coordinates that can be locked.
inline constexpr std::uint32_t kLockedSlots = 6;

/// A row that holds two bodies: its velocity is linear . (v_b - v_a) + jacobian_b . w_b - jacobian_a . w_a,
/// and an impulse of 1 N s turns them by inv_i_jacobian_b and -spin_a.
struct EqualityRow {
  Vec3<double> linear;
  Vec3<double> jacobian_a;
  Vec3<double> jacobian_b;
  double error = 0.0;             ///< m or rad, at the substep's start
  double impulse = 0.0;           // up to here as in TreeRow
  Vec3<double> inv_i_jacobian_a;  ///< inverse inertia x turn; 0 of what does not move
  Vec3<double> inv_i_jacobian_b;
  SoftRow softness;                   ///< bias_rate 0 and gamma 0 when rigid
  double line_m = 0.0;                ///< of a distance: how long it is; 0: along or about an axis
  std::uint32_t slot = kLockedSlots;  ///< of the locked coordinate; kLockedSlots: a hold
  bool soft = false;                  ///< keeps its bias in the relax pass
};

/// A rigid ball and socket of which nothing else is asked, by far the commonest joint: its three rows are
/// along the world's axes, so that its arms say all of them.
struct PreparedPointJoint {
  Vec3<double>
      local_a;  ///< of the anchor from the centre of mass, m: body frame; of what is not the solver's, world
  Vec3<double> local_b;
  Vec3<double> delta_center;  ///< b's centre - a's at the tick's start, m
  Vec3<double> r_a;           ///< of the point where b's anchor is, m
  Vec3<double> r_b;
  Vec3<double> apart;    ///< from a's anchor to b's, m
  Vec3<double> gamma;    ///< what the rows give, 1/kg
  Vec3<double> impulse;  ///< on b, N s
  Vec3<double> force_sum;
};

/// A joint of a tick, in id order, gears last.
struct PreparedJoint {
  std::uint32_t index = kNoIndex;  ///< in the pool
  JointParts parts = JointParts::kAll;
  bool is_ball = false;    ///< PreparedPointJoint
  bool is_steady = false;  ///< its rows depend on nothing but where its bodies are
  std::uint8_t locked = 0;
  JointKind kind = JointKind::kGeneric;
  RowBody a;
  RowBody b;
  Quat<double> rotation_a;  ///< at the tick's start; stands for the tick when the body is not the solver's
  Quat<double> rotation_b;
  Quat<double> frame_a;  ///< rotations of the frames in their bodies
  Quat<double> frame_b;
  Vec3<double> local_a;  ///< of the anchor from the centre of mass, body frame, m
  Vec3<double> local_b;
  Vec3<double> delta_center;  ///< b's centre - a's at the tick's start, m
  std::uint32_t node = 0;     ///< place in the order of elimination
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t first_limit = 0;
  std::uint32_t limit_count = 0;
  bool limit_tension = false;  ///< some of them along a line, not about an axis
  bool scalar = false;
  double max_linear = 0.0;   ///< N s of the locked linear coordinates
  double max_angular = 0.0;  ///< N m s
  JointRevolutions revolutions;
  Vec3<double> r_a;  ///< of the point where b's anchor is, in this substep, m
  Vec3<double> r_b;
  Vec3<double> force_sum;  ///< N s, on b
  Vec3<double> torque_sum;
};

/// What the passes need of a joint, in the order of elimination.
struct EqualityJoint {
  std::uint32_t joint = 0;   ///< place among the prepared ones
  std::uint32_t node = 0;    ///< its own place
  std::uint32_t body_a = 0;  ///< the solver's places
  std::uint32_t body_b = 0;
  std::uint32_t pushed_a = 0;  ///< the same of what moves under impulses, else 0
  std::uint32_t pushed_b = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  bool is_ball = false;
  bool is_limited = false;      ///< its locked coordinates have a largest force or torque
  bool is_stale = true;         ///< its rows changed since its matrix was filled
  bool in_lanes = false;        ///< its tree is solved beside equal ones (tree_batches.h)
  Vec3<double> inverse_mass_a;  ///< 1/kg along the world's axes; 0 of what does not move
  Vec3<double> inverse_mass_b;
  PreparedPointJoint ball;
};

enum class LimitKind : std::uint8_t { kFriction, kMotor, kDrive, kLimit, kPulley, kGear };

struct LimitRow {
  JointDirection direction;  ///< before it is projected; not of pulley and gear
  double max = 0.0;          ///< N s; all but limits
  double speed = 0.0;        ///< motor: wanted
  double above_lower =
      0.0;  ///< limit: coordinate - lower, m or rad, at the substep's start; infinite without
  double below_upper = 0.0;  ///< limit and pulley: upper - coordinate
  double impulse = 0.0;
  double mobility = 0.0;  ///< velocity per impulse: K
  LimitKind kind = LimitKind::kFriction;
  std::uint32_t joint = 0;        ///< place among the prepared ones
  std::uint32_t axis = kNoIndex;  ///< record; of pulley and gear none
  JointAxis along = JointAxis::kLinearX;
  double lower = 0.0;  ///< limit: the least that it keeps, m or rad; -infinite without
  double upper = 0.0;
  std::uint32_t side_count = 2;
  double error = 0.0;  ///< hold and gear
  std::array<double, 2>
      lines_m{};  ///< distances and pulleys: how long what pulls at a and b is; 0: along or about an axis
  Softness said;
  SoftRow softness;
};

/// What one by one passes need of a bounded row more.
struct LimitSides {
  std::array<RowSide, 4> sides;    ///< projected; a gear has those of both its joints
  std::array<double, 14> share{};  ///< what an impulse of 1 N s takes from each equality row of the joint
};

[[nodiscard]] constexpr Vec3<double> along_axes(Vec3<double> a, Vec3<double> b) noexcept {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
/// What an impulse of 1 N s of `cause` does to the velocity of `effect`, both of one joint.
[[nodiscard]] inline double coupling(const EqualityJoint& held, const EqualityRow& effect,
                                     const EqualityRow& cause) noexcept {
  return (dot(effect.linear, along_axes(cause.linear, held.inverse_mass_a)) +
          dot(effect.jacobian_a, cause.inv_i_jacobian_a)) +
         (dot(effect.linear, along_axes(cause.linear, held.inverse_mass_b)) +
          dot(effect.jacobian_b, cause.inv_i_jacobian_b));
}

/// The parts of a push that two bodies share.
[[nodiscard]] inline RowSide side_a(const RowBody& body, const JointDirection& direction) noexcept {
  return body.side(-direction.linear, -direction.jacobian_a);
}
[[nodiscard]] inline RowSide side_b(const RowBody& body, const JointDirection& direction) noexcept {
  return body.side(direction.linear, direction.jacobian_b);
}

[[nodiscard]] inline double equality_within(double value, double max) noexcept {
  return value > max ? max : value < -max ? -max : value;
}

/// A hold that joins the equality rows; one with a largest force; whether there is a bound.
[[nodiscard]] inline bool is_equality(const JointAxisDef& def) noexcept {
  return def.has_drive && !def.drive_softness.is_idle() && !(def.max_drive < kUnbounded);
}
[[nodiscard]] inline bool is_limited_drive(const JointAxisDef& def) noexcept {
  return def.has_drive && !def.drive_softness.is_idle() && def.max_drive < kUnbounded && def.max_drive > 0.0;
}
[[nodiscard]] inline bool has_limit(const JointAxisDef& def) noexcept {
  return (def.lower > -kUnbounded || def.upper < kUnbounded) && !def.limit_softness.is_idle();
}
/// Whether its rows depend on the coordinate's value, not on its direction alone; what pulls along a line
/// depends on its length.
[[nodiscard]] inline bool asks_where(const JointAxisDef& def) noexcept {
  return def.has_drive || has_limit(def) || def.axis == JointAxis::kDistance;
}
/// A cone has no inside, and nothing is nearer than 0: there the coordinate turns round, which no row may
/// stop.
[[nodiscard]] inline bool has_lower(const JointAxisDef& def) noexcept {
  bool const from_zero = def.axis == JointAxis::kSwing || def.axis == JointAxis::kDistance;
  return def.lower > (from_zero ? 0.0 : -kUnbounded);
}
[[nodiscard]] constexpr bool is_coupling_row(LimitKind kind) noexcept {
  return kind == LimitKind::kPulley || kind == LimitKind::kGear;
}

}  // namespace takt
