// Joints as canonical state. Binary64 in both number modes (docs/adr/0012). Axes stand in a pool of their
// own, linked from their joint in order of coordinate.
#pragma once

#include <array>
#include <cstdint>

#include "physics/base/slot_pool.h"
#include "physics/joints/joint_pose.h"
#include "takt/physics/joint.h"

namespace takt {

struct JointAxisTag;

struct JointAxisRecord {
  std::uint32_t joint = kNoIndex;
  std::uint32_t next = kNoIndex;  ///< of the same joint
  JointAxisDef def;
  // N s (N m s) a substep.
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
  bool broken = false;  ///< torn; enabling it again mends it
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
  std::array<double, 6> impulses{};  ///< of the locked coordinates, N s and N m s a substep
  JointRevolutions revolutions;      ///< as of the last step
  Vec3<double>
      force;  ///< on b, mean of the last tick, N, world; 0 when the joint did not act in it and is not asleep
  Vec3<double> torque;            ///< on b about its anchor, N m
  JointCoupling coupling;         ///< gear and pulley
  double coupled = 0.0;           ///< gear: what the two coordinates add up to
  double coupling_impulse = 0.0;  ///< N s (N m s) a substep
};

[[nodiscard]] constexpr bool is_coupling(JointKind kind) noexcept {
  return kind == JointKind::kPulley || kind == JointKind::kGear;
}

/// What gives in a coupling, and how hard it may pull: it is a length's (N) or an angle's (N m), as the first
/// of its coordinates is.
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
