// PreparedJoint is a joint of the tick outside colour batches (point_joint_batches.h); EqualityRow and
// LimitRow are its rows in binary64, as the scalar solvers use them. JointConstants has the constants of a
// tick, JointReaction the sums of a joint's force and torque. joint_row_types.h has the fields that SIMD
// lanes share. Predicates such as is_equality() decide which rows the definition of a joint needs.
//
// Equality rows (locked coordinates and drives without a maximum force) are solved together: per joint, or
// per tree of joints. Rigid limits along a line join the equality rows of their tree while they act
// (direct_limits.h). Limit rows (other limits, motors, friction, drives with a maximum force) are solved one
// by one with a clamped accumulated impulse (docs/CONSTRAINTS.md 1.10). Each limit row is first projected
// onto the directions that the joint's equality rows leave free. The limit of a hinge then acts on the
// effective mass that its locked coordinates leave.
#pragma once

#include <cstdint>

#include "physics/constraints/constraint_row.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/joint_pose.h"
#include "physics/joints/joint_row_types.h"
#include "physics/state/joint_records.h"
#include "takt/physics/softness.h"

namespace takt {

/// Coordinates that can be locked.
inline constexpr std::uint32_t kLockedSlots = 6;
/// EqualityRow::slot of a limit that a tree solves (direct_limits.h).
inline constexpr std::uint32_t kLimitSlot = kLockedSlots + 1;

/// Constants of a tick.
struct JointConstants {
  JointTick tick;
  /// Softness, as that of contacts, of rigid rows outside trees in the biased pass: loop-closing joints,
  /// limits, drives with a maximum, gears and pulleys.
  Softness softness;
  /// The row of `softness` for an inverse mass of 1: gamma is the compliance relative to a row's mobility.
  SoftRow unit_row;

  /// Substep and number of substeps must be above 0 (asserted).
  [[nodiscard]] static JointConstants of(const JointTick& tick) noexcept;
};

/// An equality row of one joint.
struct EqualityRow : EqualityRowOf<double> {
  SoftRow softness;     ///< bias_rate 0 and gamma 0 when rigid
  double line_m = 0.0;  ///< length of a distance coordinate, m; 0: the row acts along or about an axis
  std::uint32_t slot = kLockedSlots;  ///< locked coordinate; kLockedSlots: a drive; kLimitSlot: a limit
  bool soft = false;  ///< keeps its bias in the relax pass: a spring, or a limit before its bound
};

enum class LimitKind : std::uint8_t { kFriction, kMotor, kDrive, kLimit };

/// A limit row of one joint.
struct LimitRow : LimitRowOf<double, kMaxJointRows> {
  LimitInputOf<double> input;
  double error = 0.0;             ///< drive: coordinate - target, m or rad, at the substep's start
  Softness softness;              ///< of a drive or limit; rigid for all other kinds
  SoftRow soft_row;               ///< of a soft row in this substep
  double line_m = 0.0;            ///< as in EqualityRow
  std::uint32_t axis = kNoIndex;  ///< index in the axis pool
  JointAxis coordinate = JointAxis::kLinearX;
  LimitKind kind = LimitKind::kFriction;
};

/// A joint of the tick. JointOrdering::joints() has the list, in id order, gears last.
struct PreparedJoint {
  std::uint32_t index = kNoIndex;  ///< in the joint pool
  JointParts parts = JointParts::kAll;
  bool is_point = false;       ///< solved as a point joint (point_joint_rows.h)
  bool is_steady = false;      ///< rows depend on nothing but the poses of the two bodies
  bool loop_closing = false;   ///< outside the trees (elimination_forest.h)
  bool limit_tension = false;  ///< an axis record is along a line: its limit rows may be under tension
  std::uint8_t locked = 0;     ///< bits of lock_of()
  JointKind kind = JointKind::kGeneric;
  RowBody a;
  RowBody b;
  JointFramesOf<double> frames;
  std::uint32_t node = 0;  ///< index in the elimination order
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t first_limit = 0;
  std::uint32_t limit_count = 0;
  std::uint32_t coupling = kNoIndex;  ///< index of the coupling row of a gear or pulley
  double max_linear = 0.0;            ///< maximum impulse of the locked linear coordinates, N s a substep
  double max_angular = 0.0;           ///< N m s; both may be infinity
  JointRevolutions revolutions;
  Vec3<double> r_a;  ///< lever arm of body a to the anchor on b (pulley: to the anchor on a), m, world
  Vec3<double> r_b;
};

/// Sums over the substeps of a tick, on b, world axes.
struct JointReaction {
  Vec3<double> force_sum;   ///< N s
  Vec3<double> torque_sum;  ///< about b's anchor, N m s
};

/// True for a joint that locks exactly the three linear coordinates, rigidly, without axes and without a
/// maximum force. Its rotations cannot be geared (can_be_geared()), so no gear needs its angles.
[[nodiscard]] bool is_point_joint(const JointRecord& record) noexcept;
/// A drive without a maximum force: an equality row.
[[nodiscard]] inline bool is_equality(const JointAxisDef& def) noexcept {
  return def.has_drive && !def.drive_softness.is_idle() && !(def.max_drive < kUnbounded);
}
/// A drive with a maximum force: a limit row.
[[nodiscard]] inline bool is_limited_drive(const JointAxisDef& def) noexcept {
  return def.has_drive && !def.drive_softness.is_idle() && def.max_drive < kUnbounded && def.max_drive > 0.0;
}
/// True when at least one bound is finite and the limit's softness is not idle.
[[nodiscard]] inline bool has_limit(const JointAxisDef& def) noexcept {
  return (def.lower > -kUnbounded || def.upper < kUnbounded) && !def.limit_softness.is_idle();
}
/// A limit that a joint in a tree solves with its equality rows: rigid, along a line, and without a drive. A
/// chain of such limits carries loads as a chain of locked coordinates does. Beside a drive, which carries
/// the load, a limit is a stop (a car's suspension) and yields as contacts do.
[[nodiscard]] inline bool is_direct_limit(const JointAxisDef& def) noexcept {
  bool const along_line = def.axis < JointAxis::kAngularX || def.axis == JointAxis::kDistance;
  return along_line && !def.has_drive && has_limit(def) && def.limit_softness.is_rigid();
}
/// True when rows of the axis depend on the coordinate's value. Tension along a distance depends on its
/// length.
[[nodiscard]] inline bool needs_value(const JointAxisDef& def) noexcept {
  return def.has_drive || has_limit(def) || def.axis == JointAxis::kDistance;
}
/// Swing and distance are never negative: a lower bound of 0 or less is no limit.
[[nodiscard]] inline bool has_lower(const JointAxisDef& def) noexcept {
  bool const from_zero = def.axis == JointAxis::kSwing || def.axis == JointAxis::kDistance;
  return def.lower > (from_zero ? 0.0 : -kUnbounded);
}
/// True when coordinate `slot` (0 to 5) is locked and its softness is not idle: the coordinate has an
/// equality row.
[[nodiscard]] inline bool has_locked_row(const JointRecord& record, std::uint32_t slot) noexcept {
  return (record.locked >> slot & 1u) != 0 && !(slot < 3 ? record.linear : record.angular).is_idle();
}

}  // namespace takt
