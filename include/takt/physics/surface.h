// Surfaces that bodies stand on: triangle meshes and height fields. Definitions only: plain views in SI
// units, read during create_body. They have no mass, so they belong to bodies that nothing pushes. What a
// surface does to the shapes that touch it: docs/CONTACTS.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/physics/vector.h"

namespace takt {

/// Most triangles and corners of a mesh, and samples of a height field (of which each cell is two triangles):
/// what keeps the index of a triangle, and with it the feature ids of contacts, within their bits.
inline constexpr std::uint32_t kMaxMeshTriangles = 1u << 20;
inline constexpr std::uint32_t kMaxMeshVertices = 1u << 20;
inline constexpr std::uint32_t kMaxHeightSamples = 1u << 19;
/// Materials of one surface.
inline constexpr std::uint32_t kMaxSurfaceMaterials = 64;
/// A triangle whose least height is below this, m, has no direction to stand on: meshes leave it out.
inline constexpr double kMinTriangleHeightM = 1e-5;

/// What a part of a surface is made of, in place of its shape's own friction and restitution.
struct SurfaceMaterial {
  double friction = 0.6;     ///< Coulomb, dimensionless, [0, 100]
  double restitution = 0.0;  ///< dimensionless, [0, 1]
  friend bool operator==(const SurfaceMaterial&, const SurfaceMaterial&) = default;
};

/// A triangle mesh. The front of a triangle is where its corners run counter-clockwise.
///
/// Corners are rounded to 60 nm; corners at the same place are one corner, so that neighbours are known as
/// such. Triangles with two corners at one place, or thinner than kMinTriangleHeightM, are left out
/// (mesh_report counts them and names the first).
struct MeshDef {
  std::span<const Vec3<double>>
      vertices_m{};  ///< in the shape's frame, each within +-kMaxExtentM; at most kMaxMeshVertices
  std::span<const std::array<std::uint32_t, 3>> triangles{};  ///< indices of vertices; 1 to kMaxMeshTriangles
  std::span<const std::uint8_t>
      triangle_materials{};                      ///< empty, or an index of `materials` for each triangle
  std::span<const SurfaceMaterial> materials{};  ///< empty = the shape's own; at most kMaxSurfaceMaterials
  bool one_sided = false;  ///< true: only shapes whose middle is before a triangle's front touch it
};

/// Ground over a rectangle. Sample (row r, column c) stands at (c spacing_x, height, r spacing_z) in the
/// shape's frame. The cell between four samples is two triangles: its diagonal runs from (r, c) to (r + 1, c
/// + 1), always. Bodies touch it from above only.
struct HeightFieldDef {
  std::uint32_t rows = 0;                 ///< along z, at least 2
  std::uint32_t columns = 0;              ///< along x, at least 2; rows x columns at most kMaxHeightSamples
  double spacing_x_m = 1.0;               ///< [0.01, 1000]; the whole at most kMaxExtentM long
  double spacing_z_m = 1.0;               ///< same
  std::span<const double> heights_m{};    ///< rows x columns, row after row; each within +-kMaxExtentM
  std::span<const std::uint8_t> holes{};  ///< empty, or (rows - 1) x (columns - 1): not 0 = nothing there
  std::span<const std::uint8_t>
      cell_materials{};  ///< empty, or (rows - 1) x (columns - 1) indices of `materials`
  std::span<const SurfaceMaterial> materials{};  ///< empty = the shape's own; at most kMaxSurfaceMaterials
};

/// What a mesh is like, for tools and messages.
struct MeshReport {
  std::uint32_t triangle_count = 0;    ///< that are kept
  std::uint32_t degenerate_count = 0;  ///< that are left out
  std::uint32_t first_degenerate = 0;  ///< number of the first of these in the definition, when there is one
  std::uint32_t border_edge_count =
      0;  ///< edges of one triangle, or of more than two, or that two run through the same way
  bool closed =
      false;  ///< no border edges: the mesh is the surface of a solid, and its fronts all look the same way
};

/// Why a mesh is refused, and which triangle or vertex is at fault.
struct MeshFault {
  PhysicsError error = PhysicsError::kMeshEmpty;
  std::uint32_t triangle = 0;  ///< for kMeshBadIndex and kMeshBadMaterial
  std::uint32_t vertex = 0;    ///< for kNotFinite and kOutOfRange
};

/// Looks at a definition as create_body would. Errors: kMeshEmpty (no triangle is left), kMeshTooLarge,
/// kMeshBadIndex, kMeshBadMaterial, kNotFinite, kShapeTooLarge, kOutOfRange (a material).
[[nodiscard]] Result<MeshReport, MeshFault> mesh_report(const MeshDef& mesh);

}  // namespace takt
