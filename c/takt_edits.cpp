// Edits of takt.h: commands of the server.
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "c/edit_refusals.h"
#include "c/edit_values.h"
#include "c/takt_objects.h"

namespace takt::c {
namespace {

constexpr double kMaxVector = 1e9;  // of impulses, forces and torques
constexpr std::string_view kDisabled = "the body is disabled: enable it first";
constexpr std::string_view kNoSwing = "axis is 7, the swing: it has a limit and friction alone";

// Bounds of a force, which the rules of changes do not limit.
NumberRange magnitude(std::string_view name, const double& value) noexcept {
  return within(name, value, 0, kInfinite);
}

// A bound of a limit: the swing has its lower ones at or below 0, swing and distance their upper ones above.
NumberRange lower_bound(const double& value, std::uint32_t axis) noexcept {
  NumberRange range = within("lower", value, -kMaxJointCoordinate, kMaxJointCoordinate);
  if (axis == static_cast<std::uint32_t>(JointAxis::kSwing)) range.high = 0;
  range.also = -kInfinite;
  return range;
}
NumberRange upper_bound(const double& value, std::uint32_t axis) noexcept {
  NumberRange range = within("upper", value, -kMaxJointCoordinate, kMaxJointCoordinate);
  if (axis >= static_cast<std::uint32_t>(JointAxis::kDistance)) range.low = 0;
  range.also = kInfinite;
  return range;
}

// A change of one joint, which touches no number of an array.
takt_status give_change(WorldObject& world, std::uint64_t joint, std::uint32_t axis,
                        sim::ChangeJointCommand command, std::initializer_list<NumberRange> ranges,
                        std::string_view otherwise = {}) {
  if (takt_status const bad = check_whole("axis", axis, 0, kJointAxisCount - 1)) return bad;
  command.joint = JointId::from_u64(joint);
  command.axis = static_cast<JointAxis>(axis);
  if ((command.motor || command.hold) && command.axis == JointAxis::kSwing) otherwise = kNoSwing;
  sim::Refusal const refusal = give_edit(world, command);
  if (refusal == sim::Refusal::kLimitsCrossed && command.limit) {
    FailureLine line;
    line << "lower is " << command.limit->lower << ": allowed is at most upper, " << command.limit->upper;
    return refuse(refusal, line);
  }
  return refuse(refusal, ranges, otherwise);
}

// Without a wrong number, the mass that follows from several members is.
takt_status refuse_spawn(const takt_spawn& spawn, sim::Refusal refusal) {
  if (refusal == sim::Refusal::kBadShape) {
    FailureLine line;
    line << "shape is " << std::uint64_t{spawn.shape}
         << ": allowed is TAKT_SHAPE_SPHERE, CAPSULE, BOX, CYLINDER or CONE: 1, 2, 3, 5 or 6";
    return refuse(refusal, line);
  }
  std::size_t const lengths = spawn.shape == TAKT_SHAPE_BOX ? 3 : spawn.shape == TAKT_SHAPE_SPHERE ? 1 : 2;
  NumberRange const dimensions{"dimensions", std::span(spawn.dimensions).first(lengths), kMinExtentM,
                               kMaxExtentM};
  return refuse(refusal,
                {binary32(dimensions),
                 binary32(each_within("dimensions", spawn.dimensions, 3, std::numeric_limits<float>::max())),
                 length_within("linear_velocity", spawn.linear_velocity, kMaxLinearSpeedMS),
                 length_within("angular_velocity", spawn.angular_velocity, kMaxAngularSpeedRadS),
                 binary32(within("density", spawn.density, 0, 1e6)),
                 binary32(within("friction", spawn.friction, 0, 100)),
                 binary32(within("restitution", spawn.restitution, 0, 1)),
                 binary32(unit_length("rotation", spawn.rotation))},
                refusal == sim::Refusal::kOutOfRange
                    ? "dimensions and density do not give a mass of 1e-04 to 1e+08 kg"
                    : std::string_view{});
}

takt_status read_change(const takt_joint_change& change, sim::ChangeJointCommand& command) {
  constexpr std::uint32_t kAll = 2 * TAKT_JOINT_LIMIT - 1;
  if (takt_status const bad = check_whole("fields", change.fields, 0, kAll,
                                          "bits of TAKT_JOINT_COLLIDE_CONNECTED to TAKT_JOINT_LIMIT"))
    return bad;
  auto const is_set = [&](std::uint32_t field) { return (change.fields & field) != 0; };
  if (is_set(TAKT_JOINT_COLLIDE_CONNECTED)) {
    if (takt_status const bad = check_whole("collide_connected", change.collide_connected, 0, 1)) return bad;
    command.collide_connected = change.collide_connected != 0;
  }
  if (is_set(TAKT_JOINT_LOCKED)) {
    if (takt_status const bad = check_whole("locked", change.locked, 0, 63, "bits of the axes 0 to 5"))
      return bad;
    command.locked = static_cast<std::uint8_t>(change.locked);
  }
  if (is_set(TAKT_JOINT_FRAME_A)) command.frame_a = frame_of(change.position_a, change.rotation_a);
  if (is_set(TAKT_JOINT_FRAME_B)) command.frame_b = frame_of(change.position_b, change.rotation_b);
  if (is_set(TAKT_JOINT_LINEAR))
    command.linear = softness_of(change.linear_frequency, change.linear_damping_ratio);
  if (is_set(TAKT_JOINT_ANGULAR))
    command.angular = softness_of(change.angular_frequency, change.angular_damping_ratio);
  if (is_set(TAKT_JOINT_MAX_FORCE)) command.max_force_n = change.max_force;
  if (is_set(TAKT_JOINT_MAX_TORQUE)) command.max_torque_n_m = change.max_torque;
  if (is_set(TAKT_JOINT_BREAK_FORCE)) command.break_force_n = change.break_force;
  if (is_set(TAKT_JOINT_BREAK_TORQUE)) command.break_torque_n_m = change.break_torque;
  if (is_set(TAKT_JOINT_RATIO)) command.ratio = change.ratio;
  if (is_set(TAKT_JOINT_LENGTH)) command.length_m = change.length;
  if (is_set(TAKT_JOINT_DIRECT)) {
    if (takt_status const bad = check_whole("direct", change.direct, 0, 1)) return bad;
    command.direct = change.direct != 0;
  }
  if (is_set(TAKT_JOINT_LIMIT)) {
    Softness const softness = softness_of(change.limit_frequency, change.limit_damping_ratio);
    command.limit = sim::ChangeJointCommand::Limit{change.lower, change.upper, softness};
  }
  return TAKT_OK;
}

// Gives a change that read_change() has read.
takt_status change_joint(WorldObject& world, std::uint64_t joint, const takt_joint_change& c,
                         const sim::ChangeJointCommand& command) {
  auto const given = [&](std::uint32_t field, const NumberRange& range) {
    return if_given((c.fields & field) != 0, range);
  };
  JointId const id = JointId::from_u64(joint);
  bool const is_known = world.world().contains(id);
  JointKind const kind = is_known ? world.world().joint(id).kind : JointKind::kGeneric;
  bool const is_pulley = kind == JointKind::kPulley;
  bool const is_coupling = is_pulley || kind == JointKind::kGear;
  NumberRange ratio = within("ratio", c.ratio, is_pulley ? 0 : -1e6, 1e6);
  ratio.rule = is_pulley ? NumberRange::Rule::kAbove : NumberRange::Rule::kNotZero;
  std::string_view otherwise;
  if (command.ratio && !is_coupling)
    otherwise = "ratio is given: allowed is a joint that is a gear or pulley";
  if (command.length_m && !is_pulley) otherwise = "length is given: allowed is a joint that is a pulley";
  return give_change(
      world, joint, command.limit ? c.axis : 0, command,
      {given(TAKT_JOINT_FRAME_A, each_within("position_a", c.position_a, 3, kMaxExtentM)),
       given(TAKT_JOINT_FRAME_A, unit_length("rotation_a", c.rotation_a)),
       given(TAKT_JOINT_FRAME_B, each_within("position_b", c.position_b, 3, kMaxExtentM)),
       given(TAKT_JOINT_FRAME_B, unit_length("rotation_b", c.rotation_b)),
       given(TAKT_JOINT_LINEAR, softness_within("linear_frequency", c.linear_frequency)),
       given(TAKT_JOINT_LINEAR, if_given(c.linear_frequency != 0,
                                         softness_within("linear_damping_ratio", c.linear_damping_ratio))),
       given(TAKT_JOINT_ANGULAR, softness_within("angular_frequency", c.angular_frequency)),
       given(TAKT_JOINT_ANGULAR, if_given(c.angular_frequency != 0,
                                          softness_within("angular_damping_ratio", c.angular_damping_ratio))),
       given(TAKT_JOINT_MAX_FORCE, magnitude("max_force", c.max_force)),
       given(TAKT_JOINT_MAX_TORQUE, magnitude("max_torque", c.max_torque)),
       given(TAKT_JOINT_BREAK_FORCE, above("break_force", c.break_force, 0, kInfinite)),
       given(TAKT_JOINT_BREAK_TORQUE, above("break_torque", c.break_torque, 0, kInfinite)),
       if_given(command.ratio && is_coupling, ratio),
       if_given(command.length_m && is_pulley, above("length", c.length, 0, kMaxJointCoordinate)),
       given(TAKT_JOINT_LIMIT, lower_bound(c.lower, c.axis)),
       given(TAKT_JOINT_LIMIT, upper_bound(c.upper, c.axis)),
       given(TAKT_JOINT_LIMIT, softness_within("limit_frequency", c.limit_frequency)),
       given(TAKT_JOINT_LIMIT, if_given(c.limit_frequency != 0,
                                        softness_within("limit_damping_ratio", c.limit_damping_ratio)))},
      otherwise);
}

}  // namespace

sim::Refusal give_edit(WorldObject& world, sim::Command command, BodyId body, std::uint64_t* created) {
  std::uint64_t made = 0;
  sim::Refusal const refusal = world.edit(std::move(command), nullptr, &made);
  if (refusal != sim::Refusal::kNone) return refusal;
  if (created != nullptr) *created = made;
  refresh_all(world, body);
  return refusal;
}

takt_status apply_force(WorldObject& world, std::uint64_t body, const double* force, const double* torque,
                        std::uint32_t ticks) {
  sim::ForceCommand command;
  command.body = BodyId::from_u64(body);
  command.force_n = vector_of(force);
  if (torque != nullptr) command.torque_n_m = vector_of(torque);
  command.ticks = ticks;
  auto const given_ticks = static_cast<double>(ticks);
  return refuse(give_edit(world, command, command.body),
                {length_within("force", force, kMaxVector), length_within("torque", torque, kMaxVector),
                 within("ticks", given_ticks, 1, sim::kMaxForceTicks)});
}

takt_status teleport(WorldObject& world, std::uint64_t body, const double* position, const double* rotation,
                     const double* linear, const double* angular) {
  BodyId const id = BodyId::from_u64(body);
  if (!world.world().contains(id)) return fail(sim::Refusal::kUnknownBody);
  sim::BodyView const present = world.world().view(id);
  sim::TeleportCommand command;
  command.body = id;
  command.position = present.position;
  if (position != nullptr) {
    if (takt_status const bad = read_position("position", position, command.position)) return bad;
  }
  Quat<double> const& q = present.rotation;
  command.rotation = rotation != nullptr ? rotation_of(rotation)
                                         : Quat<float>{narrow(q.x), narrow(q.y), narrow(q.z), narrow(q.w)};
  command.linear_velocity_m_s = linear != nullptr ? vector_of(linear) : narrow(present.linear_velocity_m_s);
  command.angular_velocity_rad_s =
      angular != nullptr ? vector_of(angular) : narrow(present.angular_velocity_rad_s);
  return refuse(give_edit(world, command, id),
                {length_within("linear_velocity", linear, kMaxLinearSpeedMS),
                 length_within("angular_velocity", angular, kMaxAngularSpeedRadS),
                 binary32(unit_length("rotation", rotation))});
}

}  // namespace takt::c

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global
using takt::BodyId;
using takt::JointId;
using takt::RopeId;
namespace sim = takt::sim;

