// claim_of_edge() and corner_owns() test whether an edge or vertex of a TriangleMesh may push a shape
// along a direction. The edge or vertex may push only along directions of its Voronoi region: between the
// normals of the adjacent facets. An edge without a neighbour may push along all directions. A push along any
// other direction would be the bump of an internal edge (ghost collision). find_border() finds the touched
// edge or vertex of a shape that lies flat on a facet. is_inner_edge() identifies edges inside a facet, which
// never push. The narrow phase of meshes calls these functions for each touched edge and vertex. Results
// depend on surface and arguments alone.
#pragma once

#include <cstdint>

#include "physics/geometry/triangle_mesh.h"

namespace takt {

[[nodiscard]] constexpr std::uint32_t next_corner(std::uint32_t corner) noexcept {
  return corner == 2 ? 0 : corner + 1;
}

/// Owner of a direction at an edge.
enum class EdgeClaim : std::uint8_t {
  kNone,      ///< another part of the surface
  kEdge,      ///< the edge
  kNeighbour  ///< the facet beyond the edge: use its normal
};
[[nodiscard]] EdgeClaim claim_of_edge(const TriangleMesh& surface, std::uint32_t triangle, std::uint32_t edge,
                                      Vec3<double> direction) noexcept;

/// True when no edge at the vertex points along the direction by more than `sine`.
[[nodiscard]] bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex, Vec3<double> direction,
                               double sine) noexcept;
/// As above with the default tolerance, for rounding and for shapes that lie flat on an adjacent facet.
[[nodiscard]] bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex,
                               Vec3<double> direction) noexcept;

/// The edge of `neighbour` that it shares with `triangle`.
[[nodiscard]] std::uint32_t edge_towards(const TriangleMesh& surface, std::uint32_t neighbour,
                                         std::uint32_t triangle) noexcept;
/// True for an edge inside a facet; contacts ignore such edges.
[[nodiscard]] bool is_inner_edge(const TriangleMesh& surface, std::uint32_t triangle,
                                 std::uint32_t edge) noexcept;

/// An edge or a vertex of a triangle.
struct BorderFeature {
  bool is_edge = false;
  std::uint32_t edge = 0;
  std::uint32_t corner = 0;
};
/// Finds the edge or vertex of the facet's border that a shape touches. Used for directions (almost) equal to
/// the facet's normal, when the shape does not reach that deep over the triangle. `point` is the nearest
/// point of the search, accurate to fractions of a millimetre. Returns false for an edge inside the facet,
/// and when the direction belongs to another part.
[[nodiscard]] bool find_border(const TriangleMesh& surface, std::uint32_t triangle, Vec3<double> point,
                               Vec3<double> direction, BorderFeature& border) noexcept;

}  // namespace takt
