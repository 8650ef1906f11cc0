// Edits of takt.h: commands of the server.
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "c/edit_values.h"
#include "c/takt_objects.h"

namespace takt::c {
namespace {

// A change of one joint, which touches no number of an array.
takt_status give_change(WorldObject& world, std::uint64_t joint, std::uint32_t axis,
                        sim::ChangeJointCommand command) {
  if (axis >= kJointAxisCount) return fail(TAKT_ERROR_RANGE, "axis is not within [0, 7]");
  command.joint = JointId::from_u64(joint);
  command.axis = static_cast<JointAxis>(axis);
  return give_edit(world, command);
}

// Shortest text of a number; independent of the locale.
std::string shown(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

// Names the member of a refused spawn that is out of its range. Without one, such as for a mass that follows
// from several members, the text is that of the refusal.
takt_status refuse(const takt_spawn& spawn, sim::Refusal refusal) {
  struct Range {
    std::string_view name;
    std::span<const double> numbers;
    double low;
    double high;
  };
  std::size_t const lengths = spawn.shape == TAKT_SHAPE_BOX ? 3 : spawn.shape == TAKT_SHAPE_SPHERE ? 1 : 2;
  takt_status const status = TAKT_ERROR_REFUSED + static_cast<takt_status>(refusal);
  for (const Range& range :
       {Range{"dimensions", std::span(spawn.dimensions).first(lengths), kMinExtentM, kMaxExtentM},
        Range{"linear_velocity", spawn.linear_velocity, -kMaxLinearSpeedMS, kMaxLinearSpeedMS},
        Range{"angular_velocity", spawn.angular_velocity, -kMaxAngularSpeedRadS, kMaxAngularSpeedRadS},
        Range{"density", std::span(&spawn.density, 1), 0, 1e6},
        Range{"friction", std::span(&spawn.friction, 1), 0, 100},
        Range{"restitution", std::span(&spawn.restitution, 1), 0, 1}}) {
    for (double const number : range.numbers) {
      auto const rounded = static_cast<double>(narrow(number));  // as the command has it
      if (rounded >= range.low && rounded <= range.high) continue;
      std::string const text =
          " is " + shown(number) + ": allowed is " + shown(range.low) + " to " + shown(range.high);
      return fail(status, range.name, text);
    }
  }
  double const* const q = spawn.rotation;
  double const squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(squared >= 0.99 * 0.99 && squared <= 1.01 * 1.01))
    return fail(status, "rotation is no unit quaternion: its length must be 1 within 1 %");
  return fail(refusal);
}

takt_status read_change(const takt_joint_change& change, sim::ChangeJointCommand& command) {
  constexpr std::uint32_t kAll = 2 * TAKT_JOINT_LIMIT - 1;
  if (change.fields > kAll) return fail(TAKT_ERROR_RANGE, "fields has a bit that is none of TAKT_JOINT_*");
  auto const is_set = [&](std::uint32_t field) { return (change.fields & field) != 0; };
  if (is_set(TAKT_JOINT_COLLIDE_CONNECTED)) {
    if (change.collide_connected > 1) return fail(TAKT_ERROR_RANGE, "collide_connected is not 0 or 1");
    command.collide_connected = change.collide_connected != 0;
  }
  if (is_set(TAKT_JOINT_LOCKED)) {
    if (change.locked >= 1u << 6u) return fail(TAKT_ERROR_RANGE, "locked has bits beyond those of 6 axes");
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
    if (change.direct > 1) return fail(TAKT_ERROR_RANGE, "direct is not 0 or 1");
    command.direct = change.direct != 0;
  }
  if (is_set(TAKT_JOINT_LIMIT)) {
    Softness const softness = softness_of(change.limit_frequency, change.limit_damping_ratio);
    command.limit = sim::ChangeJointCommand::Limit{change.lower, change.upper, softness};
  }
  return TAKT_OK;
}

}  // namespace

takt_status give_edit(WorldObject& world, sim::Command command, BodyId body, std::uint64_t* created) {
  std::uint64_t made = 0;
  sim::Refusal const refusal = world.edit(std::move(command), nullptr, &made);
  if (refusal != sim::Refusal::kNone) return fail(refusal);
  if (created != nullptr) *created = made;
  refresh_all(world, body);
  return TAKT_OK;
}

takt_status apply_force(WorldObject& world, std::uint64_t body, const double* force, const double* torque,
                        std::uint32_t ticks) {
  sim::ForceCommand command;
  command.body = BodyId::from_u64(body);
  command.force_n = vector_of(force);
  if (torque != nullptr) command.torque_n_m = vector_of(torque);
  command.ticks = ticks;
  return give_edit(world, command, command.body);
}

takt_status teleport(WorldObject& world, std::uint64_t body, const double* position, const double* rotation,
                     const double* linear, const double* angular) {
  BodyId const id = BodyId::from_u64(body);
  if (!world.world().contains(id)) return fail(sim::Refusal::kUnknownBody);
  sim::BodyView const present = world.world().view(id);
  sim::TeleportCommand command;
  command.body = id;
  command.position = present.position;
  if (position != nullptr && !read_position(position, command.position))
    return fail(TAKT_ERROR_RANGE, "position is not finite or not within +-5e8 m");
  Quat<double> const& q = present.rotation;
  command.rotation = rotation != nullptr ? rotation_of(rotation)
                                         : Quat<float>{narrow(q.x), narrow(q.y), narrow(q.z), narrow(q.w)};
  command.linear_velocity_m_s = linear != nullptr ? vector_of(linear) : narrow(present.linear_velocity_m_s);
  command.angular_velocity_rad_s =
      angular != nullptr ? vector_of(angular) : narrow(present.angular_velocity_rad_s);
  return give_edit(world, command, id);
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
        return give_edit(w, command, command.body);
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
        if (read.shape > UINT8_MAX) return fail(sim::Refusal::kBadShape);
        sim::SpawnCommand command;
        command.kind = static_cast<takt::ShapeKind>(read.shape);
        command.dimensions_m = vector_of(read.dimensions);
        if (!read_position(read.position, command.position))
          return fail(TAKT_ERROR_RANGE, "position is not finite or not within +-5e8 m");
        command.rotation = rotation_of(read.rotation);
        command.linear_velocity_m_s = vector_of(read.linear_velocity);
        command.angular_velocity_rad_s = vector_of(read.angular_velocity);
        command.density_kg_m3 = narrow(read.density);
        command.friction = narrow(read.friction);
        command.restitution = narrow(read.restitution);
        command.user_kind = read.tag;
        BodyId spawned;
        sim::Refusal const refusal = w.edit(command, &spawned);
        if (refusal != sim::Refusal::kNone) return refuse(read, refusal);
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
        return give_edit(w, sim::DespawnCommand{BodyId::from_u64(body)});
      },
      [&](RemoteWorld& r) { return r.despawn(body); });
}

