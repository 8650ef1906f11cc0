#include "takt/physics/joint.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {
namespace {

JointDef made(JointKind kind, BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
              std::uint8_t locked) {
  JointDef def;
  def.kind = kind;
  def.body_a = a;
  def.body_b = b;
  def.frame_a = frame_a;
  def.frame_b = frame_b;
  def.locked = locked;
  return def;
}

}  // namespace

JointAxisDef& JointDef::axis(JointAxis which) {
  std::uint32_t index = 0;
  while (index < axis_count && axes[index].axis < which) ++index;
  if (index < axis_count && axes[index].axis == which) return axes[index];
  TAKT_ASSERT(axis_count < kJointAxisCount);
  std::move_backward(axes.begin() + index, axes.begin() + axis_count, axes.begin() + axis_count + 1);
  ++axis_count;
  axes[index] = {};
  axes[index].axis = which;
  return axes[index];
}

JointDef& JointDef::limit(JointAxis which, double lower, double upper, Softness softness) {
  JointAxisDef& part = axis(which);
  part.lower = lower;
  part.upper = upper;
  part.limit_softness = softness;
  return *this;
}

JointDef& JointDef::drive(JointAxis which, double target, Softness softness, double max) {
  JointAxisDef& part = axis(which);
  part.has_drive = true;
  part.target = target;
  part.drive_softness = softness;
  part.max_drive = max;
  return *this;
}

JointDef& JointDef::motor(JointAxis which, double speed, double max) {
  JointAxisDef& part = axis(which);
  part.speed = speed;
  part.max_motor = max;
  return *this;
}

JointDef& JointDef::friction(JointAxis which, double max) {
  axis(which).friction = max;
  return *this;
}

JointDef point_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b) {
  return made(JointKind::kPoint, a, b, frame_a, frame_b, kLockLinear);
}

JointDef revolute_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b) {
  return made(JointKind::kRevolute, a, b, frame_a, frame_b,
              kLockLinear | lock_of(JointAxis::kAngularY) | lock_of(JointAxis::kAngularZ));
}

JointDef prismatic_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b) {
  return made(JointKind::kPrismatic, a, b, frame_a, frame_b,
              lock_of(JointAxis::kLinearY) | lock_of(JointAxis::kLinearZ) | kLockAngular);
}

JointDef weld_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b, Softness linear,
                    Softness angular) {
  JointDef def = made(JointKind::kWeld, a, b, frame_a, frame_b, kLockLinear | kLockAngular);
  def.linear = linear;
  def.angular = angular;
  return def;
}

JointDef distance_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                        double length_m, Softness softness) {
  return made(JointKind::kDistance, a, b, frame_a, frame_b, 0)
      .drive(JointAxis::kDistance, length_m, softness);
}

JointDef rope_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b, double min_m,
                    double max_m) {
  return made(JointKind::kDistance, a, b, frame_a, frame_b, 0).limit(JointAxis::kDistance, min_m, max_m);
}

JointDef angle_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                     Softness softness) {
  JointDef def = made(JointKind::kAngle, a, b, frame_a, frame_b, kLockAngular);
  def.angular = softness;
  return def;
}

JointDef parallel_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                        Softness softness) {
  JointDef def = made(JointKind::kParallel, a, b, frame_a, frame_b,
                      lock_of(JointAxis::kAngularY) | lock_of(JointAxis::kAngularZ));
  def.angular = softness;
  return def;
}

JointDef wheel_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                     Softness suspension, bool steers) {
  std::uint8_t locked =
      lock_of(JointAxis::kLinearY) | lock_of(JointAxis::kLinearZ) | lock_of(JointAxis::kAngularY);
  if (!steers) locked |= lock_of(JointAxis::kAngularX);
  return made(JointKind::kWheel, a, b, frame_a, frame_b, locked).drive(JointAxis::kLinearX, 0.0, suspension);
}

JointDef motor_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                     Softness softness, double max_force_n, double max_torque_n_m) {
  JointDef def = weld_joint(a, b, frame_a, frame_b, softness, softness);
  def.kind = JointKind::kMotor;
  def.max_force_n = max_force_n;
  def.max_torque_n_m = max_torque_n_m;
  return def;
}

JointDef target_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                      Softness softness, double max_force_n) {
  JointDef def = made(JointKind::kTarget, a, b, frame_a, frame_b, kLockLinear);
  def.linear = softness;
  def.max_force_n = max_force_n;
  return def;
}

JointDef pulley_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                      const Position& ground_a, const Position& ground_b, double length_m, double ratio) {
  JointDef def = made(JointKind::kPulley, a, b, frame_a, frame_b, 0);
  def.coupling.ground_a = ground_a;
  def.coupling.ground_b = ground_b;
  def.coupling.length_m = length_m;
  def.coupling.ratio = ratio;
  def.collide_connected = true;
  return def;
}

JointDef gear_joint(BodyId a, BodyId b, JointId joint_1, JointAxis axis_1, JointId joint_2, JointAxis axis_2,
                    double ratio) {
  JointDef def = made(JointKind::kGear, a, b, {}, {}, 0);
  def.coupling.joint_1 = joint_1;
  def.coupling.joint_2 = joint_2;
  def.coupling.axis_1 = axis_1;
  def.coupling.axis_2 = axis_2;
  def.coupling.ratio = ratio;
  def.collide_connected = true;
  return def;
}

}  // namespace takt
