// Edits of takt.h that change what scenes define: bodies, shapes, movers, new joints, ropes, and the grab.
#include <optional>
#include <utility>
#include <vector>

#include "c/edit_refusals.h"
#include "c/edit_values.h"
#include "c/takt_objects.h"

namespace takt::c {
namespace {

constexpr std::string_view kLockBits = "bits of the axes 0 to 5";
constexpr double kMaxForceN = 1e15;   // greatest finite bound of a force or torque of a new joint
constexpr double kMaxScale = 1000.0;  // of gravity, and of dampings and drags in 1/s

// Writes a fault of what the body is, not of a number.
takt_status refuse_body(sim::Refusal refusal, std::string_view text) noexcept {
  return refuse(refusal, FailureLine() << text);
}

std::uint64_t node_count_of(const WorldObject& world, RopeId rope) {
  RopeView view;
  world.world().read_rope(rope, view);
  return view.nodes.size();
}

std::uint64_t rope_node_count_of(const WorldObject& world) {
  std::vector<RopeId> ropes;
  world.world().list_ropes(ropes);
  std::uint64_t count = 0;
  for (RopeId const rope : ropes) count += node_count_of(world, rope);
  return count;
}

Vec3<double> wide_vector_of(const double* v) noexcept { return {v[0], v[1], v[2]}; }
Quat<double> wide_rotation_of(const double* q) noexcept { return {q[0], q[1], q[2], q[3]}; }

takt_status read_change(const takt_body_change& change, sim::ChangeBodyCommand& command) {
  if (takt_status const bad = check_whole("fields", change.fields, 0, 2 * TAKT_BODY_TAG - 1,
                                          "bits of TAKT_BODY_TYPE to TAKT_BODY_TAG"))
    return bad;
  auto const is_set = [&](std::uint32_t field) { return (change.fields & field) != 0; };
  if (is_set(TAKT_BODY_TYPE)) {
    if (takt_status const bad = check_whole("type", change.type, TAKT_BODY_STATIC, TAKT_BODY_DYNAMIC,
                                            "TAKT_BODY_STATIC to TAKT_BODY_DYNAMIC"))
      return bad;
    command.type = static_cast<BodyType>(change.type);
  }
  if (is_set(TAKT_BODY_ENABLED)) {
    if (takt_status const bad = check_whole("enabled", change.enabled, 0, 1)) return bad;
    command.enabled = change.enabled != 0;
  }
  if (is_set(TAKT_BODY_LOCKED)) {
    if (takt_status const bad = check_whole("locked", change.locked, 0, 63, kLockBits)) return bad;
    command.locked_axes = static_cast<std::uint8_t>(change.locked);
  }
  if (is_set(TAKT_BODY_GRAVITY_SCALE)) command.gravity_scale = change.gravity_scale;
  if (is_set(TAKT_BODY_DAMPING))
    command.damping = sim::ChangeBodyCommand::Damping{change.linear_damping, change.angular_damping};
  if (is_set(TAKT_BODY_TAG)) command.user_tag = change.tag;
  return TAKT_OK;
}

takt_status read_change(const takt_shape_change& change, sim::ChangeShapeCommand& command) {
  if (takt_status const bad = check_whole("fields", change.fields, 0, 2 * TAKT_SHAPE_SURFACE_VELOCITY - 1,
                                          "bits of TAKT_SHAPE_FILTER to TAKT_SHAPE_SURFACE_VELOCITY"))
    return bad;
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
  if (takt_status const bad = check_whole("fields", from.fields, 0, 2 * TAKT_MOVER_RECOVERY_SPEED - 1,
                                          "bits of TAKT_MOVER_MAX_SLOPE to TAKT_MOVER_RECOVERY_SPEED"))
    return bad;
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

// The text of the first member that is selected and outside of its range; empty without one.
FailureLine tuning_fault(const takt_mover_tuning& t) noexcept {
  auto const given = [&](std::uint32_t field, std::string_view name, const double& value, double low,
                         double high) {
    return if_given((t.fields & field) != 0, within(name, value, low, high));
  };
  FailureLine line;
  for (const NumberRange& range :
       {given(TAKT_MOVER_MAX_SLOPE, "max_slope", t.max_slope, 0, 1.4),
        given(TAKT_MOVER_STEP_HEIGHT, "step_height", t.step_height, 0, 10),
        given(TAKT_MOVER_STICK_DISTANCE, "stick_distance", t.stick_distance, 0, 10),
        given(TAKT_MOVER_SKIN, "skin", t.skin, 0.006, 0.018),
        given(TAKT_MOVER_MAX_SPEED, "max_speed", t.max_speed, 0, 100),
        given(TAKT_MOVER_ACCELERATION, "acceleration", t.acceleration, 0, 1e4),
        given(TAKT_MOVER_AIR_ACCELERATION, "air_acceleration", t.air_acceleration, 0, 1e4),
        given(TAKT_MOVER_JUMP_SPEED, "jump_speed", t.jump_speed, 0, 100),
        given(TAKT_MOVER_MAX_FALL_SPEED, "max_fall_speed", t.max_fall_speed, 0, 1000),
        given(TAKT_MOVER_GRAVITY_SCALE, "gravity_scale", t.gravity_scale, 0, 100),
        given(TAKT_MOVER_PUSH_FORCE, "push_force", t.push_force, 0, 1e6),
        given(TAKT_MOVER_MASS, "mass", t.mass, 0, 1e5),
        given(TAKT_MOVER_RECOVERY_SPEED, "recovery_speed", t.recovery_speed, 0, 100)}) {
    if (range.name_outside(line)) break;
  }
  return line;
}

takt_status tune_mover(WorldObject& world, BodyId body, const takt_mover_tuning& tuning) {
  sim::TuneMoverCommand command;
  command.body = body;
  if (MoverId const mover = world.world().mover_of(body)) command.tuning = world.world().mover_tuning(mover);
  if (takt_status const bad = read_tuning(tuning, command.tuning)) return bad;
  return refuse(give_edit(world, command), {}, tuning_fault(tuning).text());
}

takt_status create_mover(WorldObject& world, const takt_mover_def& d, const takt_mover_tuning& tuning,
                         std::uint64_t* body) {
  sim::CreateMoverCommand command;
  MoverDef& def = command.def;
  if (takt_status const bad = read_position("position", d.position, def.position)) return bad;
  if (takt_status const bad = read_tuning(tuning, def.tuning)) return bad;
  def.heading_rad = d.heading;
  def.radius_m = d.radius;
  def.half_length_m = d.half_length;
  def.friction = d.friction;
  def.restitution = d.restitution;
  def.filter = {d.category, d.mask, d.group};
  def.user_tag = d.tag;
  return refuse(give_edit(world, command, {}, body),
                {within("heading", d.heading, -1000, 1000), within("radius", d.radius, kMinExtentM, 100),
                 within("half_length", d.half_length, kMinExtentM, 100),
                 within("friction", d.friction, 0, 100), within("restitution", d.restitution, 0, 1)},
                tuning_fault(tuning).text());
}

takt_status change_body(WorldObject& world, BodyId body, const takt_body_change& c) {
  sim::ChangeBodyCommand command;
  command.body = body;
  if (takt_status const bad = read_change(c, command)) return bad;
  sim::Refusal const refusal = give_edit(world, command);
  if (command.type && refusal == sim::Refusal::kNotMover)
    return refuse_body(refusal, "type is given: allowed is a body without a mover, which keeps its type");
  FailureLine misfit;  // the engine has another reason for a type of each kind of shape
  misfit << "type is " << std::uint64_t{c.type}
         << ": the shapes of the body do not allow it: a dynamic body needs a mass and no mesh, and height "
            "fields and half-spaces are static";
  if (command.type && refusal == sim::Refusal::kBadShape) return refuse(refusal, misfit);
  return refuse(
      refusal,
      {if_given(command.gravity_scale.has_value(),
                within("gravity_scale", c.gravity_scale, -kMaxScale, kMaxScale)),
       if_given(command.damping.has_value(), within("linear_damping", c.linear_damping, 0, kMaxScale)),
       if_given(command.damping.has_value(), within("angular_damping", c.angular_damping, 0, kMaxScale))},
      command.type ? misfit.text() : std::string_view{});
}

takt_status change_shape(WorldObject& world, ShapeId shape, const takt_shape_change& c) {
  sim::ChangeShapeCommand command;
  command.shape = shape;
  if (takt_status const bad = read_change(c, command)) return bad;
  sim::Refusal const refusal = give_edit(world, command);
  if (refusal == sim::Refusal::kUnknownBody)
    return refuse_body(refusal, "there is no such shape: takt_world_list_shapes lists those of a body");
  return refuse(refusal,
                {if_given(command.friction.has_value(), within("friction", c.friction, 0, 100)),
                 if_given(command.restitution.has_value(), within("restitution", c.restitution, 0, 1)),
                 if_given(command.surface_velocity_m_s.has_value(),
                          each_within("surface_velocity", c.surface_velocity, 3, kMaxSurfaceSpeedMS))});
}

takt_status set_target(WorldObject& world, BodyId body, const double* position, const double* rotation) {
  sim::TargetCommand command;
  command.body = body;
  if (takt_status const bad = read_position("position", position, command.position)) return bad;
  command.rotation = wide_rotation_of(rotation);
  sim::Refusal const refusal = give_edit(world, command, body);
  if (refusal == sim::Refusal::kNotMover)
    return refuse_body(refusal, "the body is that of a mover: takt_world_move moves it");
  std::string_view otherwise = "the pose is too far away for one step: nearer ones on the way are allowed";
  if (world.world().contains(body)) {
    if (!world.world().is_enabled(body)) otherwise = "the body is disabled: enable it first";
    if (world.world().body_type(body) != BodyType::kKinematic)
      otherwise = "the body is not kinematic: change its type, or use takt_world_teleport";
  }
  return refuse(refusal, {unit_length("rotation", rotation)}, otherwise);
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

takt_status check_kind(std::uint32_t kind) noexcept {
  return check_whole("kind", kind, TAKT_JOINT_GENERIC, TAKT_JOINT_GEAR,
                     "TAKT_JOINT_GENERIC to TAKT_JOINT_GEAR");
}

takt_status read_joint(const takt_joint_def& from, JointDef& def) {
  if (takt_status const bad = check_kind(from.kind)) return bad;
  if (takt_status const bad = check_whole("locked", from.locked, 0, 63, kLockBits)) return bad;
  if (takt_status const bad = check_whole("collide_connected", from.collide_connected, 0, 1)) return bad;
  if (takt_status const bad = check_whole("enabled", from.enabled, 0, 1)) return bad;
  if (takt_status const bad = check_whole("direct", from.direct, 0, 1)) return bad;
  if (takt_status const bad = check_whole("axis_1", from.axis_1, 0, kJointAxisCount - 1)) return bad;
  if (takt_status const bad = check_whole("axis_2", from.axis_2, 0, kJointAxisCount - 1)) return bad;
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
  if (has_length && !(from.length > 0)) {
    FailureLine line;
    (void)above("length", from.length, 0, kMaxJointCoordinate).name_outside(line);
    return fail(TAKT_ERROR_RANGE, line.text());
  }
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
  if (takt_status const bad = read_position("ground_a", from.ground_a, coupling.ground_a)) return bad;
  if (takt_status const bad = read_position("ground_b", from.ground_b, coupling.ground_b)) return bad;
  def.user_tag = from.tag;
  return TAKT_OK;
}

// A bound of a force or torque of a new joint: the most that it gives, and that at which it breaks.
NumberRange force_bound(std::string_view name, const double& value) noexcept {
  NumberRange range = within(name, value, 0, kMaxForceN);
  range.also = kInfinite;
  return range;
}
NumberRange breaking_bound(std::string_view name, const double& value) noexcept {
  NumberRange range = above(name, value, 0, kMaxForceN);
  range.also = kInfinite;
  return range;
}

takt_status create_joint(WorldObject& world, const takt_joint_def& d, std::uint64_t* joint) {
  JointDef def;
  if (takt_status const bad = read_joint(d, def)) return bad;
  sim::Refusal const refusal = give_edit(world, sim::CreateJointCommand::of(def), {}, joint);
  if (refusal == sim::Refusal::kNotDynamic)
    return refuse_body(refusal, "neither body_a nor body_b is dynamic: a joint needs a dynamic body");
  if (refusal == sim::Refusal::kUnknownBody)
    return refuse_body(refusal, world.world().contains(def.body_a) ? "body_b is no body of the world"
                                                                   : "body_a is no body of the world");
  if (def.kind == JointKind::kGear &&
      (refusal == sim::Refusal::kUnknownJoint || refusal == sim::Refusal::kBadCoupling)) {
    if (!world.world().contains(def.coupling.joint_1))
      return refuse_body(refusal, "joint_1 is no joint of the world: a gear couples two");
    if (!world.world().contains(def.coupling.joint_2))
      return refuse_body(refusal, "joint_2 is no joint of the world: a gear couples two");
  }
  bool const is_pulley = def.kind == JointKind::kPulley;
  bool const is_coupling = is_pulley || def.kind == JointKind::kGear;
  NumberRange ratio = within("ratio", d.ratio, is_pulley ? 0 : -1e6, 1e6);
  ratio.rule = is_pulley ? NumberRange::Rule::kAbove : NumberRange::Rule::kNotZero;
  bool const is_one_body = def.body_a == def.body_b && def.kind != JointKind::kGear;
  return refuse(
      refusal,
      {each_within("position_a", d.position_a, 3, kMaxExtentM), unit_length("rotation_a", d.rotation_a),
       each_within("position_b", d.position_b, 3, kMaxExtentM), unit_length("rotation_b", d.rotation_b),
       softness_within("linear_frequency", d.linear_frequency),
       if_given(d.linear_frequency != 0, softness_within("linear_damping_ratio", d.linear_damping_ratio)),
       softness_within("angular_frequency", d.angular_frequency),
       if_given(d.angular_frequency != 0, softness_within("angular_damping_ratio", d.angular_damping_ratio)),
       force_bound("max_force", d.max_force), force_bound("max_torque", d.max_torque),
       breaking_bound("break_force", d.break_force), breaking_bound("break_torque", d.break_torque),
       if_given(is_pulley || def.kind == JointKind::kDistance,
                above("length", d.length, 0, kMaxJointCoordinate)),
       if_given(is_coupling, ratio)},
      is_one_body ? "body_b is body_a: allowed are two bodies, and one for a gear alone"
                  : std::string_view{});
}

takt_status read_rope(const takt_rope_def& from, const double* points, sim::CreateRopeCommand& command) {
  if (takt_status const bad = check_whole("node_count", from.node_count, 2, kMaxRopeNodes)) return bad;
  if (takt_status const bad = check_whole("compliant", from.compliant, 0, 1)) return bad;
  if (takt_status const bad = check_whole("collides", from.collides, 0, 1)) return bad;
  if (takt_status const bad = check_whole("collides_with_pinned", from.collides_with_pinned, 0, 1))
    return bad;
  if (takt_status const bad = check_whole("can_sleep", from.can_sleep, 0, 1)) return bad;
  RopeDef& def = command.def;
  if (points == nullptr) {  // input scripts have either the line or the points
    def.node_count = from.node_count;
    if (takt_status const bad = read_position("start", from.start, def.start)) return bad;
    if (takt_status const bad = read_position("end", from.end, def.end)) return bad;
  }
  for (std::size_t i = 0; points != nullptr && i < from.node_count; ++i) {
    if (takt_status const bad = read_position("points", points + 3 * i, command.points.emplace_back(), &i))
      return bad;
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

takt_status create_rope(WorldObject& world, const takt_rope_def& d, const double* points,
                        std::uint64_t* rope) {
  sim::CreateRopeCommand command;
  if (takt_status const bad = read_rope(d, points, command)) return bad;
  sim::Refusal const refusal = give_edit(world, std::move(command), {}, rope);
  auto const nodes = static_cast<double>(d.node_count);
  auto const passes = static_cast<double>(d.passes);
  bool const is_mean = d.segment_length == 0;
  bool const has_density = d.linear_density > 0;
  bool const is_compliant = d.compliant != 0;
  // A node has 1e-6 to 1e6 kg, and a rope at most 1e9.
  NumberRange const mass =
      within("mass", d.mass, has_density ? 0 : nodes / 1e6, has_density ? 1e9 : minimum(1e9, 1e6 * nodes));
  NumberRange stiffness = within("stiffness", d.stiffness, 0, 1);
  if (!is_compliant) stiffness.rule = NumberRange::Rule::kAbove;
  std::uint64_t const taken = refusal == sim::Refusal::kOutOfRange ? rope_node_count_of(world) : 0;
  bool const is_full = taken + d.node_count > kMaxWorldRopeNodes;
  FailureLine full;
  full << "node_count is " << std::uint64_t{d.node_count} << ": the ropes of the world have " << taken
       << " nodes, and allowed are " << std::uint64_t{kMaxWorldRopeNodes} << " together";
  return refuse(
      refusal,
      {if_given(!is_mean, within("segment_length", d.segment_length, kMinExtentM, 1000)),
       within("radius", d.radius, kMinExtentM, 10), within("linear_density", d.linear_density, 0, 1e6), mass,
       within("passes", passes, 1, 64), stiffness, within("compliance", d.compliance, 0, 1),
       within("damping", d.damping, 0, 1e6), within("drag", d.drag, 0, kMaxScale),
       within("gravity_scale", d.gravity_scale, -kMaxScale, kMaxScale),
       within("friction", d.friction, 0, 100)},
      is_full ? full.text()
      : is_mean
          ? "segment_length is 0 and the mean distance of the nodes is not 0.005 to 1000 m, or a node has "
            "not 1e-06 to 1e+06 kg"
          : "linear_density and segment_length do not give each node 1e-06 to 1e+06 kg");
}

takt_status pin_rope(WorldObject& world, RopeId rope, std::uint32_t node, BodyId body, const double* point) {
  sim::ChangeRopeCommand command;
  command.rope = rope;
  sim::PinnedNode& pin = command.pin.emplace();
  pin.node = node;
  pin.body = body;
  if (point != nullptr && body) pin.local_anchor_m = wide_vector_of(point);
  if (point != nullptr && !body) {
    if (takt_status const bad = read_position("point", point, pin.target.emplace())) return bad;
  }
  sim::Refusal const refusal = give_edit(world, command);
  if (refusal == sim::Refusal::kOutOfRange && node >= node_count_of(world, rope))
    return refuse(refusal, whole_outside("node", node, 0, node_count_of(world, rope) - 1));
  return refuse(refusal, {each_within("point", body ? point : nullptr, 3, 2 * kMaxExtentM)});
}

takt_status unpin_rope(WorldObject& world, RopeId rope, std::uint32_t node) {
  sim::ChangeRopeCommand command;
  command.rope = rope;
  command.released_node = node;
  sim::Refusal const refusal = give_edit(world, command);
  if (refusal != sim::Refusal::kOutOfRange) return fail(refusal);
  return refuse(refusal, whole_outside("node", node, 0, node_count_of(world, rope) - 1));
}

takt_status grab(WorldObject& world, BodyId body, const double* local_point, const double* target,
                 double max_force) {
  sim::GrabCommand command;
  command.body = body;
  if (local_point != nullptr) command.point_local_m = vector_of(local_point);
  if (takt_status const bad = read_position("target", target, command.target)) return bad;
  command.max_force_n = narrow(max_force);
  sim::Refusal const refusal = give_edit(world, command, body);
  bool const is_disabled = world.world().contains(body) && !world.world().is_enabled(body);
  return refuse(refusal,
                {length_within("local_point", local_point, kMaxExtentM),
                 binary32(above("max_force", max_force, 0, 1e9))},
                is_disabled ? std::string_view("the body is disabled: enable it first") : std::string_view{});
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
        return change_body(w, BodyId::from_u64(body), read);
      },
      [&](RemoteWorld& r) { return r.change_body(body, change); });
}

takt_status takt_world_set_target(takt_world* world, uint64_t body, const double position[3],
                                  const double rotation[4]) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (position == nullptr || rotation == nullptr) return null_argument("position or rotation");
        return set_target(w, BodyId::from_u64(body), position, rotation);
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
        return change_shape(w, ShapeId::from_u64(shape), read);
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

takt_status takt_mover_defaults(takt_mover_def* def) {
  return call(__func__, [&]() -> takt_status {
    if (takt_status const bad = check_output(def)) return bad;
    takt::MoverDef const from;
    takt_mover_def out{};
    out.category = from.filter.category;
    out.mask = from.filter.mask;
    out.radius = from.radius_m;
    out.half_length = from.half_length_m;
    out.friction = from.friction;
    write_struct(out, def);
    return TAKT_OK;
  });
}

takt_status takt_world_create_mover(takt_world* world, const takt_mover_def* def,
                                    const takt_mover_tuning* tuning, uint64_t* body) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (def == nullptr) return null_argument("def");
        if (body == nullptr) return null_argument("body");
        takt_mover_def read{};
        if (takt_status const bad = read_struct(def, read)) return bad;
        takt_mover_tuning tuned{};
        if (takt_status const bad = read_struct(tuning, tuned)) return bad;
        return create_mover(w, read, tuned, body);
      },
      [&](RemoteWorld& r) { return r.create_mover(def, tuning, body); });
}

takt_status takt_joint_defaults(uint32_t kind, takt_joint_def* def) {
  return call(__func__, [&]() -> takt_status {
    if (takt_status const bad = check_output(def)) return bad;
    if (takt_status const bad = check_kind(kind)) return bad;
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
        return create_joint(w, read, joint);
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
        return create_rope(w, read, points, rope);
      },
      [&](RemoteWorld& r) { return r.create_rope(def, points, rope); });
}

takt_status takt_world_destroy_rope(takt_world* world, uint64_t rope) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return fail(give_edit(w, sim::DestroyRopeCommand{RopeId::from_u64(rope)}));
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
        return refuse(give_edit(w, command),
                      {within("segment_length", segment_length, takt::kMinExtentM, 1000)});
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
      [&](WorldObject& w) -> takt_status { return unpin_rope(w, RopeId::from_u64(rope), node); },
      [&](RemoteWorld& r) { return r.unpin_rope(rope, node); });
}

takt_status takt_world_grab(takt_world* world, uint64_t body, const double* local_point,
                            const double target[3], double max_force) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (target == nullptr) return null_argument("target");
        return grab(w, BodyId::from_u64(body), local_point, target, max_force);
      },
      [&](RemoteWorld& r) { return r.grab(body, local_point, target, max_force); });
}

takt_status takt_world_move_grab(takt_world* world, const double target[3]) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (target == nullptr) return null_argument("target");
        sim::MoveGrabCommand command;
        if (takt_status const bad = read_position("target", target, command.target)) return bad;
        return fail(give_edit(w, command));
      },
      [&](RemoteWorld& r) { return r.move_grab(target); });
}

takt_status takt_world_release(takt_world* world) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status { return fail(give_edit(w, sim::ReleaseCommand{})); },
      [&](RemoteWorld& r) { return r.release(); });
}
