#include "takt/sim/scene.h"

#include <flatbuffers/flatbuffers.h>

#include "sim/scene/scene_builder.h"
#include "sim/scene/scene_files.h"
#include "sim/scene/scene_joint_parts.h"
#include "sim/scene/scene_joints.h"
#include "sim/scene/scene_ropes.h"
#include "sim/scene/schema_json.h"
#include "sim/state/byte_fields.h"
#include "sim/state/policy_fields.h"
#include "takt/core/hash.h"
#include "takt/physics/float_control.h"
#include "takt/physics/world.h"

namespace takt::sim {
namespace {

// Limits of the Verifier: a scene nests 6 deep, and a table takes at least 4 bytes of the buffer.
constexpr flatbuffers::uoffset_t kMaxTableDepth = 8;
constexpr flatbuffers::uoffset_t kMaxTables = 1u << 20u;

std::span<const std::byte> text_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

bool has_identifier(std::span<const std::byte> bytes) {
  return bytes.size() >= 8 && flatbuffers::BufferHasIdentifier(bytes.data(), schema::SceneIdentifier());
}

template <class Table>
std::size_t count_of(const flatbuffers::Vector<flatbuffers::Offset<Table>>* list) {
  return list != nullptr ? list->size() : 0;
}
std::string in_list(std::string_view list, std::size_t i) {
  return std::string(list) + '[' + std::to_string(i) + ']';
}
SceneFault refused(std::string path, PhysicsError error) {
  return {std::move(path), "the engine refuses it: " + std::string(message(error))};
}

// Checks that only the engine can make, such as the inertia of a compound body: every body is created once in
// a temporary world.
std::optional<SceneFault> refusal_of_engine(const Scene& scene, const schema::Scene& file) {
  Result<World<float>, PhysicsError> world = World<float>::create(scene.world);
  if (!world) return SceneFault{"world", std::string(message(world.error()))};
  std::vector<BodyId> ids;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    BodyDef def = scene.bodies[i].def;
    def.shapes = scene.bodies[i].shapes;
    std::optional<PhysicsError> error;
    if (scene.bodies[i].mover) {
      auto const mover = world->create_mover(*scene.bodies[i].mover);
      if (mover) ids.push_back(world->mover(*mover).body);
      if (!mover) error = mover.error();
    } else {
      auto const body = world->create_body(def);
      if (body) ids.push_back(*body);
      if (!body) error = body.error();
    }
    if (!error) continue;
    return refused(i < count_of(file.bodies()) ? in_list("bodies", i) : "generators", *error);
  }
  for (std::size_t i = 0; i < scene.ropes.size(); ++i) {
    auto const rope = with_definition(scene.ropes[i], ids,
                                      [&world](const RopeDef& def) { return world->create_rope(def); });
    std::size_t const generated = scene.ropes.size() - count_of(file.ropes());
    if (!rope) return refused(i < generated ? "generators" : in_list("ropes", i - generated), rope.error());
  }
  std::vector<JointId> joints;
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    auto const joint = world->create_joint(definition_in(*world, scene.joints[i], ids, joints));
    std::size_t const generated = scene.joints.size() - count_of(file.joints());
    if (!joint)
      return refused(i < generated ? "generators" : in_list("joints", i - generated), joint.error());
    joints.push_back(*joint);
  }
  return std::nullopt;
}

Result<Scene, SceneFault> load_binary(std::span<const std::byte> bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                 kMaxTableDepth, kMaxTables);
  if (!schema::VerifySceneBuffer(verifier))
    return SceneFault{"", "a damaged binary scene: write it again from its JSON"};
  schema::Scene const& file = *schema::GetScene(bytes.data());
  Result<Scene, SceneFault> scene = build_scene(file);
  if (!scene) return scene;
  if (std::optional<SceneFault> refusal = refusal_of_engine(*scene, file)) return *std::move(refusal);
  scene->binary.assign(bytes.begin(), bytes.end());
  return scene;
}

