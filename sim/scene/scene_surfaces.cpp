#include "sim/scene/scene_surfaces.h"

#include <algorithm>
#include <array>

#include "sim/scene/obj_mesh.h"

namespace takt::sim {
namespace {

using Materials = flatbuffers::Vector<flatbuffers::Offset<schema::SurfaceMaterial>>;
using Bytes = flatbuffers::Vector<std::uint8_t>;

std::vector<SurfaceMaterial> read_materials(const Materials* list, const FieldPath& at, SceneFields& fields) {
  std::vector<SurfaceMaterial> materials;
  flatbuffers::uoffset_t const count = list != nullptr ? list->size() : 0;
  if (count > kMaxSurfaceMaterials) {
    fields.fail(at, "materials",
                std::to_string(count) + " materials: allowed are " + std::to_string(kMaxSurfaceMaterials));
    return materials;
  }
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i) {
    FieldPath const here{&at, "materials", i};
    SurfaceMaterial material;
    material.friction = fields.number(here, "friction", list->Get(i)->friction(), 0, 100);
    material.restitution = fields.number(here, "restitution", list->Get(i)->restitution(), 0, 1);
    materials.push_back(material);
  }
  return materials;
}

std::vector<std::uint8_t> read_bytes(const Bytes* list) {
  if (list == nullptr) return {};
  return {list->begin(), list->end()};
}

std::string_view field_of(PhysicsError error) noexcept {
  switch (error) {
    case PhysicsError::kMeshBadMaterial: return "triangle_materials";
    case PhysicsError::kNotFinite:
    case PhysicsError::kShapeTooLarge: return "vertices";
    default: return "triangles";
  }
}

/// Only these faults are of one triangle; the other ones are of the mesh or of its lists.
bool is_of_triangle(const MeshDef& mesh, PhysicsError error) noexcept {
  return error == PhysicsError::kMeshBadIndex ||
         (error == PhysicsError::kMeshBadMaterial && mesh.triangle_materials.size() == mesh.triangles.size());
}

void read_listed_mesh(const schema::Mesh& table, const FieldPath& at, SceneFields& fields, MeshDef& mesh) {
  auto const* const points = table.vertices();
  auto const* const list = table.triangles();
  if (points == nullptr || list == nullptr || list->size() == 0) {
    fields.fail(at, {}, "a mesh needs \"vertices\" and \"triangles\", or \"obj\"");
    return;
  }
  if (points->size() > kMaxMeshVertices || list->size() > kMaxMeshTriangles) {
    fields.fail(at, {}, std::string(message(PhysicsError::kMeshTooLarge)));
    return;
  }
  if (!is_aligned(*points) || reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(std::uint32_t) != 0) {
    fields.fail(at, {}, kMisaligned);
    return;
  }
  std::vector<Vec3<double>> vertices;
  for (flatbuffers::uoffset_t i = 0; i < points->size() && fields.ok(); ++i) {
    vertices.push_back(
        fields.vector({&at, "vertices", i}, {}, points->Get(i), {}, -kMaxExtentM, kMaxExtentM));
  }
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (flatbuffers::uoffset_t i = 0; i < list->size(); ++i)
    triangles.push_back({list->Get(i)->a(), list->Get(i)->b(), list->Get(i)->c()});
  mesh.vertices_m = fields.keep(std::move(vertices));
  mesh.triangles = fields.keep(std::move(triangles));
}

std::string shown_name(const schema::Mesh& table) {
  return table.obj() != nullptr ? table.obj()->str() : "obj_text";
}

/// For each name of the OBJ file its index in the mesh's materials. Without names there, usemtl means
/// nothing.
std::vector<std::uint8_t> match_materials(const schema::Mesh& table, const ObjMesh& obj, const FieldPath& at,
                                          SceneFields& fields) {
  std::vector<std::string_view> names;
  std::string listed;
  for (const schema::SurfaceMaterial* const material : *table.materials()) {
    names.push_back(material->name() != nullptr ? material->name()->string_view() : std::string_view());
    if (!names.back().empty()) listed += (listed.empty() ? "" : ", ") + std::string(names.back());
  }
  std::vector<std::uint8_t> places;
  for (std::size_t i = 0; i < obj.names.size(); ++i) {
    auto const found = std::ranges::find(names, obj.names[i]);
    if (found == names.end() || obj.names[i].empty()) {
      fields.fail(at, "obj",
                  shown_name(table) + ":" + std::to_string(obj.first_use_lines[i]) + ": usemtl " +
                      obj.names[i] + " is none of the names in \"materials\": " + listed);
      return places;
    }
    places.push_back(static_cast<std::uint8_t>(found - names.begin()));
  }
  return places;
}

bool has_names(const Materials* list) {
  return list != nullptr && std::ranges::any_of(*list, [](const schema::SurfaceMaterial* material) {
           return material->name() != nullptr;
         });
}

void read_obj_mesh(const schema::Mesh& table, const FieldPath& at, SceneFields& fields, MeshDef& mesh) {
  if (table.vertices() != nullptr || table.triangles() != nullptr) {
    fields.fail(at, {}, "a mesh has \"vertices\" and \"triangles\", or \"obj\", not both");
    return;
  }
  if (table.obj_text() == nullptr) {
    fields.fail(at, "obj",
                "the text of " + shown_name(table) +
                    " is not here: only a JSON scene read from disk brings it, any other needs \"obj_text\"");
    return;
  }
  double const scale = fields.number(at, "obj_scale", table.obj_scale(), 1e-6, 1e6);
  if (!fields.ok()) return;
  auto parsed = parse_obj(table.obj_text()->string_view(), scale);
  if (!parsed) {
    fields.fail(at, "obj",
                shown_name(table) + ":" + std::to_string(parsed.error().line) + ": " + parsed.error().text);
    return;
  }
  if (has_names(table.materials())) {
    if (!mesh.triangle_materials.empty()) {
      fields.fail(at, "triangle_materials",
                  "the OBJ file's usemtl lines say which triangle has which of the named materials: leave it "
                  "out, or the names");
      return;
    }
    auto const places = match_materials(table, *parsed, at, fields);
    if (!fields.ok()) return;
    std::vector<std::uint8_t> materials;
    for (std::uint32_t const name : parsed->material_names) {
      if (name == ObjMesh::kNoName) {
        fields.fail(at, "obj",
                    shown_name(table) + ": a face before the first usemtl has none of the named materials");
        return;
      }
      materials.push_back(places[name]);
    }
    mesh.triangle_materials = fields.keep(std::move(materials));
  }
  mesh.vertices_m = fields.keep(std::move(parsed->vertices_m));
  mesh.triangles = fields.keep(std::move(parsed->triangles));
}

}  // namespace

