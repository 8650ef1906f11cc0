#include "sim/replication/shape_geometry.h"

#include "takt/core/assert.h"

namespace takt::sim {
namespace {

protocol::Vec3f narrowed(const Vec3<double>& v) noexcept {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Vec3<double> min(Vec3<double> a, Vec3<double> b) noexcept {
  return {minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z)};
}
Vec3<double> max(Vec3<double> a, Vec3<double> b) noexcept {
  return {maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z)};
}

GeometryBox box_between(Vec3<double> lower, Vec3<double> upper) noexcept {
  return {(lower + upper) * 0.5, (upper - lower) * 0.5};
}

protocol::Geometry hull_of(const AnyWorld& world, ShapeId id, const ShapeDef& shape) {
  protocol::Geometry out;
  out.kind = protocol::GeometryKind::kHull;
  for (const Vec3<double>& corner : shape.hull_points_m) out.vertices.push_back(narrowed(corner));
  for (std::span<const std::uint8_t> const face : world.hull_faces(id)) {
    out.face_sizes.push_back(static_cast<std::uint8_t>(face.size()));
    out.indices.insert(out.indices.end(), face.begin(), face.end());
  }
  return out;
}

protocol::Geometry mesh_of(const ShapeDef& shape) {
  const MeshDef& mesh = *shape.mesh;
  Vec3<double> const middle = geometry_box(shape).middle_m;
  protocol::Geometry out;
  out.kind = protocol::GeometryKind::kMesh;
  out.one_sided = mesh.one_sided;
  out.vertices.reserve(mesh.vertices_m.size());
  for (const Vec3<double>& vertex : mesh.vertices_m) out.vertices.push_back(narrowed(vertex - middle));
  out.indices.reserve(mesh.triangles.size() * 3);
  for (const auto& triangle : mesh.triangles)
    out.indices.insert(out.indices.end(), triangle.begin(), triangle.end());
  return out;
}

protocol::Geometry height_field_of(const ShapeDef& shape) {
  const HeightFieldDef& field = *shape.height_field;
  Vec3<double> const middle = geometry_box(shape).middle_m;
  protocol::Geometry out;
  out.kind = protocol::GeometryKind::kHeightField;
  out.rows = field.rows;
  out.columns = field.columns;
  out.spacing_x = static_cast<float>(field.spacing_x_m);
  out.spacing_z = static_cast<float>(field.spacing_z_m);
  out.heights.reserve(field.heights_m.size());
  for (double const height : field.heights_m) out.heights.push_back(static_cast<float>(height - middle.y));
  for (std::uint8_t const hole : field.holes) out.holes.push_back(hole != 0 ? 1 : 0);
  return out;
}

}  // namespace

GeometryBox geometry_box(const ShapeDef& shape) {
  switch (shape.kind) {
    case ShapeKind::kHull: {
      // Its corners stand about the middle of their box already.
      Vec3<double> half{};
      for (const Vec3<double>& p : shape.hull_points_m)
        half = max(half, {absolute(p.x), absolute(p.y), absolute(p.z)});
      return {{}, half};
    }
    case ShapeKind::kMesh: {
      Vec3<double> lower = shape.mesh->vertices_m[0];
      Vec3<double> upper = lower;
      for (const Vec3<double>& p : shape.mesh->vertices_m) {
        lower = min(lower, p);
        upper = max(upper, p);
      }
      return box_between(lower, upper);
    }
    case ShapeKind::kHeightField: {
      const HeightFieldDef& field = *shape.height_field;
      Vec3<double> lower{0, field.heights_m[0], 0};
      Vec3<double> upper{field.spacing_x_m * (field.columns - 1), field.heights_m[0],
                         field.spacing_z_m * (field.rows - 1)};
      for (double const height : field.heights_m) {
        lower.y = minimum(lower.y, height);
        upper.y = maximum(upper.y, height);
      }
      return box_between(lower, upper);
    }
    default: break;
  }
  TAKT_ASSERT(false);
  return {};
}

std::uint64_t wire_geometry_bytes(const AnyWorld& world, ShapeId id, const ShapeDef& shape) {
  if (shape.kind == ShapeKind::kMesh)
    return 12 + 12 * std::uint64_t{shape.mesh->vertices_m.size()} +
           12 * std::uint64_t{shape.mesh->triangles.size()};
  return encoded_bytes(wire_geometry(world, id, shape));  // at most 2 MiB
}

protocol::Geometry wire_geometry(const AnyWorld& world, ShapeId id, const ShapeDef& shape) {
  switch (shape.kind) {
    case ShapeKind::kHull: return hull_of(world, id, shape);
    case ShapeKind::kMesh: return mesh_of(shape);
    case ShapeKind::kHeightField: return height_field_of(shape);
    default: break;
  }
  TAKT_ASSERT(false);
  return {};
}

}  // namespace takt::sim