takt_status takt_world_impulse(takt_world* world, uint64_t body, const double impulse[3],
                               const double* local_point) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (impulse == nullptr) return null_argument("impulse");
        sim::ImpulseCommand command;
        command.body = BodyId::from_u64(body);
        command.impulse_n_s = vector_of(impulse);
        if (local_point != nullptr) command.point_local_m = vector_of(local_point);
        sim::Refusal const refusal = give_edit(w, command, command.body);
        bool const is_disabled = w.world().contains(command.body) && !w.world().is_enabled(command.body);
        return refuse(refusal,
                      {length_within("impulse", impulse, kMaxVector),
                       length_within("local_point", local_point, takt::kMaxExtentM)},
                      is_disabled ? kDisabled : std::string_view{});
      },
      [&](RemoteWorld& r) { return r.impulse(body, impulse, local_point); });
}

takt_status takt_world_force(takt_world* world, uint64_t body, const double force[3], const double* torque,
                             uint32_t ticks) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (force == nullptr) return null_argument("force");
        return apply_force(w, body, force, torque, ticks);
      },
      [&](RemoteWorld& r) { return r.force(body, force, torque, ticks); });
}

takt_status takt_world_teleport(takt_world* world, uint64_t body, const double* position,
                                const double* rotation, const double* linear_velocity,
                                const double* angular_velocity) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return teleport(w, body, position, rotation, linear_velocity, angular_velocity);
      },
      [&](RemoteWorld& r) {
        return r.teleport(body, position, rotation, linear_velocity, angular_velocity);
      });
}

