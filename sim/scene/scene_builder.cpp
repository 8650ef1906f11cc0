#include "sim/scene/scene_builder.h"

#include "sim/scene/mover_tuning_fields.h"
#include "sim/scene/scene_fields.h"
#include "sim/scene/scene_generators.h"
#include "sim/scene/scene_joints.h"
#include "sim/scene/scene_ropes.h"
#include "sim/scene/scene_shapes.h"
#include "sim/state/metres.h"

namespace takt::sim {
namespace {

void read_world(const schema::World* table, const FieldPath& root, SceneFields& fields, WorldDef& world) {
  if (table == nullptr) return;
  FieldPath const at{&root, "world"};
  world.gravity_m_s2 = fields.vector(at, "gravity", table->gravity(), world.gravity_m_s2, -1000, 1000);
  world.tick_rate_hz = fields.count(at, "tick_rate_hz", table->tick_rate_hz(), 1, 1000);
  world.substeps = fields.count(at, "substeps", table->substeps(), 1, 64);
  world.restitution_threshold_m_s =
      fields.number(at, "restitution_threshold", table->restitution_threshold(), 0, 1000);
  world.contact_push_max_m_s = fields.number(at, "contact_push_max", table->contact_push_max(), 0, 1000);
  world.max_bodies = fields.count(at, "max_bodies", table->max_bodies(), 1, 1u << 24u);
  world.max_contacts = fields.count(at, "max_contacts", table->max_contacts(), 0, 1u << 24u);
  world.seed = table->seed();
  world.allow_sleep = table->allow_sleep();
  world.hit_threshold_m_s = fields.number(at, "hit_threshold", table->hit_threshold(), 0, kMaxLinearSpeedMS);
  world.friction_rule = read_mix(at, "friction_mix", table->friction_mix(), MixRule::kAverage, fields);
  world.restitution_rule =
      read_mix(at, "restitution_mix", table->restitution_mix(), MixRule::kAverage, fields);
}

Touch read_touch(const FieldPath& at, std::string_view name, schema::Touch touch, SceneFields& fields) {
  if (touch > schema::Touch::MAX)
    fields.fail(at, name, "unknown word: expected one of nothing, own, anything");
  return static_cast<Touch>(touch);  // the same values in both
}
static_assert(static_cast<int>(schema::Touch::nothing) == static_cast<int>(Touch::kNothing));
static_assert(static_cast<int>(schema::Touch::own) == static_cast<int>(Touch::kOwn));
static_assert(static_cast<int>(schema::Touch::anything) == static_cast<int>(Touch::kAnything));

void read_players(const schema::Players* table, const FieldPath& root, SceneFields& fields, Scene& scene) {
  if (table == nullptr) return;
  CommandPolicy& policy = scene.policy;
  constexpr double kMax = 1e9;
  FieldPath const at{&root, "players"};
  policy.max_players = fields.count(at, "max_players", table->max_players(), 1, 4096);
  policy.commands_per_second =
      fields.count(at, "commands_per_second", table->commands_per_second(), 1, 100'000);
  policy.command_burst = fields.count(at, "command_burst", table->command_burst(), 1, 100'000);
  policy.push = read_touch(at, "push", table->push(), fields);
  policy.grab = read_touch(at, "grab", table->grab(), fields);
  policy.despawn = read_touch(at, "despawn", table->despawn(), fields);
  policy.teleport = read_touch(at, "teleport", table->teleport(), fields);
  policy.move = read_touch(at, "move", table->move(), fields);
  policy.spawn = table->spawn();
  policy.despawn_on_leave = table->despawn_on_leave();
  policy.max_spawned_per_player = fields.count(at, "max_spawned", table->max_spawned(), 0, 100'000);
  policy.max_forces_per_player = fields.count(at, "max_forces", table->max_forces(), 0, 1000);
  policy.max_impulse_n_s = fields.number(at, "max_impulse", table->max_impulse(), 0, kMax);
  policy.max_force_n = fields.number(at, "max_force", table->max_force(), 0, kMax);
  policy.max_torque_n_m = fields.number(at, "max_torque", table->max_torque(), 0, kMax);
  policy.max_grab_force_n = fields.number(at, "max_grab_force", table->max_grab_force(), 0, kMax);
  policy.max_spawn_size_m = fields.number(at, "max_spawn_size", table->max_spawn_size(), 0, kMax);
  policy.max_spawn_density_kg_m3 =
      fields.number(at, "max_spawn_density", table->max_spawn_density(), 0, kMax);
  policy.max_speed_m_s = fields.number(at, "max_speed", table->max_speed(), 0, kMax);
  policy.max_spin_rad_s = fields.number(at, "max_spin", table->max_spin(), 0, kMax);
  scene.max_query_length_m =
      fields.number(at, "max_query_length", table->max_query_length(), 0, kMaxQueryLengthM);
  policy.max_spawned_total = fields.count(at, "max_spawned_total", table->max_spawned_total(), 0, 100'000);
  policy.max_overlaps = fields.count(at, "max_overlaps", table->max_overlaps(), 0, 100'000);
  policy.max_ropes = fields.count(at, "max_ropes", table->max_ropes(), 0, 100'000);
}

void read_camera(const schema::Camera* table, const FieldPath& root, SceneFields& fields,
                 CameraHint& camera) {
  if (table == nullptr) return;
  FieldPath const at{&root, "camera"};
  camera.eye_m = fields.vector(at, "eye", table->eye(), camera.eye_m, -2 * kMaxSceneCoordinateM,
                               2 * kMaxSceneCoordinateM);
  camera.target_m = fields.vector(at, "target", table->target(), camera.target_m, -2 * kMaxSceneCoordinateM,
                                  2 * kMaxSceneCoordinateM);
}

BodyType read_type(const FieldPath& at, schema::BodyType type, SceneFields& fields) {
  switch (type) {
    case schema::BodyType::dynamic: return BodyType::kDynamic;
    case schema::BodyType::kinematic: return BodyType::kKinematic;
    case schema::BodyType::static_: return BodyType::kStatic;
  }
  fields.fail(at, "type", "unknown word: expected one of dynamic, kinematic, static");
  return BodyType::kDynamic;
}

std::optional<MassOverride> read_mass(const schema::Mass* table, const FieldPath& body, BodyType type,
                                      SceneFields& fields) {
  if (table == nullptr) return std::nullopt;
  FieldPath const at{&body, "mass"};
  if (type != BodyType::kDynamic)
    fields.fail(at, {}, "only dynamic bodies have a mass: leave it out or make the body dynamic");
  MassOverride mass;
  mass.mass_kg = fields.number(at, "mass", table->mass(), kMinMassKg, kMaxMassKg);
  mass.center_m = fields.vector(at, "center", table->center(), {0, 0, 0}, -kMaxExtentM, kMaxExtentM);
  Vec3<double> const i = mass.inertia_kg_m2 =
      fields.required_vector(at, "inertia", table->inertia(), 1e-12, 1e20);
  constexpr double kSlack = 1.0 + 1e-6;  // the engine's own, for the rounding of whoever worked them out
  if (i.x > (i.y + i.z) * kSlack || i.y > (i.x + i.z) * kSlack || i.z > (i.x + i.y) * kSlack) {
    fields.fail(at, "inertia", "no solid has these moments: each must be at most the sum of the others");
  }
  return mass;
}

void read_motion(const schema::Motion* table, const FieldPath& body, SceneBody& out, SceneFields& fields) {
  if (table == nullptr) return;
  FieldPath const at{&body, "motion"};
  if (out.def.type != BodyType::kKinematic)
    fields.fail(at, {}, "only kinematic bodies have a motion: set \"type\": \"kinematic\"");
  Vec3<double> const to =
      fields.required_vector(at, "to", table->to(), -kMaxSceneCoordinateM, kMaxSceneCoordinateM);
  SceneMotion motion;
  motion.to = fields.point(at, "to", to);
  motion.period_s = fields.number(at, "period", table->period(), 0.1, 3600);
  motion.phase_s = fields.number(at, "phase", table->phase(), 0, motion.period_s);
  Vec3<double> const way = relative_m(motion.to, out.def.position);
  double const fastest = 3.0 * root(way.x * way.x + way.y * way.y + way.z * way.z) /
                         motion.period_s;  // of a smooth step, halfway
  if (!is_at_most(computed(fastest), kMaxLinearSpeedMS)) {
    fields.fail(at, "to",
                "reached at " + to_text(fastest) + " m/s: allowed are " + to_text(kMaxLinearSpeedMS) +
                    " m/s; lengthen the period");
  }
  out.motion = motion;
}

double volume_of(const ShapeDef& shape) {
  constexpr double kPi = 3.14159265358979323846;
  double const r = shape.radius_m;
  switch (shape.kind) {
    case ShapeKind::kSphere: return 4.0 / 3.0 * kPi * r * r * r;
    case ShapeKind::kCapsule: return kPi * r * r * (4.0 / 3.0 * r + 2 * shape.half_length_m);
    case ShapeKind::kBox: return 8 * shape.half_extents_m.x * shape.half_extents_m.y * shape.half_extents_m.z;
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField:
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kCylinder: return kPi * r * r * 2 * shape.half_length_m;
    case ShapeKind::kCone: return kPi * r * r * 2 * shape.half_length_m / 3.0;
    case ShapeKind::kHull: {
      auto const volume = takt::volume_m3(shape);
      return volume.ok() ? *volume : 0;
    }
  }
  return 0;
}

// To about a rounding, for the message: the engine has the last word.
void check_mass(const std::vector<ShapeDef>& shapes, const FieldPath& body, SceneFields& fields) {
  double mass_kg = 0;
  for (const ShapeDef& shape : shapes)
    mass_kg += shape.is_sensor ? 0.0 : shape.density_kg_m3 * volume_of(shape);
  if (mass_kg >= kMinMassKg && mass_kg <= kMaxMassKg) return;
  fields.fail(body, "shapes",
              "their densities give a mass of " + to_text(mass_kg) + " kg: allowed is " +
                  to_text(kMinMassKg) + " to " + to_text(kMaxMassKg));
}

std::uint8_t read_locked(const schema::Locked* table) {
  if (table == nullptr) return 0;
  std::uint8_t locked = 0;
  auto const add = [&locked](bool on, std::uint8_t bit) {
    locked = static_cast<std::uint8_t>(locked | (on ? bit : 0));
  };
  add(table->linear_x(), kLockLinearX);
  add(table->linear_y(), kLockLinearY);
  add(table->linear_z(), kLockLinearZ);
  add(table->angular_x(), kLockAngularX);
  add(table->angular_y(), kLockAngularY);
  add(table->angular_z(), kLockAngularZ);
  return locked;
}

// A body that is a mover's: what the engine does not take from it must not be there.
void read_mover(const schema::Body& body, const FieldPath& at_body, SceneBody& out, SceneFields& fields) {
  schema::Mover const& table = *body.mover();
  FieldPath const at{&at_body, "mover"};
  bool const plain = body.shapes() == nullptr && body.motion() == nullptr && body.mass() == nullptr &&
                     body.velocity() == nullptr && body.rotation() == nullptr &&
                     body.euler_degrees() == nullptr && body.type() == schema::BodyType::dynamic &&
                     body.enabled();
  if (!plain)
    fields.fail(at, {}, "only name, position and user_tag may stand beside it: a mover has its own capsule");
  constexpr double kDegreeRad = 0.01745329251994329577;
  MoverDef def;
  def.position = out.def.position;
  def.user_tag = body.user_tag();
  def.heading_rad = fields.number(at, "heading_degrees", table.heading_degrees(), -360, 360) * kDegreeRad;
  def.radius_m = fields.number(at, "radius", table.radius(), kMinExtentM, 100);
  def.half_length_m = 0.5 * fields.number(at, "length", table.length(), 2 * kMinExtentM, 200);
  def.friction = fields.number(at, "friction", table.friction(), 0, 100);
  def.restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  if (table.filter() != nullptr)
    def.filter = {table.filter()->category(), table.filter()->mask(), table.filter()->group()};
  MoverTuning& t = def.tuning;
  t.max_slope_rad = fields.number(at, "max_slope_degrees", table.max_slope_degrees(), 0, 80) * kDegreeRad;
  read_mover_tuning_fields(table, at, fields, t);
  out.mover = def;
}

SceneBody read_body(const schema::Body& table, const FieldPath& at, SceneFields& fields) {
  SceneBody body;
  if (table.name() != nullptr) body.name = table.name()->str();
  if (body.name.size() > kMaxNameBytes)
    fields.fail(at, "name", "too long: allowed are " + std::to_string(kMaxNameBytes) + " bytes");
  BodyDef& def = body.def;
  def.type = read_type(at, table.type(), fields);
  def.position = fields.point(
      at, "position",
      fields.vector(at, "position", table.position(), {}, -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
  if (table.mover() != nullptr) {
    read_mover(table, at, body, fields);
    return body;
  }
  def.rotation = fields.rotation(at, table.rotation(), table.euler_degrees());
  def.linear_velocity_m_s = fields.bounded_vector(at, "velocity", table.velocity(), kMaxLinearSpeedMS);
  def.angular_velocity_rad_s =
      fields.bounded_vector(at, "angular_velocity", table.angular_velocity(), kMaxAngularSpeedRadS);
  if (def.type == BodyType::kStatic && (table.velocity() != nullptr || table.angular_velocity() != nullptr)) {
    fields.fail(at, table.velocity() != nullptr ? "velocity" : "angular_velocity",
                "static bodies do not move: leave it out or make the body kinematic");
  }
  def.linear_damping_1_s = fields.number(at, "linear_damping", table.linear_damping(), 0, 1000);
  def.angular_damping_1_s = fields.number(at, "angular_damping", table.angular_damping(), 0, 1000);
  def.gravity_scale = fields.number(at, "gravity_scale", table.gravity_scale(), -1000, 1000);
  def.mass = read_mass(table.mass(), at, def.type, fields);
  def.can_sleep = table.can_sleep();
  def.locked_axes = read_locked(table.locked());
  def.enabled = table.enabled();
  def.bullet = table.bullet();
  def.user_tag = table.user_tag();
  body.shapes = read_shapes(table.shapes(), at, def.type, fields);
  body.shape_names = read_shape_names(table.shapes(), at, fields);
  if (def.type == BodyType::kDynamic && !def.mass && fields.ok()) check_mass(body.shapes, at, fields);
  read_motion(table.motion(), at, body, fields);
  return body;
}

}  // namespace

Result<Scene, SceneFault> build_scene(const schema::Scene& file) {
  Scene scene;
  SceneFields fields;
  FieldPath const root{};
  if (file.version() != 1)
    fields.fail(root, "version", std::to_string(file.version()) + " is unknown: this takt reads version 1");
  if (file.title() != nullptr) scene.title = file.title()->str();
  if (scene.title.size() > kMaxNameBytes)
    fields.fail(root, "title", "too long: allowed are " + std::to_string(kMaxNameBytes) + " bytes");
  read_world(file.world(), root, fields, scene.world);
  read_players(file.players(), root, fields, scene);
  scene.has_policy = file.players() != nullptr;
  read_camera(file.camera(), root, fields, scene.camera);
  std::uint32_t const max = minimum(kMaxSceneBodies, scene.world.max_bodies);
  auto const count_check = [&](const FieldPath& at) {
    if (scene.bodies.size() > max)
      fields.fail(at, {}, "more bodies than allowed: at most " + std::to_string(max));
  };
  if (file.bodies() != nullptr) {
    for (flatbuffers::uoffset_t i = 0; i < file.bodies()->size() && fields.ok(); ++i) {
      FieldPath const at{&root, "bodies", i};
      scene.bodies.push_back(read_body(*file.bodies()->Get(i), at, fields));
      count_check(at);
    }
  }
  if (file.generators() != nullptr) {
    for (flatbuffers::uoffset_t i = 0; i < file.generators()->size() && fields.ok(); ++i) {
      FieldPath const at{&root, "generators", i};
      run_generator(*file.generators()->Get(i), at, fields, scene);
      count_check(at);
    }
  }
  auto const nodes_of = [](const SceneRope& rope) {
    return rope.points.empty() ? rope.def.node_count : rope.points.size();
  };
  if (file.ropes() != nullptr) {
    std::size_t nodes = 0;
    for (const SceneRope& rope : scene.ropes) nodes += nodes_of(rope);
    for (flatbuffers::uoffset_t i = 0; i < file.ropes()->size() && fields.ok(); ++i) {
      FieldPath const at{&root, "ropes", i};
      scene.ropes.push_back(read_rope(*file.ropes()->Get(i), at, scene.bodies, fields));
      nodes += nodes_of(scene.ropes.back());
      if (nodes > kMaxWorldRopeNodes)
        fields.fail(at, {},
                    "more nodes than allowed: all ropes may have " + std::to_string(kMaxWorldRopeNodes));
    }
  }
  if (file.joints() != nullptr) read_joints(*file.joints(), root, scene.bodies, fields, scene.joints);
  if (!fields.ok()) return fields.fault();
  scene.kept = fields.take_kept();
  return scene;
}

}  // namespace takt::sim
