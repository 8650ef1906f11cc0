// Edits of takt.h that change what scenes define: bodies, shapes, movers, new joints, ropes, and the grab.
#include <optional>
#include <utility>
#include <vector>

#include "c/edit_values.h"
#include "c/takt_objects.h"

namespace takt::c {
namespace {

takt_status outside(std::string_view name) {
  return fail(TAKT_ERROR_RANGE, name, " is not finite or not within +-5e8 m");
}
takt_status no_flag(std::string_view name) { return fail(TAKT_ERROR_RANGE, name, " is not 0 or 1"); }
takt_status no_field(std::string_view names) {
  return fail(TAKT_ERROR_RANGE, "fields has a bit that is none of ", names);
}

Vec3<double> wide_vector_of(const double* v) noexcept { return {v[0], v[1], v[2]}; }
Quat<double> wide_rotation_of(const double* q) noexcept { return {q[0], q[1], q[2], q[3]}; }

takt_status read_change(const takt_body_change& change, sim::ChangeBodyCommand& command) {
  if (change.fields >= 2 * TAKT_BODY_TAG) return no_field("TAKT_BODY_TYPE to TAKT_BODY_TAG");
  auto const is_set = [&](std::uint32_t field) { return (change.fields & field) != 0; };
  if (is_set(TAKT_BODY_TYPE)) {
    if (change.type > TAKT_BODY_DYNAMIC)
      return fail(TAKT_ERROR_RANGE, "type is none of TAKT_BODY_STATIC to TAKT_BODY_DYNAMIC");
    command.type = static_cast<BodyType>(change.type);
  }
  if (is_set(TAKT_BODY_ENABLED)) {
    if (change.enabled > 1) return no_flag("enabled");
    command.enabled = change.enabled != 0;
  }
  if (is_set(TAKT_BODY_LOCKED)) {
    if (change.locked >= 1u << 6u) return fail(TAKT_ERROR_RANGE, "locked has bits beyond those of 6 axes");
    command.locked_axes = static_cast<std::uint8_t>(change.locked);
  }
  if (is_set(TAKT_BODY_GRAVITY_SCALE)) command.gravity_scale = change.gravity_scale;
  if (is_set(TAKT_BODY_DAMPING))
    command.damping = sim::ChangeBodyCommand::Damping{change.linear_damping, change.angular_damping};
  if (is_set(TAKT_BODY_TAG)) command.user_tag = change.tag;
  return TAKT_OK;
}

takt_status read_change(const takt_shape_change& change, sim::ChangeShapeCommand& command) {
  if (change.fields >= 2 * TAKT_SHAPE_SURFACE_VELOCITY)
    return no_field("TAKT_SHAPE_FILTER to TAKT_SHAPE_SURFACE_VELOCITY");
  auto const is_set = [&](std::uint32_t field) { return (change.fields & field) != 0; };
  if (is_set(TAKT_SHAPE_FILTER)) command.filter = ShapeFilter{change.category, change.mask, change.group};
  if (is_set(TAKT_SHAPE_FRICTION)) command.friction = change.friction;
  if (is_set(TAKT_SHAPE_RESTITUTION)) command.restitution = change.restitution;
  if (is_set(TAKT_SHAPE_SURFACE_VELOCITY))
    command.surface_velocity_m_s = wide_vector_of(change.surface_velocity);
  return TAKT_OK;
}

// The members of `tuning` that `from` selects.
takt_status read_tuning(const takt_mover_tuning& from, MoverTuning& tuning) {
  if (from.fields >= 2 * TAKT_MOVER_RECOVERY_SPEED)
    return no_field("TAKT_MOVER_MAX_SLOPE to TAKT_MOVER_RECOVERY_SPEED");
  auto const take = [&](std::uint32_t field, double value, double& out) {
    if ((from.fields & field) != 0) out = value;
  };
  take(TAKT_MOVER_MAX_SLOPE, from.max_slope, tuning.max_slope_rad);
  take(TAKT_MOVER_STEP_HEIGHT, from.step_height, tuning.step_height_m);
  take(TAKT_MOVER_STICK_DISTANCE, from.stick_distance, tuning.stick_distance_m);
  take(TAKT_MOVER_SKIN, from.skin, tuning.skin_m);
  take(TAKT_MOVER_MAX_SPEED, from.max_speed, tuning.max_speed_m_s);
  take(TAKT_MOVER_ACCELERATION, from.acceleration, tuning.acceleration_m_s2);
  take(TAKT_MOVER_AIR_ACCELERATION, from.air_acceleration, tuning.air_acceleration_m_s2);
  take(TAKT_MOVER_JUMP_SPEED, from.jump_speed, tuning.jump_speed_m_s);
  take(TAKT_MOVER_MAX_FALL_SPEED, from.max_fall_speed, tuning.max_fall_speed_m_s);
  take(TAKT_MOVER_GRAVITY_SCALE, from.gravity_scale, tuning.gravity_scale);
  take(TAKT_MOVER_PUSH_FORCE, from.push_force, tuning.push_force_n);
  take(TAKT_MOVER_MASS, from.mass, tuning.mass_kg);
  take(TAKT_MOVER_RECOVERY_SPEED, from.recovery_speed, tuning.recovery_speed_m_s);
  return TAKT_OK;
}

takt_status tune_mover(WorldObject& world, BodyId body, const takt_mover_tuning& tuning) {
  sim::TuneMoverCommand command;
  command.body = body;
  if (MoverId const mover = world.world().mover_of(body)) command.tuning = world.world().mover_tuning(mover);
  if (takt_status const bad = read_tuning(tuning, command.tuning)) return bad;
  return give_edit(world, command);
}

// The axes that a kind of joint locks.
std::uint8_t locked_of(JointKind kind) {
  switch (kind) {
    case JointKind::kPoint: return point_joint({}, {}, {}, {}).locked;
    case JointKind::kRevolute: return revolute_joint({}, {}, {}, {}).locked;
    case JointKind::kPrismatic: return prismatic_joint({}, {}, {}, {}).locked;
    case JointKind::kWeld: return weld_joint({}, {}, {}, {}).locked;
    case JointKind::kAngle: return angle_joint({}, {}, {}, {}).locked;
    case JointKind::kWheel: return wheel_joint({}, {}, {}, {}, {}).locked;
    case JointKind::kParallel: return parallel_joint({}, {}, {}, {}).locked;
    case JointKind::kMotor: return motor_joint({}, {}, {}, {}, {}, 0, 0).locked;
    case JointKind::kTarget: return target_joint({}, {}, {}, {}, {}, 0).locked;
    case JointKind::kGeneric:
    case JointKind::kDistance:
    case JointKind::kPulley:
    case JointKind::kGear: break;
  }
  return 0;
}

bool is_joint_kind(std::uint32_t kind) noexcept {
  return kind >= TAKT_JOINT_GENERIC && kind <= TAKT_JOINT_GEAR;
}
constexpr std::string_view kNoJointKind = "kind is none of TAKT_JOINT_GENERIC to TAKT_JOINT_GEAR";

takt_status read_joint(const takt_joint_def& from, JointDef& def) {
  if (!is_joint_kind(from.kind)) return fail(TAKT_ERROR_RANGE, kNoJointKind);
  if (from.locked >= 1u << 6u) return fail(TAKT_ERROR_RANGE, "locked has bits beyond those of 6 axes");
  if (from.collide_connected > 1) return no_flag("collide_connected");
  if (from.enabled > 1) return no_flag("enabled");
  if (from.direct > 1) return no_flag("direct");
  if (from.axis_1 >= kJointAxisCount || from.axis_2 >= kJointAxisCount)
    return fail(TAKT_ERROR_RANGE, "axis_1 or axis_2 is not within [0, 7]");
  def.kind = static_cast<JointKind>(from.kind);
  def.body_a = BodyId::from_u64(from.body_a);
  def.body_b = BodyId::from_u64(from.body_b);
  def.frame_a = frame_of(from.position_a, from.rotation_a);
  def.frame_b = frame_of(from.position_b, from.rotation_b);
  def.locked = static_cast<std::uint8_t>(from.locked);
  def.collide_connected = from.collide_connected != 0;
  def.enabled = from.enabled != 0;
  def.direct = from.direct != 0;
  bool const has_length = def.kind == JointKind::kDistance || def.kind == JointKind::kPulley;
  if (has_length && !(from.length > 0)) return fail(TAKT_ERROR_RANGE, "length is not above 0 m");
  Softness const linear = softness_of(from.linear_frequency, from.linear_damping_ratio);
  def.angular = softness_of(from.angular_frequency, from.angular_damping_ratio);
  bool const has_drive = def.kind == JointKind::kDistance || def.kind == JointKind::kWheel;
  if (!has_drive) def.max_force_n = from.max_force;
  def.max_torque_n_m = from.max_torque;
  def.break_force_n = from.break_force;
  def.break_torque_n_m = from.break_torque;
  if (def.kind == JointKind::kDistance) {
    def.drive(JointAxis::kDistance, from.length, linear, from.max_force);
  } else if (def.kind == JointKind::kWheel) {
    def.drive(JointAxis::kLinearX, 0.0, linear, from.max_force);
  } else {
    def.linear = linear;
  }
  JointCoupling& coupling = def.coupling;
  coupling.joint_1 = JointId::from_u64(from.joint_1);
  coupling.joint_2 = JointId::from_u64(from.joint_2);
  coupling.axis_1 = static_cast<JointAxis>(from.axis_1);
  coupling.axis_2 = static_cast<JointAxis>(from.axis_2);
  coupling.ratio = from.ratio;
  if (def.kind == JointKind::kPulley) coupling.length_m = from.length;
  if (!read_position(from.ground_a, coupling.ground_a)) return outside("ground_a");
  if (!read_position(from.ground_b, coupling.ground_b)) return outside("ground_b");
  def.user_tag = from.tag;
  return TAKT_OK;
}

takt_status read_rope(const takt_rope_def& from, const double* points, sim::CreateRopeCommand& command) {
  if (from.node_count < 2 || from.node_count > kMaxRopeNodes)
    return fail(TAKT_ERROR_RANGE, "node_count is not within [2, 4096]");
  if (from.compliant > 1) return no_flag("compliant");
  if (from.collides > 1) return no_flag("collides");
  if (from.collides_with_pinned > 1) return no_flag("collides_with_pinned");
  if (from.can_sleep > 1) return no_flag("can_sleep");
  RopeDef& def = command.def;
  if (points == nullptr) {  // input scripts have either the line or the points
    def.node_count = from.node_count;
    if (!read_position(from.start, def.start)) return outside("start");
    if (!read_position(from.end, def.end)) return outside("end");
  }
  for (std::uint32_t i = 0; points != nullptr && i < from.node_count; ++i) {
    if (!read_position(points + 3 * std::size_t{i}, command.points.emplace_back())) return outside("points");
  }
  def.segment_length_m = from.segment_length;
  def.radius_m = from.radius;
  def.mass_kg = from.mass;
  def.linear_density_kg_m = from.linear_density;
  def.mode = from.compliant != 0 ? RopeMode::kCompliant : RopeMode::kJakobsen;
  def.passes = from.passes;
  def.stiffness = from.stiffness;
  def.compliance_m_n = from.compliance;
  def.damping_n_s_m = from.damping;
  def.drag_1_s = from.drag;
  def.gravity_scale = from.gravity_scale;
  def.friction = from.friction;
  def.collides = from.collides != 0;
  def.collides_with_pinned = from.collides_with_pinned != 0;
  def.can_sleep = from.can_sleep != 0;
  def.filter = {from.category, from.mask, from.group};
  def.user_tag = from.tag;
  return TAKT_OK;
}

takt_status pin_rope(WorldObject& world, RopeId rope, std::uint32_t node, BodyId body, const double* point) {
  sim::ChangeRopeCommand command;
  command.rope = rope;
  sim::PinnedNode& pin = command.pin.emplace();
  pin.node = node;
  pin.body = body;
  if (point != nullptr && body) pin.local_anchor_m = wide_vector_of(point);
  if (point != nullptr && !body && !read_position(point, pin.target.emplace())) return outside("point");
  return give_edit(world, command);
}

}  // namespace
}  // namespace takt::c

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global
using takt::BodyId;
using takt::RopeId;
using takt::ShapeId;
namespace sim = takt::sim;