takt_status takt_spawn_defaults(takt_spawn* spawn) {
  return call(__func__, [&]() -> takt_status {
    if (takt_status const bad = check_output(spawn)) return bad;
    takt_spawn out{};
    out.shape = TAKT_SHAPE_SPHERE;
    out.dimensions[0] = 0.5;
    out.rotation[3] = 1.0;
    out.density = 1000.0;
    out.friction = 0.6;
    write_struct(out, spawn);
    return TAKT_OK;
  });
}

takt_status takt_world_spawn(takt_world* world, const takt_spawn* spawn, uint64_t* body) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (spawn == nullptr) return null_argument("spawn");
        if (body == nullptr) return null_argument("body");
        takt_spawn read{};
        if (takt_status const bad = read_struct(spawn, read)) return bad;
        if (read.shape > UINT8_MAX) return refuse_spawn(read, sim::Refusal::kBadShape);
        sim::SpawnCommand command;
        command.kind = static_cast<takt::ShapeKind>(read.shape);
        command.dimensions_m = vector_of(read.dimensions);
        if (takt_status const bad = read_position("position", read.position, command.position)) return bad;
        command.rotation = rotation_of(read.rotation);
        command.linear_velocity_m_s = vector_of(read.linear_velocity);
        command.angular_velocity_rad_s = vector_of(read.angular_velocity);
        command.density_kg_m3 = narrow(read.density);
        command.friction = narrow(read.friction);
        command.restitution = narrow(read.restitution);
        command.user_kind = read.tag;
        BodyId spawned;
        sim::Refusal const refusal = w.edit(command, &spawned);
        if (refusal != sim::Refusal::kNone) return refuse_spawn(read, refusal);
        *body = spawned.to_u64();
        refresh_all(w);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.spawn(spawn, body); });
}