void read_mesh(const schema::Mesh& table, const FieldPath& at, SceneFields& fields, ShapeDef& shape) {
  shape.kind = ShapeKind::kMesh;
  MeshDef mesh;
  mesh.one_sided = table.one_sided();
  mesh.materials = fields.keep(read_materials(table.materials(), at, fields));
  mesh.triangle_materials = fields.keep(read_bytes(table.triangle_materials()));
  if (table.obj() != nullptr || table.obj_text() != nullptr) {
    read_obj_mesh(table, at, fields, mesh);
  } else {
    read_listed_mesh(table, at, fields, mesh);
  }
  shape.mesh = &fields.keep(mesh);
  if (!fields.ok()) return;
  auto const report = mesh_report(mesh);
  if (report.ok()) return;
  std::string_view const name = field_of(report.error().error);
  std::string const number = is_of_triangle(mesh, report.error().error)
                                 ? "triangle " + std::to_string(report.error().triangle) + ": "
                                 : "";
  fields.fail(at, name, number + std::string(message(report.error().error)));
}

void read_height_field(const schema::HeightField& table, const FieldPath& at, SceneFields& fields,
                       ShapeDef& shape) {
  shape.kind = ShapeKind::kHeightField;
  auto const* const list = table.heights();
  if (list == nullptr) {
    fields.fail(at, {}, "a height field needs \"heights\"");
    return;
  }
  if (!is_aligned(*list)) {
    fields.fail(at, "heights", kMisaligned);
    return;
  }
  HeightFieldDef field;
  field.rows = fields.count(at, "rows", table.rows(), 2, kMaxHeightSamples / 2);
  field.columns = fields.count(at, "columns", table.columns(), 2, kMaxHeightSamples / 2);
  field.spacing_x_m = fields.number(at, "spacing_x", table.spacing_x(), 0.01, 1000);
  field.spacing_z_m = fields.number(at, "spacing_z", table.spacing_z(), 0.01, 1000);
  std::uint64_t const wanted = std::uint64_t{field.rows} * field.columns;
  if (list->size() != wanted || wanted > kMaxHeightSamples) {
    fields.fail(at, "heights",
                std::to_string(list->size()) + " samples: expected rows x columns = " +
                    std::to_string(wanted) + ", at most " + std::to_string(kMaxHeightSamples));
    return;
  }
  std::vector<double> heights;
  for (flatbuffers::uoffset_t i = 0; i < list->size() && fields.ok(); ++i) {
    heights.push_back(fields.number(at, "heights", list->Get(i), -kMaxExtentM, kMaxExtentM));
  }
  field.heights_m = fields.keep(std::move(heights));
  field.holes = fields.keep(read_bytes(table.holes()));
  field.cell_materials = fields.keep(read_bytes(table.cell_materials()));
  field.materials = fields.keep(read_materials(table.materials(), at, fields));
  shape.height_field = &fields.keep(field);
  if (!fields.ok()) return;
  auto const volume = volume_m3(shape);  // makes it, and says why not
  if (!volume.ok()) fields.fail(at, {}, std::string(message(volume.error())));
}

}  // namespace takt::sim
