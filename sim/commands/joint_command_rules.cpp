// Rules for players' commands on joints: the part of CommandRules for ChangeJoint and DestroyJoint.
#include <array>
#include <span>

#include "sim/commands/command_rules.h"
#include "sim/commands/engine_refusal.h"

namespace takt::sim {
namespace {

bool is_linear(JointAxis axis) noexcept {
  return axis <= JointAxis::kLinearZ || axis == JointAxis::kDistance;
}

double magnitude(double value) noexcept { return value < 0.0 ? -value : value; }

// Returns true if the command only drives the joint (motor, drive, friction); every other change makes it a
// different joint.
bool only_drives(const ChangeJointCommand& c) noexcept {
  return !c.enabled && !c.collide_connected && !c.direct && !c.locked && !c.frame_a && !c.frame_b &&
         !c.linear && !c.angular && !c.max_force_n && !c.max_torque_n_m && !c.break_force_n &&
         !c.break_torque_n_m && !c.ratio && !c.length_m && !c.limit;
}

// Asks for nothing but to be switched on or off.
bool only_switches(const ChangeJointCommand& c) noexcept {
  ChangeJointCommand rest;
  rest.joint = c.joint;
  rest.enabled = c.enabled;
  rest.axis = c.axis;
  return c == rest;
}

// Not a number counts as within: the engine refuses it by its own name.
Refusal check_drive(const ChangeJointCommand& c, const CommandPolicy& policy) noexcept {
  double const max = is_linear(c.axis) ? policy.max_force_n : policy.max_torque_n_m;
  double const fastest = is_linear(c.axis) ? policy.max_speed_m_s : policy.max_spin_rad_s;
  bool const is_over = (c.motor && (c.motor->max > max || magnitude(c.motor->speed) > fastest)) ||
                       (c.hold && c.hold->on && c.hold->max > max) || (c.friction && *c.friction > max);
  return is_over ? Refusal::kOverLimit : Refusal::kNone;
}

// Names what the joint does not have: a ratio, a length.
bool is_of_another_kind(const ChangeJointCommand& c, JointKind kind) noexcept {
  return (c.ratio && kind != JointKind::kGear && kind != JointKind::kPulley) ||
         (c.length_m && kind != JointKind::kPulley);
}

// Without what has come to say nothing: a coordinate with such a part could not be locked.
void drop_idle_axes(JointDef& def) noexcept {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    JointAxisDef const part = def.axes[i];
    // A value that is not a number passes here; the engine refuses it by name.
    bool const drives = part.has_drive || part.speed != 0.0 || part.max_motor != 0.0 || part.friction != 0.0;
    bool const limits =
        part.lower != -kUnbounded || part.upper != kUnbounded || !part.limit_softness.is_valid();
    if (drives || limits) def.axes[kept++] = part;
  }
  for (std::uint32_t i = kept; i < def.axis_count; ++i) def.axes[i] = {};
  def.axis_count = kept;
}

JointDef changed(JointDef def, const ChangeJointCommand& c) {
  auto const take = [](auto& field, const auto& value) {
    if (value) field = *value;
  };
  take(def.collide_connected, c.collide_connected);
  take(def.direct, c.direct);
  take(def.locked, c.locked);
  take(def.frame_a, c.frame_a);
  take(def.frame_b, c.frame_b);
  take(def.linear, c.linear);
  take(def.angular, c.angular);
  take(def.max_force_n, c.max_force_n);
  take(def.max_torque_n_m, c.max_torque_n_m);
  take(def.break_force_n, c.break_force_n);
  take(def.break_torque_n_m, c.break_torque_n_m);
  take(def.coupling.ratio, c.ratio);
  take(def.coupling.length_m, c.length_m);
  if (c.limit) def.limit(c.axis, c.limit->lower, c.limit->upper, c.limit->softness);
  if (c.hold && c.hold->on) def.drive(c.axis, c.hold->target, c.hold->softness, c.hold->max);
  if (c.hold && !c.hold->on) def.axis(c.axis).has_drive = false;
  if (c.motor) def.motor(c.axis, c.motor->speed, c.motor->max);
  if (c.friction) def.friction(c.axis, *c.friction);
  // A part of a coordinate that is locked already is a mistake, even one that would do nothing.
  bool const was_locked = (def.locked & lock_of(c.axis)) != 0 && !c.locked;
  if (!was_locked) drop_idle_axes(def);
  return def;
}

}  // namespace

// Joints are nobody's own: what counts is the dynamic bodies that they hold, and for a gear those that the
// joints it ties hold: it drives them. (Who may touch a tied joint may drive and free it all the same, and
// what is geared to it follows.) One that holds none any more is the scene's.
Refusal CommandRules::may_touch(const Actor& actor, JointId joint, Touch touch) const {
  if (!scope_->world.contains(joint)) return Refusal::kUnknownJoint;
  if (actor.is_privileged) return Refusal::kNone;
  JointDef const def = scope_->world.joint_def(joint);
  std::array<JointId, 3> held{joint, def.coupling.joint_1, def.coupling.joint_2};
  std::size_t const held_count = def.kind == JointKind::kGear ? held.size() : 1;
  bool holds_any = false;
  for (JointId const one : std::span(held).first(held_count)) {
    JointView const view = scope_->world.joint(one);
    for (BodyId const body : {view.body_a, view.body_b}) {
      if (scope_->world.body_type(body) != BodyType::kDynamic) continue;
      holds_any = true;
      if (Refusal const refusal = may_touch(actor, body, touch); refusal != Refusal::kNone) return refusal;
    }
  }
  return holds_any ? Refusal::kNone : Refusal::kForbidden;
}

Refusal CommandRules::act(const Actor& actor, const ChangeJointCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  Refusal const refusal =
      may_touch(actor, command.joint, only_drives(command) ? policy.push : policy.despawn);
  if (refusal != Refusal::kNone) return refusal;
  if (command.axis > JointAxis::kSwing) return Refusal::kBadJointAxis;
  AnyWorld& world = scope_->world;
  if (is_of_another_kind(command, world.joint(command.joint).kind)) return Refusal::kBadCoupling;
  if (!only_switches(command)) {
    if (!actor.is_privileged) {
      if (Refusal const over = check_drive(command, policy); over != Refusal::kNone) return over;
    }
    Result<Unit, PhysicsError> const done =
        world.change_joint(command.joint, changed(world.joint_def(command.joint), command));
    if (!done) return refusal_of(done.error());
  }
  return command.enabled ? refusal_of(world.set_joint_enabled(command.joint, *command.enabled))
                         : Refusal::kNone;
}

Refusal CommandRules::act(const Actor& actor, const DestroyJointCommand& command) {
  Refusal const refusal = may_touch(actor, command.joint, scope_->state.policy.despawn);
  return refusal != Refusal::kNone ? refusal : refusal_of(scope_->world.destroy_joint(command.joint));
}

}  // namespace takt::sim