takt_status takt_world_change_body(takt_world* world, uint64_t body, const takt_body_change* change) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (change == nullptr) return null_argument("change");
        takt_body_change read{};
        if (takt_status const bad = read_struct(change, read)) return bad;
        sim::ChangeBodyCommand command;
        command.body = BodyId::from_u64(body);
        if (takt_status const bad = read_change(read, command)) return bad;
        return give_edit(w, command);
      },
      [&](RemoteWorld& r) { return r.change_body(body, change); });
}

takt_status takt_world_set_target(takt_world* world, uint64_t body, const double position[3],
                                  const double rotation[4]) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (position == nullptr || rotation == nullptr) return null_argument("position or rotation");
        sim::TargetCommand command;
        command.body = BodyId::from_u64(body);
        if (!read_position(position, command.position)) return outside("position");
        command.rotation = wide_rotation_of(rotation);
        return give_edit(w, command, command.body);
      },
      [&](RemoteWorld& r) { return r.set_target(body, position, rotation); });
}

takt_status takt_world_change_shape(takt_world* world, uint64_t shape, const takt_shape_change* change) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (change == nullptr) return null_argument("change");
        takt_shape_change read{};
        if (takt_status const bad = read_struct(change, read)) return bad;
        sim::ChangeShapeCommand command;
        command.shape = ShapeId::from_u64(shape);
        if (takt_status const bad = read_change(read, command)) return bad;
        return give_edit(w, command);
      },
      [&](RemoteWorld& r) { return r.change_shape(shape, change); });
}

