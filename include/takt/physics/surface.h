// MeshDef and HeightFieldDef define surfaces: triangle meshes and height fields, with materials
// (SurfaceMaterial). Both are views of the caller's arrays in SI units, which World::create_body reads and
// copies. A surface has no mass: a mesh belongs to a static or kinematic body, a height field to a static
// one. mesh_report() checks a mesh without a world and counts its triangles and border edges.
// docs/COLLISION.md describes contacts with surfaces.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/physics/vector.h"

namespace takt {

/// Maximum number of triangles and vertices of a mesh, and of samples of a height field (each cell is two
/// triangles). They keep the index of a triangle, and with it the feature ids of contacts, within their bits.
inline constexpr std::uint32_t kMaxMeshTriangles = 1u << 20;
inline constexpr std::uint32_t kMaxMeshVertices = 1u << 20;
inline constexpr std::uint32_t kMaxHeightSamples = 1u << 19;
/// Maximum number of materials of one surface.
inline constexpr std::uint32_t kMaxSurfaceMaterials = 64;
/// A triangle whose smallest height is below this, m, has no reliable normal: meshes omit it.
inline constexpr double kMinTriangleHeightM = 1e-5;

/// Material of a part of a surface. It replaces the friction and restitution of its shape.
struct SurfaceMaterial {
  double friction = 0.6;     ///< Coulomb, dimensionless, [0, 100]
  double restitution = 0.0;  ///< dimensionless, [0, 1]
  friend bool operator==(const SurfaceMaterial&, const SurfaceMaterial&) = default;
};

/// A triangle mesh. The front of a triangle is the side from which its vertices run counter-clockwise.
///
/// Vertices are rounded to 60 nm. Vertices at equal positions are merged, so that neighbours are recognised.
/// Triangles with two equal vertices, or thinner than kMinTriangleHeightM, are omitted (mesh_report counts
/// them and names the first).
struct MeshDef {
  std::span<const Vec3<double>>
      vertices_m{};  ///< in the shape's frame, each within +-kMaxExtentM; at most kMaxMeshVertices
  std::span<const std::array<std::uint32_t, 3>> triangles{};  ///< vertex indices; 1 to kMaxMeshTriangles
  std::span<const std::uint8_t>
      triangle_materials{};                      ///< empty, or an index of `materials` for each triangle
  std::span<const SurfaceMaterial> materials{};  ///< empty = the shape's own; at most kMaxSurfaceMaterials
  bool one_sided = false;  ///< true: only shapes whose centre is in front of a triangle touch it
};

/// Ground over a rectangle. Sample (row r, column c) stands at (c spacing_x, height, r spacing_z) in the
/// shape's frame. The cell between four samples is two triangles; its diagonal always runs from (r, c) to (r
/// + 1, c + 1). Bodies touch it from above only.
struct HeightFieldDef {
  std::uint32_t rows = 0;                 ///< along z, at least 2
  std::uint32_t columns = 0;              ///< along x, at least 2; rows x columns at most kMaxHeightSamples
  double spacing_x_m = 1.0;               ///< [0.01, 1000]; the whole field at most kMaxExtentM long
  double spacing_z_m = 1.0;               ///< same range and limit along z
  std::span<const double> heights_m{};    ///< rows x columns, row-major; each within +-kMaxExtentM
  std::span<const std::uint8_t> holes{};  ///< empty, or (rows - 1) x (columns - 1), row-major: not 0 = hole
  std::span<const std::uint8_t>
      cell_materials{};  ///< empty, or (rows - 1) x (columns - 1) indices of `materials`
  std::span<const SurfaceMaterial> materials{};  ///< empty = the shape's own; at most kMaxSurfaceMaterials
};

/// Statistics of a mesh, for tools and messages.
struct MeshReport {
  std::uint32_t triangle_count = 0;    ///< triangles kept
  std::uint32_t degenerate_count = 0;  ///< triangles omitted
  std::uint32_t first_degenerate =
      0;  ///< index of the first omitted triangle in the definition, when there is one
  std::uint32_t border_edge_count =
      0;  ///< edges with one triangle, with more than two, or with two that traverse it in one direction
  bool closed =
      false;  ///< no border edges: the mesh bounds a solid, and its triangles are consistently oriented
};

/// Reason of a refusal, and the triangle or vertex at fault.
struct MeshFault {
  PhysicsError error = PhysicsError::kMeshEmpty;
  std::uint32_t triangle = 0;  ///< for kMeshBadIndex, and kMeshBadMaterial with an index for each triangle
  std::uint32_t vertex = 0;    ///< for kNotFinite and kShapeTooLarge, unless a material is not finite
};

/// Checks a definition as create_body does. Errors: kMeshEmpty (no triangle is left), kMeshTooLarge,
/// kMeshBadIndex, kMeshBadMaterial, kNotFinite, kShapeTooLarge, kOutOfRange (a material).
[[nodiscard]] Result<MeshReport, MeshFault> mesh_report(const MeshDef& mesh);

}  // namespace takt
