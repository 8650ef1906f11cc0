// JointRecord and JointAxisRecord are the joints in WorldState, the saved and hashed state. Axes have a pool
// of their own; each joint links its axes in ascending order of coordinate (JointAxis). Numbers are binary64
// in float mode and in fixed mode (docs/adr/0012). TurnsOf has the angles of a joint that count full turns.
// Functions such as is_coupling() and has_coupling_row() tell gears and pulleys from other joints.
#pragma once

#include <array>
#include <cstdint>

#include "physics/base/slot_pool.h"
#include "takt/physics/joint.h"

namespace takt {

/// The unwrapped rotation angles of a joint, rad: of a hinge one, of a universal joint two. N is a double, or
/// several side by side.
template <class N>
struct TurnsOf {
  N last{};   ///< hinge: about its axis; universal joint: about the axis on b
  N first{};  ///< universal joint: about the axis on a
};
using JointRevolutions = TurnsOf<double>;

/// Parts of a PoseOf (joint_pose.h) to compute. kPoints leaves out the axes on b and the relative rotation,
/// which linear coordinates and the distance do not need.
enum class JointParts : std::uint8_t { kAll, kPoints };

/// The axes of TurnsOf::last and of TurnsOf::first for a joint with these locked coordinates (bits of
/// lock_of()); kDistance when there is none.
[[nodiscard]] JointAxis last_rotation_axis(std::uint8_t locked) noexcept;
[[nodiscard]] JointAxis first_rotation_axis(std::uint8_t locked) noexcept;

struct JointAxisTag;

struct JointAxisRecord {
  std::uint32_t joint = kNoIndex;  ///< index in the joint pool
  std::uint32_t next = kNoIndex;   ///< next axis of the joint, or kNoIndex
  JointAxisDef def;
  // Accumulated impulses of the last substep, N s (N m s); 0 without that part.
  double limit_impulse = 0.0;  ///< > 0: the lower bound pushes; < 0: the upper
  double drive_impulse = 0.0;
  double motor_impulse = 0.0;
  double friction_impulse = 0.0;
};

struct JointRecord {
  JointKind kind = JointKind::kGeneric;
  std::uint32_t body_a = kNoIndex;  ///< index in the body pool
  std::uint32_t body_b = kNoIndex;
  JointFrame frame_a;
  JointFrame frame_b;
  std::uint8_t locked = 0;  ///< bits of lock_of()
  bool collide_connected = false;
  bool enabled = true;
  bool broken = false;       ///< the joint has no effect until World enables it again
  bool direct = true;        ///< may be solved directly in a tree (elimination_forest.h)
  Softness linear;           ///< of the locked linear coordinates, a pulley, or a gear whose axis_1 is linear
  Softness angular;          ///< of the locked rotations, or a gear whose axis_1 is angular
  double max_force = 0.0;    ///< N, of the same rows as `linear`; kUnbounded: no maximum
  double max_torque = 0.0;   ///< N m, of the same rows as `angular`
  double break_force = 0.0;  ///< N; a larger mean force in a tick breaks the joint; kUnbounded: never
  double break_torque = 0.0;  ///< N m, likewise
  std::uint32_t first_axis = kNoIndex;
  std::uint32_t axis_count = 0;
  std::uint64_t user_tag = 0;
  std::array<double, 6> impulses{};  ///< of the locked coordinates, last substep, N s and N m s
  JointRevolutions revolutions;      ///< after the last step
  /// On b, mean of the last tick, N, world. A joint with sleeping bodies keeps its last value. A joint that
  /// cannot act (disabled, broken before the tick, no body that moves) has 0.
  Vec3<double> force;
  Vec3<double> torque;            ///< as `force`, about b's anchor, N m
  JointCoupling coupling;         ///< gear and pulley
  double coupled = 0.0;           ///< gear: reference value of the coupled sum of both coordinates
  double coupling_impulse = 0.0;  ///< N s (N m s) per substep
};

/// True for a pulley or gear.
[[nodiscard]] constexpr bool is_coupling(JointKind kind) noexcept {
  return kind == JointKind::kPulley || kind == JointKind::kGear;
}

/// True for a gear whose axis_1 is an angle. Such a gear takes softness and maximum from `angular` and
/// max_torque; pulleys and other gears take them from `linear` and max_force.
[[nodiscard]] constexpr bool is_about_angle(JointKind kind, const JointCoupling& coupling) noexcept {
  return kind == JointKind::kGear && coupling.axis_1 >= JointAxis::kAngularX;
}
[[nodiscard]] inline const Softness& coupling_softness(const JointRecord& joint) noexcept {
  return is_about_angle(joint.kind, joint.coupling) ? joint.angular : joint.linear;
}
[[nodiscard]] inline double coupling_max(const JointRecord& joint) noexcept {
  return is_about_angle(joint.kind, joint.coupling) ? joint.max_torque : joint.max_force;
}

/// True for a gear or pulley with a row: its softness is not idle and its maximum is above 0.
[[nodiscard]] inline bool has_coupling_row(const JointRecord& joint) noexcept {
  return is_coupling(joint.kind) && !coupling_softness(joint).is_idle() && coupling_max(joint) > 0.0;
}

using JointPool = SlotPool<JointRecord, JointTag>;
using JointAxisPool = SlotPool<JointAxisRecord, JointAxisTag>;

}  // namespace takt