takt_status takt_world_tune_mover(takt_world* world, uint64_t body, const takt_mover_tuning* tuning) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (tuning == nullptr) return null_argument("tuning");
        takt_mover_tuning read{};
        if (takt_status const bad = read_struct(tuning, read)) return bad;
        return tune_mover(w, BodyId::from_u64(body), read);
      },
      [&](RemoteWorld& r) { return r.tune_mover(body, tuning); });
}

takt_status takt_joint_defaults(uint32_t kind, takt_joint_def* def) {
  return call(__func__, [&]() -> takt_status {
    if (takt_status const bad = check_output(def)) return bad;
    if (!is_joint_kind(kind)) return fail(TAKT_ERROR_RANGE, kNoJointKind);
    takt_joint_def out{};
    out.kind = kind;
    out.rotation_a[3] = out.rotation_b[3] = 1.0;
    out.locked = locked_of(static_cast<takt::JointKind>(kind));
    out.collide_connected = kind == TAKT_JOINT_PULLEY || kind == TAKT_JOINT_GEAR ? 1 : 0;
    out.enabled = out.direct = 1;
    out.linear_damping_ratio = out.angular_damping_ratio = 1.0;
    out.max_force = out.max_torque = out.break_force = out.break_torque = takt::kUnbounded;
    out.axis_1 = out.axis_2 = static_cast<std::uint32_t>(takt::JointAxis::kAngularX);
    out.ratio = 1.0;
    write_struct(out, def);
    return TAKT_OK;
  });
}