takt_status takt_world_despawn(takt_world* world, uint64_t body) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return fail(give_edit(w, sim::DespawnCommand{BodyId::from_u64(body)}));
      },
      [&](RemoteWorld& r) { return r.despawn(body); });
}

takt_status takt_world_move(takt_world* world, uint64_t body, const double velocity[3], double turn,
                            uint32_t in_heading_frame, uint32_t jump) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (velocity == nullptr) return null_argument("velocity");
        if (takt_status const bad = check_whole("in_heading_frame", in_heading_frame, 0, 1)) return bad;
        if (takt_status const bad = check_whole("jump", jump, 0, 1)) return bad;
        sim::MoveCommand command;
        command.body = BodyId::from_u64(body);
        command.velocity_m_s = vector_of(velocity);
        command.turn_rad_s = narrow(turn);
        command.in_heading_frame = in_heading_frame != 0;
        command.jump = jump != 0;
        return refuse(give_edit(w, command, command.body),
                      {length_within("velocity", velocity, 1000), binary32(within("turn", turn, -100, 100))});
      },
      [&](RemoteWorld& r) { return r.move(body, velocity, turn, in_heading_frame, jump); });
}

takt_status takt_world_cut_rope(takt_world* world, uint64_t rope, uint32_t segment) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        RopeId const id = RopeId::from_u64(rope);
        sim::Refusal const refusal = give_edit(w, sim::CutCommand{id, segment});
        if (refusal != sim::Refusal::kUnknownRope || !w.world().contains(id)) return fail(refusal);
        takt::RopeView view;
        w.world().read_rope(id, view);
        if (view.nodes.size() < 2) return fail(refusal);
        return refuse(refusal, whole_outside("segment", segment, 0, view.nodes.size() - 2));
      },
      [&](RemoteWorld& r) { return r.cut_rope(rope, segment); });
}

