// Rules of the server's own commands: the part of CommandRules that changes what scenes define. A command
// that is refused has changed nothing: numbers are checked before the first change.
#include <algorithm>

#include "sim/commands/command_checks.h"
#include "sim/commands/command_rules.h"
#include "sim/commands/engine_refusal.h"
#include "sim/scene/scene_joint_parts.h"
#include "sim/state/byte_fields.h"
#include "sim/state/tick_scope.h"
#include "takt/physics/bounds.h"

namespace takt::sim {
namespace {

Refusal check_number(double value, double low, double high) noexcept {
  if (value - value != 0.0) return Refusal::kNotFinite;
  return is_between(value, low, high) ? Refusal::kNone : Refusal::kOutOfRange;
}
Refusal check_number(const std::optional<double>& value, double low, double high) noexcept {
  return value ? check_number(*value, low, high) : Refusal::kNone;
}

RopePin pin_of(const PinnedNode& node) { return {node.node, node.body, node.local_anchor_m, node.target}; }

// Copies all but the axes between a JointDef and its command.
void copy_joint(const auto& from, auto& to) {
  to.kind = from.kind;
  to.body_a = from.body_a;
  to.body_b = from.body_b;
  to.frame_a = from.frame_a;
  to.frame_b = from.frame_b;
  to.locked = from.locked;
  to.linear = from.linear;
  to.angular = from.angular;
  to.max_force_n = from.max_force_n;
  to.max_torque_n_m = from.max_torque_n_m;
  to.break_force_n = from.break_force_n;
  to.break_torque_n_m = from.break_torque_n_m;
  to.coupling = from.coupling;
  to.collide_connected = from.collide_connected;
  to.enabled = from.enabled;
  to.direct = from.direct;
  to.user_tag = from.user_tag;
}

// Scripts write every bound of a force or torque, unless there is none.
bool is_expressible(const CreateJointCommand& joint) noexcept {
  auto const is_bound = [](double v) { return !(v > kMaxJointForce && v < kUnbounded); };
  return is_bound(joint.max_force_n) && is_bound(joint.max_torque_n_m) && is_bound(joint.break_force_n) &&
         is_bound(joint.break_torque_n_m) &&
         std::ranges::all_of(joint.axes, [&](const CreateJointCommand::Axis& axis) {
           return is_bound(axis.def.max_drive) && is_bound(axis.def.max_motor) && is_bound(axis.def.friction);
         });
}

bool has_target_inside(const PinnedNode& node) noexcept { return !node.target || is_inside(*node.target); }

}  // namespace

CreateJointCommand CreateJointCommand::of(const JointDef& def) {
  CreateJointCommand command;
  copy_joint(def, command);
  for (std::uint32_t i = 0; i < def.axis_count; ++i) command.axes.push_back({def.axes[i]});
  return command;
}

Refusal CommandRules::act(const Actor&, const ChangeBodyCommand& command) {
  constexpr double kMax = 1000.0;  // of BodyDef's scale and dampings
  AnyWorld& world = scope_->world;
  BodyId const body = command.body;
  if (!world.contains(body)) return Refusal::kUnknownBody;
  Refusal const refusal =
      first_of({check_number(command.gravity_scale, -kMax, kMax),
                command.damping ? check_number(command.damping->linear_1_s, 0, kMax) : Refusal::kNone,
                command.damping ? check_number(command.damping->angular_1_s, 0, kMax) : Refusal::kNone,
                command.locked_axes && *command.locked_axes >= 2 * kLockAngularZ ? Refusal::kOutOfRange
                                                                                 : Refusal::kNone});
  if (refusal != Refusal::kNone) return refusal;
  if (command.type) {
    if (EditResult const changed = world.set_type(body, *command.type); !changed)
      return refusal_of(changed.error());
  }
  if (command.locked_axes) world.set_locked_axes(body, *command.locked_axes);
  if (command.gravity_scale) world.set_gravity_scale(body, *command.gravity_scale);
  if (command.damping) world.set_damping(body, command.damping->linear_1_s, command.damping->angular_1_s);
  if (command.user_tag) world.set_user_tag(body, *command.user_tag);
  if (command.enabled) world.set_enabled(body, *command.enabled);
  return Refusal::kNone;
}

Refusal CommandRules::act(const Actor&, const ChangeShapeCommand& command) {
  AnyWorld& world = scope_->world;
  if (world.body_of(command.shape).is_null()) return Refusal::kUnknownBody;
  Vec3<double> const velocity = command.surface_velocity_m_s.value_or(Vec3<double>{});
  Refusal refusal =
      first_of({check_number(command.friction, 0, 100), check_number(command.restitution, 0, 1)});
  for (double const component : {velocity.x, velocity.y, velocity.z})
    refusal = first_of({refusal, check_number(component, -kMaxSurfaceSpeedMS, kMaxSurfaceSpeedMS)});
  if (refusal != Refusal::kNone) return refusal;
  if (command.filter) world.set_filter(command.shape, *command.filter);
  if (command.friction || command.restitution) {
    ShapeDef const present = world.shape(command.shape);
    world.set_material(command.shape, command.friction.value_or(present.friction),
                       command.restitution.value_or(present.restitution));
  }
  if (command.surface_velocity_m_s) world.set_surface_velocity(command.shape, velocity);
  return Refusal::kNone;
}

Refusal CommandRules::act(const Actor&, const TargetCommand& command) {
  if (!is_inside(command.position)) return Refusal::kOutOfRange;
  return refusal_of(scope_->world.set_target(command.body, command.position, command.rotation));
}

Refusal CommandRules::act(const Actor&, const TuneMoverCommand& command) {
  if (!scope_->world.contains(command.body)) return Refusal::kUnknownBody;
  MoverId const mover = scope_->world.mover_of(command.body);
  return mover ? refusal_of(scope_->world.set_mover_tuning(mover, command.tuning)) : Refusal::kNotMover;
}

Refusal CommandRules::act(const Actor&, const CreateJointCommand& command) {
  if (!is_expressible(command)) return Refusal::kOutOfRange;
  JointDef def;
  copy_joint(command, def);
  if (command.axes.size() > def.axes.size()) return Refusal::kBadJointAxis;
  def.axis_count = static_cast<std::uint32_t>(command.axes.size());
  std::ranges::transform(command.axes, def.axes.begin(), &CreateJointCommand::Axis::def);
  Result<JointId, PhysicsError> const joint = scope_->world.create_joint(def);
  if (joint) scope_->acting.created = joint->to_u64();
  return refusal_of(joint);
}

Refusal CommandRules::act(const Actor&, const CreateRopeCommand& command) {
  bool const is_all_inside =
      is_inside(command.def.start) && is_inside(command.def.end) &&
      std::ranges::all_of(command.points, [](const Position& p) { return is_inside(p); }) &&
      std::ranges::all_of(command.pins, has_target_inside);
  if (!is_all_inside) return Refusal::kOutOfRange;
  if (std::max(command.points.size(), command.pins.size()) > kMaxDecodedElements)
    return Refusal::kPayloadTooLong;
  // The engine checks only the one of mass and density, and of stiffness and compliance, that acts.
  RopeDef const& numbers = command.def;
  Refusal const refusal =
      first_of({check_number(numbers.mass_kg, 0, 1e9), check_number(numbers.linear_density_kg_m, 0, 1e6),
                check_number(numbers.stiffness, 0, 1), check_number(numbers.compliance_m_n, 0, 1)});
  if (refusal != Refusal::kNone) return refusal;
  std::vector<RopePin> pins(command.pins.size());
  std::ranges::transform(command.pins, pins.begin(), pin_of);
  RopeDef def = command.def;
  def.points = command.points;
  def.pins = pins;
  Result<RopeId, PhysicsError> const rope = scope_->world.create_rope(def);
  if (rope) scope_->acting.created = rope->to_u64();
  return refusal_of(rope);
}

Refusal CommandRules::act(const Actor&, const ChangeRopeCommand& command) {
  AnyWorld& world = scope_->world;
  if (!world.contains(command.rope)) return Refusal::kUnknownRope;
  if (command.pin && !has_target_inside(*command.pin)) return Refusal::kOutOfRange;
  Refusal const refusal = check_number(command.segment_length_m, kMinExtentM, 1000.0);
  if (refusal != Refusal::kNone) return refusal;
  RopeView rope;
  world.read_rope(command.rope, rope);
  if (command.released_node && *command.released_node >= rope.nodes.size()) return Refusal::kOutOfRange;
  if (command.pin) {
    if (EditResult const pinned = world.set_rope_pin(command.rope, pin_of(*command.pin)); !pinned)
      return refusal_of(pinned.error());
  }
  if (command.released_node) world.clear_rope_pin(command.rope, *command.released_node);
  if (command.segment_length_m) world.set_rope_segment_length(command.rope, *command.segment_length_m);
  return Refusal::kNone;
}

Refusal CommandRules::act(const Actor&, const DestroyRopeCommand& command) {
  return refusal_of(scope_->world.destroy_rope(command.rope));
}

Refusal CommandRules::act(const Actor&, const CreateMoverCommand& command) {
  if (!is_inside(command.def.position)) return Refusal::kOutOfRange;
  Result<MoverId, PhysicsError> const mover = scope_->create_mover(command.def, kServerPlayer);
  if (mover) scope_->acting.created = scope_->world.mover(*mover).body.to_u64();
  return refusal_of(mover);
}

}  // namespace takt::sim