takt_status takt_world_create_joint(takt_world* world, const takt_joint_def* def, uint64_t* joint) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (def == nullptr) return null_argument("def");
        if (joint == nullptr) return null_argument("joint");
        takt_joint_def read{};
        if (takt_status const bad = read_struct(def, read)) return bad;
        takt::JointDef made;
        if (takt_status const bad = read_joint(read, made)) return bad;
        return give_edit(w, sim::CreateJointCommand::of(made), {}, joint);
      },
      [&](RemoteWorld& r) { return r.create_joint(def, joint); });
}

takt_status takt_rope_defaults(takt_rope_def* def) {
  return call(__func__, [&]() -> takt_status {
    if (takt_status const bad = check_output(def)) return bad;
    takt::RopeDef const from;
    takt_rope_def out{};
    out.node_count = from.node_count;
    out.end[1] = -1.0;
    out.radius = from.radius_m;
    out.mass = from.mass_kg;
    out.passes = from.passes;
    out.stiffness = from.stiffness;
    out.compliance = from.compliance_m_n;
    out.drag = from.drag_1_s;
    out.gravity_scale = from.gravity_scale;
    out.friction = from.friction;
    out.collides = out.can_sleep = 1;
    out.category = from.filter.category;
    out.mask = from.filter.mask;
    write_struct(out, def);
    return TAKT_OK;
  });
}

