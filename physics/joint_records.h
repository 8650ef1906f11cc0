// Joints as canonical state. Binary64 in both number modes (docs/adr/0012). Axes stand in a pool of their own, linked from their joint in order of coordinate.
#pragma once

#include <array>
#include <cstdint>

#include "physics/slot_pool.h"
#include "takt/physics/joint.h"

namespace takt {

struct JointAxisTag;

struct JointAxisRecord {
  std::uint32_t joint = kNoIndex;
  std::uint32_t next = kNoIndex;  ///< of the same joint
  JointAxisDef def;
  // N s (N m s) a substep.
  double limit_impulse = 0.0;  ///< > 0: the lower bound pushes; < 0: the upper
  double hold_impulse = 0.0;
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
  double turn = 0.0;                 ///< rad: the angle that counts full turns, as of the last step (joint_pose.h)
  Vec3<double> force;                ///< on b, mean of the last tick, N, world
  Vec3<double> torque;               ///< on b about its anchor, N m
  JointCoupling coupling;            ///< gear and pulley
  double coupled = 0.0;              ///< gear: what the two coordinates add up to
  double coupling_impulse = 0.0;     ///< N s (N m s) a substep
};

[[nodiscard]] constexpr bool is_coupling(JointKind kind) noexcept { return kind == JointKind::kPulley || kind == JointKind::kGear; }

using JointPool = SlotPool<JointRecord, JointTag>;
using JointAxisPool = SlotPool<JointAxisRecord, JointAxisTag>;

}  // namespace takt