// Not inlined into its caller, which sets the floating-point control word (see FloatControlGuard).
[[gnu::noinline]] Result<Scene, SceneError> load_guarded(std::span<const std::byte> bytes,
                                                         std::string_view file_name,
                                                         const SceneFiles* files) {
  std::string const file(file_name);
  if (bytes.size() > kMaxSceneTextBytes) {
    return SceneError{
        file, 0,
        std::to_string(bytes.size()) + " bytes: a scene has at most " + std::to_string(kMaxSceneTextBytes)};
  }
  if (has_identifier(bytes)) {
    Result<Scene, SceneFault> scene = load_binary(bytes);
    if (!scene) return SceneError{file, 0, sentence(scene.error())};
    return *std::move(scene);
  }
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string whole;
  if (files != nullptr) {
    Result<std::string, JsonFault> filled = with_files(text, *files);
    if (!filled) return SceneError{file, filled.error().line, filled.error().text};
    text = whole = *std::move(filled);
  }
  Result<std::vector<std::byte>, JsonFault> binary = parse_json(JsonSchema::kScene, text);
  if (!binary) return SceneError{file, binary.error().line, binary.error().text};
  Result<Scene, SceneFault> scene = load_binary(*binary);
  if (!scene) return SceneError{file, line_of_path(text, scene.error().path), sentence(scene.error())};
  return *std::move(scene);
}

// The hash depends on this order.
void write_canonical(const WorldDef& world, FieldWriter& out) {
  out(world.gravity_m_s2);
  out(world.tick_rate_hz);
  out(world.substeps);
  out(world.restitution_threshold_m_s);
  out(world.contact_push_max_m_s);
  out(world.friction_rule);
  out(world.restitution_rule);
  out(world.hit_threshold_m_s);
  out(world.max_bodies);
  out(world.seed);
  out(world.allow_sleep);
}

template <class List, class Write>
void write_list(const List& list, FieldWriter& out, Write write) {
  out(static_cast<std::uint32_t>(list.size()));
  for (const auto& element : list) write(element);
}
void write_materials(std::span<const std::uint8_t> at, std::span<const SurfaceMaterial> materials,
                     FieldWriter& out) {
  write_list(at, out, [&out](std::uint8_t index) { out(index); });
  write_list(materials, out, [&out](const SurfaceMaterial& material) {
    out(material.friction);
    out(material.restitution);
  });
}
void write_mesh(const MeshDef& mesh, FieldWriter& out) {
  out(mesh.one_sided);
  write_list(mesh.vertices_m, out, [&out](const Vec3<double>& point) { out(point); });
  write_list(mesh.triangles, out, [&out](const std::array<std::uint32_t, 3>& triangle) {
    for (std::uint32_t const index : triangle) out(index);
  });
  write_materials(mesh.triangle_materials, mesh.materials, out);
}
void write_height_field(const HeightFieldDef& field, FieldWriter& out) {
  out(field.rows);
  out(field.columns);
  out(field.spacing_x_m);
  out(field.spacing_z_m);
  write_list(field.heights_m, out, [&out](double height) { out(height); });
  write_list(field.holes, out, [&out](std::uint8_t hole) { out(hole); });
  write_materials(field.cell_materials, field.materials, out);
}

void write_canonical(const ShapeDef& shape, FieldWriter& out) {
  out(shape.kind);
  // Only what the kind uses: the rest is not read by the engine either.
  if (shape.kind == ShapeKind::kBox) out(shape.half_extents_m);
  if (shape.kind == ShapeKind::kSphere || shape.kind == ShapeKind::kCapsule) out(shape.radius_m);
  if (shape.kind == ShapeKind::kCapsule) out(shape.half_length_m);
  if (shape.kind == ShapeKind::kCylinder || shape.kind == ShapeKind::kCone) {
    out(shape.radius_m);
    out(shape.half_length_m);
  }
  if (shape.kind == ShapeKind::kHull) {
    out(shape.rounding_m);
    out(static_cast<std::uint32_t>(shape.hull_points_m.size()));
    for (const Vec3<double>& point : shape.hull_points_m) out(point);
  }
  if (shape.kind == ShapeKind::kMesh) write_mesh(*shape.mesh, out);
  if (shape.kind == ShapeKind::kHeightField) write_height_field(*shape.height_field, out);
  out(shape.local_position_m);
  out(shape.local_rotation);
  out(shape.density_kg_m3);
  out(shape.friction);
  out(shape.restitution);
  out(shape.rolling_resistance);
  write_canonical(shape.contact_softness, out);
  out(shape.surface_velocity_m_s);
  out(shape.friction_rule);
  out(shape.restitution_rule);
  out(shape.is_sensor);
  out(shape.filter.category);
  out(shape.filter.mask);
  out(shape.filter.group);
}