takt_status takt_world_create_rope(takt_world* world, const takt_rope_def* def, const double* points,
                                   uint64_t* rope) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (def == nullptr) return null_argument("def");
        if (rope == nullptr) return null_argument("rope");
        takt_rope_def read{};
        if (takt_status const bad = read_struct(def, read)) return bad;
        sim::CreateRopeCommand command;
        if (takt_status const bad = read_rope(read, points, command)) return bad;
        return give_edit(w, std::move(command), {}, rope);
      },
      [&](RemoteWorld& r) { return r.create_rope(def, points, rope); });
}

takt_status takt_world_destroy_rope(takt_world* world, uint64_t rope) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return give_edit(w, sim::DestroyRopeCommand{RopeId::from_u64(rope)});
      },
      [&](RemoteWorld& r) { return r.destroy_rope(rope); });
}

takt_status takt_world_rope_length(takt_world* world, uint64_t rope, double segment_length) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeRopeCommand command;
        command.rope = RopeId::from_u64(rope);
        command.segment_length_m = segment_length;
        return give_edit(w, command);
      },
      [&](RemoteWorld& r) { return r.rope_length(rope, segment_length); });
}

takt_status takt_world_pin_rope(takt_world* world, uint64_t rope, uint32_t node, uint64_t body,
                                const double* point) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        BodyId const id = BodyId::from_u64(body);
        if (body != 0 && !id) return fail(sim::Refusal::kUnknownBody);
        return pin_rope(w, RopeId::from_u64(rope), node, id, point);
      },
      [&](RemoteWorld& r) { return r.pin_rope(rope, node, body, point); });
}

takt_status takt_world_unpin_rope(takt_world* world, uint64_t rope, uint32_t node) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        sim::ChangeRopeCommand command;
        command.rope = RopeId::from_u64(rope);
        command.released_node = node;
        return give_edit(w, command);
      },
      [&](RemoteWorld& r) { return r.unpin_rope(rope, node); });
}

takt_status takt_world_grab(takt_world* world, uint64_t body, const double* local_point,
                            const double target[3], double max_force) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (target == nullptr) return null_argument("target");
        sim::GrabCommand command;
        command.body = BodyId::from_u64(body);
        if (local_point != nullptr) command.point_local_m = vector_of(local_point);
        if (!read_position(target, command.target)) return outside("target");
        command.max_force_n = narrow(max_force);
        return give_edit(w, command, command.body);
      },
      [&](RemoteWorld& r) { return r.grab(body, local_point, target, max_force); });
}

takt_status takt_world_move_grab(takt_world* world, const double target[3]) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (target == nullptr) return null_argument("target");
        sim::MoveGrabCommand command;
        if (!read_position(target, command.target)) return outside("target");
        return give_edit(w, command);
      },
      [&](RemoteWorld& r) { return r.move_grab(target); });
}

takt_status takt_world_release(takt_world* world) {
  return call_world(
      __func__, world, [&](WorldObject& w) -> takt_status { return give_edit(w, sim::ReleaseCommand{}); },
      [&](RemoteWorld& r) { return r.release(); });
}