takt_status takt_world_joint_motor(takt_world* world, uint64_t joint, uint32_t axis, double speed,
                                   double max) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeJointCommand command;
        command.motor = sim::ChangeJointCommand::Motor{speed, max};
        return give_change(
            w, joint, axis, command,
            {within("speed", speed, -takt::kMaxJointSpeed, takt::kMaxJointSpeed), magnitude("max", max)});
      },
      [&](RemoteWorld& r) { return r.joint_motor(joint, axis, speed, max); });
}

takt_status takt_world_joint_drive(takt_world* world, uint64_t joint, uint32_t axis, uint32_t on,
                                   double target, double frequency, double damping_ratio, double max) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = check_whole("on", on, 0, 1)) return bad;
        sim::ChangeJointCommand command;
        command.hold = sim::ChangeJointCommand::Hold{};
        command.hold->on = on != 0;
        if (on != 0) {
          command.hold->target = target;
          command.hold->softness = takt::Softness::frequency(frequency, damping_ratio);
          command.hold->max = max;
        }
        bool const is_distance = axis == static_cast<std::uint32_t>(takt::JointAxis::kDistance);
        return give_change(
            w, joint, axis, command,
            {if_given(on != 0, within("target", target, is_distance ? 0 : -takt::kMaxJointCoordinate,
                                      takt::kMaxJointCoordinate)),
             if_given(on != 0, softness_within("frequency", frequency)),
             if_given(on != 0, softness_within("damping_ratio", damping_ratio)),
             if_given(on != 0, magnitude("max", max))});
      },
      [&](RemoteWorld& r) { return r.joint_drive(joint, axis, on, target, frequency, damping_ratio, max); });
}

takt_status takt_world_joint_limit(takt_world* world, uint64_t joint, uint32_t axis, double lower,
                                   double upper) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeJointCommand command;
        command.limit = sim::ChangeJointCommand::Limit{};
        command.limit->lower = lower;
        command.limit->upper = upper;
        return give_change(w, joint, axis, command, {lower_bound(lower, axis), upper_bound(upper, axis)});
      },
      [&](RemoteWorld& r) { return r.joint_limit(joint, axis, lower, upper); });
}

takt_status takt_world_joint_friction(takt_world* world, uint64_t joint, uint32_t axis, double friction) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeJointCommand command;
        command.friction = friction;
        return give_change(w, joint, axis, command, {magnitude("friction", friction)});
      },
      [&](RemoteWorld& r) { return r.joint_friction(joint, axis, friction); });
}

takt_status takt_world_joint_enable(takt_world* world, uint64_t joint, uint32_t enabled) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = check_whole("enabled", enabled, 0, 1)) return bad;
        sim::ChangeJointCommand command;
        command.enabled = enabled != 0;
        return give_change(w, joint, 0, command, {});
      },
      [&](RemoteWorld& r) { return r.joint_enable(joint, enabled); });
}

takt_status takt_world_change_joint(takt_world* world, uint64_t joint, const takt_joint_change* change) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (change == nullptr) return null_argument("change");
        takt_joint_change read{};
        if (takt_status const bad = read_struct(change, read)) return bad;
        sim::ChangeJointCommand command;
        if (takt_status const bad = read_change(read, command)) return bad;
        return change_joint(w, joint, read, command);
      },
      [&](RemoteWorld& r) { return r.change_joint(joint, change); });
}

takt_status takt_world_destroy_joint(takt_world* world, uint64_t joint) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return fail(give_edit(w, sim::DestroyJointCommand{JointId::from_u64(joint)}));
      },
      [&](RemoteWorld& r) { return r.destroy_joint(joint); });
}