void write_canonical(const MoverDef& def, FieldWriter& out) {
  out(def.position);
  out(def.heading_rad);
  out(def.radius_m);
  out(def.half_length_m);
  out(def.friction);
  out(def.restitution);
  out(def.filter.category);
  out(def.filter.mask);
  out(def.filter.group);
  out(def.user_tag);
  const MoverTuning& t = def.tuning;
  for (double const field :
       {t.max_slope_rad, t.step_height_m, t.stick_distance_m, t.skin_m, t.max_speed_m_s, t.acceleration_m_s2,
        t.air_acceleration_m_s2, t.jump_speed_m_s, t.max_fall_speed_m_s, t.gravity_scale, t.push_force_n,
        t.mass_kg, t.recovery_speed_m_s}) {
    out(field);
  }
}

void write_canonical(const SceneBody& body, FieldWriter& out) {
  out(body.mover.has_value());
  if (body.mover) return write_canonical(*body.mover, out);
  out(body.def.type);
  out(body.def.position);
  out(body.def.rotation);
  out(body.def.linear_velocity_m_s);
  out(body.def.angular_velocity_rad_s);
  out(body.def.linear_damping_1_s);
  out(body.def.angular_damping_1_s);
  out(body.def.gravity_scale);
  out(body.def.mass.has_value());
  if (body.def.mass) {
    out(body.def.mass->mass_kg);
    out(body.def.mass->center_m);
    out(body.def.mass->inertia_kg_m2);
  }
  out(body.def.can_sleep);
  out(body.def.locked_axes);
  out(body.def.enabled);
  out(body.def.bullet);
  out(body.def.user_tag);
  out(static_cast<std::uint32_t>(body.shapes.size()));
  for (const ShapeDef& shape : body.shapes) write_canonical(shape, out);
  out(body.motion.has_value());
  if (body.motion) {
    out(body.motion->to);
    out(body.motion->period_s);
    out(body.motion->phase_s);
  }
}

}  // namespace

std::string message(const SceneError& error) {
  std::string const line = error.line == 0 ? std::string() : ':' + std::to_string(error.line);
  return error.file + line + ": " + error.text;
}

Result<Scene, SceneError> load_scene(std::span<const std::byte> bytes, std::string_view file_name,
                                     const SceneFiles* files) {
  FloatControlGuard const guard;
  return load_guarded(bytes, file_name, files);
}

Result<Scene, SceneError> load_scene(std::string_view json, std::string_view file_name,
                                     const SceneFiles* files) {
  return load_scene(text_bytes(json), file_name, files);
}

std::uint64_t scene_hash(const Scene& scene) {
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  FieldWriter out(writer);
  write_canonical(scene.world, out);
  visit_fields(scene.policy, [&](std::string_view, const auto& value) { out(value); });
  out(static_cast<std::uint32_t>(scene.bodies.size()));
  for (const SceneBody& body : scene.bodies) write_canonical(body, out);
  for (const SceneRope& rope : scene.ropes)
    write_canonical(rope, out);  // at the end: a scene without ropes has the hash that it always had
  if (!scene.joints.empty()) {   // the same
    out(static_cast<std::uint32_t>(scene.joints.size()));
    for (const SceneJoint& joint : scene.joints) write_canonical(joint, out);
  }
  if (has_later_fields(scene.policy))
    visit_later_fields(scene.policy, [&](std::string_view, const auto& value) { out(value); });
  if (has_newer_fields(scene.policy))
    visit_newer_fields(scene.policy, [&](std::string_view, const auto& value) { out(value); });
  if (scene.world.max_contacts != 0) out(scene.world.max_contacts);
  return hash_bytes(bytes);
}

}  // namespace takt::sim