takt_status takt_world_move(takt_world* world, uint64_t body, const double velocity[3], double turn,
                            uint32_t in_heading_frame, uint32_t jump) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (velocity == nullptr) return null_argument("velocity");
        if (in_heading_frame > 1 || jump > 1)
          return fail(TAKT_ERROR_RANGE, "in_heading_frame or jump is not 0 or 1");
        sim::MoveCommand command;
        command.body = BodyId::from_u64(body);
        command.velocity_m_s = vector_of(velocity);
        command.turn_rad_s = narrow(turn);
        command.in_heading_frame = in_heading_frame != 0;
        command.jump = jump != 0;
        return give_edit(w, command, command.body);
      },
      [&](RemoteWorld& r) { return r.move(body, velocity, turn, in_heading_frame, jump); });
}

takt_status takt_world_cut_rope(takt_world* world, uint64_t rope, uint32_t segment) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return give_edit(w, sim::CutCommand{RopeId::from_u64(rope), segment});
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
        return give_change(w, joint, axis, command);
      },
      [&](RemoteWorld& r) { return r.joint_motor(joint, axis, speed, max); });
}

takt_status takt_world_joint_drive(takt_world* world, uint64_t joint, uint32_t axis, uint32_t on,
                                   double target, double frequency, double damping_ratio, double max) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (on > 1) return fail(TAKT_ERROR_RANGE, "on is not 0 or 1");
        sim::ChangeJointCommand command;
        command.hold = sim::ChangeJointCommand::Hold{};
        command.hold->on = on != 0;
        if (on != 0) {
          command.hold->target = target;
          command.hold->softness = takt::Softness::frequency(frequency, damping_ratio);
          command.hold->max = max;
        }
        return give_change(w, joint, axis, command);
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
        return give_change(w, joint, axis, command);
      },
      [&](RemoteWorld& r) { return r.joint_limit(joint, axis, lower, upper); });
}

takt_status takt_world_joint_friction(takt_world* world, uint64_t joint, uint32_t axis, double friction) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeJointCommand command;
        command.friction = friction;
        return give_change(w, joint, axis, command);
      },
      [&](RemoteWorld& r) { return r.joint_friction(joint, axis, friction); });
}

takt_status takt_world_joint_enable(takt_world* world, uint64_t joint, uint32_t enabled) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (enabled > 1) return fail(TAKT_ERROR_RANGE, "enabled is not 0 or 1");
        sim::ChangeJointCommand command;
        command.enabled = enabled != 0;
        return give_change(w, joint, 0, command);
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
        return give_change(w, joint, command.limit ? read.axis : 0, std::move(command));
      },
      [&](RemoteWorld& r) { return r.change_joint(joint, change); });
}

takt_status takt_world_destroy_joint(takt_world* world, uint64_t joint) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return give_edit(w, sim::DestroyJointCommand{JointId::from_u64(joint)});
      },
      [&](RemoteWorld& r) { return r.destroy_joint(joint); });
}
