// SurfaceGeometry is the immutable geometry of a mesh or height field in a world. It holds the SurfaceSource
// (vertices or heights, on the grid of hull_builder.h) and the TriangleMesh built from the source. Only the
// source is saved and hashed (visit_surface). make_surface() builds the geometry from a MeshDef or
// HeightFieldDef, restored_surface() from the source in a saved world (image). Equal sources give equal
// geometry, and the digest of the source identifies the geometry in the world.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics/geometry/triangle_mesh.h"
#include "takt/physics/body.h"

namespace takt {

/// Source of a surface, rounded to the grid. A mesh has no degenerate triangles, its vertices differ, and
/// they are in the order of first use by the triangles.
struct SurfaceSource {
  ShapeKind kind = ShapeKind::kMesh;
  bool one_sided = false;
  std::vector<GridPoint> vertices;                      ///< mesh
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< mesh
  std::uint32_t rows = 0;                               ///< height field
  std::uint32_t columns = 0;
  std::int64_t spacing_x = 0;  ///< grid units
  std::int64_t spacing_z = 0;
  std::vector<std::int64_t> heights;       ///< grid units, rows x columns
  std::vector<std::uint8_t> holes;         ///< by cell, row by row: 1 = hole, else 0; empty without holes
  std::vector<std::uint8_t> materials_at;  ///< by triangle or cell; empty = all of material 0
  std::vector<SurfaceMaterial> materials;  ///< by index; empty = the shape's own material
  friend bool operator==(const SurfaceSource&, const SurfaceSource&) = default;
};

/// A surface with its definitions. The spans of `mesh` and `height_field` refer to other members, so the
/// object can be neither copied nor moved.
struct SurfaceGeometry {
  SurfaceGeometry() = default;
  SurfaceGeometry(const SurfaceGeometry&) = delete;
  SurfaceGeometry& operator=(const SurfaceGeometry&) = delete;

  SurfaceSource source;
  MeshDef mesh;                   ///< equivalent definition; meshes only
  HeightFieldDef height_field;    ///< equivalent definition; height fields only
  std::vector<double> heights_m;  ///< of height_field
  TriangleMesh surface;
  std::uint64_t digest = 0;  ///< XXH3-64 of the source's canonical encoding (visit_surface)

  /// Material of a triangle of `surface`; null for the shape's own.
  [[nodiscard]] const SurfaceMaterial* material(std::uint32_t triangle) const noexcept {
    return source.materials.empty() ? nullptr : &source.materials[surface.triangle(triangle).material];
  }
};

/// Visits the fields of a source in the order of world images, with a visitor of state_visitor.h. The digest
/// depends on the order, so a change breaks saved worlds.
template <class V, class Source>
void visit_surface(V& v, Source& source) {
  auto kind = static_cast<std::uint8_t>(source.kind);
  v.value("kind", kind);
  if constexpr (!std::is_const_v<Source>) source.kind = static_cast<ShapeKind>(kind);
  v.value("one_sided", source.one_sided);
  if (source.kind == ShapeKind::kMesh) {
    v.list("vertex", source.vertices, [&v](auto& p) {
      v.value("x", p.x);
      v.value("y", p.y);
      v.value("z", p.z);
    });
    v.list("triangle", source.triangles, [&v](auto& triangle) {
      v.value("a", triangle[0]);
      v.value("b", triangle[1]);
      v.value("c", triangle[2]);
    });
  } else {
    v.value("rows", source.rows);
    v.value("columns", source.columns);
    v.value("spacing_x", source.spacing_x);
    v.value("spacing_z", source.spacing_z);
    v.list("height", source.heights, [&v](auto& height) { v.value("y", height); });
    v.list("hole", source.holes, [&v](auto& hole) { v.value("hole", hole); });
  }
  v.list("material_at", source.materials_at, [&v](auto& index) { v.value("index", index); });
  v.list("material", source.materials, [&v](auto& material) {
    v.value("friction", material.friction);
    v.value("restitution", material.restitution);
  });
}

/// Builds from a definition. Errors of a mesh are those of mesh_report(). Errors of a height field:
/// kHeightFieldBadSize, kMeshBadMaterial, kMeshEmpty (only holes), kNotFinite, kShapeTooLarge (a height
/// beyond kMaxExtentM), kOutOfRange (a material).
[[nodiscard]] Result<std::shared_ptr<const SurfaceGeometry>, PhysicsError> make_surface(const MeshDef& mesh);
[[nodiscard]] Result<std::shared_ptr<const SurfaceGeometry>, PhysicsError> make_surface(
    const HeightFieldDef& field);

/// Builds from the untrusted source in a world image. The result is null unless this is exactly the source
/// that make_surface() would store.
[[nodiscard]] std::shared_ptr<const SurfaceGeometry> restored_surface(SurfaceSource source);

}  // namespace takt
