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

/// Parts of a pose to compute. kPoints omits what only angular coordinates off a's axes need.
enum class JointParts : std::uint8_t { kAll, kPoints };

/// The axis of TurnsOf::last and of TurnsOf::first for the locked coordinates; kDistance when there is none.
[[nodiscard]] JointAxis last_rotation_axis(std::uint8_t locked) noexcept;
[[nodiscard]] JointAxis first_rotation_axis(std::uint8_t locked) noexcept;

struct JointAxisTag;

struct JointAxisRecord {
  std::uint32_t joint = kNoIndex;
  std::uint32_t next = kNoIndex;  ///< next axis of the joint
  JointAxisDef def;
  // Impulses, N s (N m s) per substep.
  double limit_impulse = 0.0;  ///< > 0: the lower bound pushes; < 0: the upper
  double drive_impulse = 0.0;
  double motor_impulse = 0.0;
  double friction_impulse = 0.0;
};

struct JointRecord {
  JointKind kind = JointKind::kGeneric;
  std::uint32_t body_a = kNoIndex;
  std::uint32_t body_b = kNoIndex;
  JointFrame frame_a;
  JointFrame frame_b;
  std::uint8_t locked = 0;
  bool collide_connected = false;
  bool enabled = true;
  bool broken = false;  ///< broken; enabling it again repairs it
  bool direct = true;
  Softness linear;
  Softness angular;
  double max_force = 0.0;   ///< N
  double max_torque = 0.0;  ///< N m
  double break_force = 0.0;
  double break_torque = 0.0;
  std::uint32_t first_axis = kNoIndex;
  std::uint32_t axis_count = 0;
  std::uint64_t user_tag = 0;
  std::array<double, 6> impulses{};  ///< of the locked coordinates, N s and N m s per substep
  JointRevolutions revolutions;      ///< after the last step
  Vec3<double>
      force;  ///< on b, mean of the last tick, N, world; 0 when the joint was inactive and its bodies awake
  Vec3<double> torque;            ///< on b about its anchor, N m
  JointCoupling coupling;         ///< gear and pulley
  double coupled = 0.0;           ///< gear: reference value of the coupled sum of both coordinates
  double coupling_impulse = 0.0;  ///< N s (N m s) per substep
};

[[nodiscard]] constexpr bool is_coupling(JointKind kind) noexcept {
  return kind == JointKind::kPulley || kind == JointKind::kGear;
}

/// Softness and bound of a coupling have the unit of its first coordinate: a length (N) or an angle (N m).
[[nodiscard]] constexpr bool is_about_angle(JointKind kind, const JointCoupling& coupling) noexcept {
  return kind == JointKind::kGear && coupling.axis_1 >= JointAxis::kAngularX;
}
[[nodiscard]] inline const Softness& coupling_softness(const JointRecord& joint) noexcept {
  return is_about_angle(joint.kind, joint.coupling) ? joint.angular : joint.linear;
}
[[nodiscard]] inline double coupling_max(const JointRecord& joint) noexcept {
  return is_about_angle(joint.kind, joint.coupling) ? joint.max_torque : joint.max_force;
}

[[nodiscard]] inline bool has_coupling_row(const JointRecord& joint) noexcept {
  return is_coupling(joint.kind) && !coupling_softness(joint).is_idle() && coupling_max(joint) > 0.0;
}

using JointPool = SlotPool<JointRecord, JointTag>;
using JointAxisPool = SlotPool<JointAxisRecord, JointAxisTag>;

}  // namespace takt
