// TriangleMesh is the triangle surface that contacts, casts and queries read; make_surface()
// (mesh_geometry.h) converts meshes and height fields to it. A TriangleMesh holds vertices, triangles with
// their neighbours, facets, and a bounding volume hierarchy (mesh_bvh.h). build() makes the surface once,
// from vertices on the grid of hull_builder.h; the surface never changes afterwards. collide_mesh.h computes
// the contacts of a TriangleMesh.
//
// A facet is a set of neighbouring triangles of one material that face the same way and are coplanar within
// kFacetFlatnessM. Contacts treat a facet as one polygon and ignore its internal edges. Facets grow from the
// largest remaining triangle, so slivers get the plane of their surroundings.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/geometry/convex_shape.h"
#include "physics/geometry/mesh_bvh.h"
#include "takt/physics/surface.h"

namespace takt {

/// Bit of the child number of an edge or vertex (collide_mesh.h). The other bits are the index of a triangle,
/// which child_triangle() returns.
inline constexpr std::uint32_t kChildEdge = 1u << 31;
[[nodiscard]] constexpr std::uint32_t child_triangle(std::uint32_t child) noexcept {
  return child & ~kChildEdge;
}

/// Maximum distance of a vertex of a facet from the facet's plane, m: a fiftieth of kLinearSlopM.
inline constexpr double kFacetFlatnessM = 1e-4;

struct SurfaceTriangle {
  std::array<std::uint32_t, 3> vertices{};
  std::array<std::uint32_t, 3>
      neighbours{};         ///< triangle beyond the edge from corner i to i + 1; kNone = border
  std::uint32_t facet = 0;  ///< index of its facet
  std::uint32_t number =
      0;  ///< index of the triangle in SurfaceSource, or of its height field cell; queries report it
  std::uint8_t material = 0;  ///< index in SurfaceSource::materials
};

struct SurfaceFacet {
  Vec3<double> normal;               ///< unit, to the front
  double offset = 0.0;               ///< of its plane along the normal, m
  std::uint32_t first_triangle = 0;  ///< lowest index of its triangles
};

class TriangleMesh {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  /// Builds the surface. `numbers` and `materials` are parallel to `triangles`, or empty: the index, or
  /// material 0. There is at least one triangle, indices are in range, and no triangle is degenerate. The
  /// front of a triangle is the side from which its corners run counter-clockwise.
  void build(std::vector<GridPoint> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
             std::vector<std::uint32_t> numbers, std::vector<std::uint8_t> materials, bool one_sided);

  /// True when shapes and rays collide with the front only.
  [[nodiscard]] bool one_sided() const noexcept { return one_sided_; }
  [[nodiscard]] std::uint32_t triangle_count() const noexcept {
    return static_cast<std::uint32_t>(triangles_.size());
  }
  [[nodiscard]] const SurfaceTriangle& triangle(std::uint32_t index) const noexcept {
    return triangles_[index];
  }
  [[nodiscard]] const SurfaceFacet& facet(std::uint32_t index) const noexcept { return facets_[index]; }
  [[nodiscard]] std::uint32_t facet_count() const noexcept {
    return static_cast<std::uint32_t>(facets_.size());
  }
  [[nodiscard]] const std::vector<Vec3<double>>& vertices() const noexcept { return vertices_; }
  /// Corner `i`, 0 to 2, of a triangle, in the surface's frame, m.
  [[nodiscard]] Vec3<double> corner(std::uint32_t triangle, std::uint32_t i) const noexcept {
    return vertices_[triangles_[triangle].vertices[i]];
  }
  /// Unit normal of the triangle itself, to the front.
  [[nodiscard]] Vec3<double> normal(std::uint32_t triangle) const noexcept;
  /// Unit vector in the triangle's plane, perpendicular to the edge from corner `edge` (0 to 2) to the next
  /// one and away from the triangle.
  [[nodiscard]] Vec3<double> beyond_edge(std::uint32_t triangle, std::uint32_t edge) const noexcept;
  /// Vertices connected with `vertex` by an edge.
  [[nodiscard]] std::span<const std::uint32_t> ring(std::uint32_t vertex) const noexcept {
    return std::span(ring_).subspan(ring_first_[vertex], ring_first_[vertex + 1] - ring_first_[vertex]);
  }
  /// Angle-weighted sum of the triangle normals around a vertex, not of unit length; the angles are exact to
  /// a few per cent. A point whose nearest surface point is the vertex may be in front or behind. It is in
  /// front if its offset from the vertex has a positive dot product with this sum. Source: J. Baerentzen, H.
  /// Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal (2005).
  [[nodiscard]] Vec3<double> corner_normal(std::uint32_t vertex) const noexcept {
    return corner_normals_[vertex];
  }
  /// Bounding box of all triangles.
  [[nodiscard]] const SurfaceBox& box() const noexcept { return box_; }
  /// Number of edges that are not between exactly two triangles facing one side; 0 for a closed mesh.
  [[nodiscard]] std::uint32_t border_edge_count() const noexcept { return border_edge_count_; }

  /// Triangle `index` as a convex shape in the surface's frame.
  [[nodiscard]] ConvexShape convex(std::uint32_t index) const noexcept;

  /// Calls visit(triangle index) once for each triangle whose box overlaps `box` (surface's frame), in an
  /// order that depends on the surface alone.
  template <class Visit>
  void visit_triangles(const SurfaceBox& box, Visit visit) const {
    tree_.visit(box, [&](std::uint32_t index) {
      if (overlap(triangle_box(index), box)) visit(index);
    });
  }
  /// Calls visit(triangle index) for triangles whose box has a wanted key, nearer parts of the surface first.
  /// The arguments are those of MeshBvh::visit_nearest().
  template <class KeyOf, class IsWanted, class Visit>
  void visit_nearest(KeyOf key_of, IsWanted is_wanted, Visit visit) const {
    tree_.visit_nearest(key_of, is_wanted, [&](std::uint32_t index) {
      if (is_wanted(key_of(triangle_box(index)))) visit(index);
    });
  }
  /// As MeshBvh::count(), in the surface's frame.
  [[nodiscard]] std::uint32_t count_triangles(const SurfaceBox& box, std::uint32_t max) const noexcept {
    return tree_.count(box, max);
  }
  [[nodiscard]] const MeshBvh& tree() const noexcept { return tree_; }
  [[nodiscard]] SurfaceBox triangle_box(std::uint32_t index) const noexcept;
  /// Memory of the surface, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  /// Finds neighbours, border edges and rings.
  void find_neighbours();
  /// True when a triangle faces the way of the plane of `seed` and lies in it, with one material. `planes`:
  /// of each triangle.
  [[nodiscard]] bool lies_in(std::uint32_t triangle, std::uint32_t seed,
                             std::span<const SurfaceFacet> planes) const noexcept;
  void grow_facets(std::span<const SurfaceFacet> planes);
  void weigh_corners(std::span<const SurfaceFacet> planes);

  std::vector<Vec3<double>> vertices_;
  std::vector<SurfaceTriangle> triangles_;
  std::vector<SurfaceFacet> facets_;
  std::vector<std::uint32_t> ring_first_;  ///< by vertex, plus one end
  std::vector<std::uint32_t> ring_;
  std::vector<Vec3<double>> corner_normals_;
  SurfaceBox box_{};
  std::uint32_t border_edge_count_ = 0;
  bool one_sided_ = false;
  MeshBvh tree_;
};

}  // namespace takt
