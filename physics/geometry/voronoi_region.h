// claim_of_edge() and corner_owns() test whether an edge or vertex of a TriangleMesh may push a shape along a
// direction. The edge or vertex may push only along directions of its Voronoi region, between the normals of
// the adjacent facets. An edge without a neighbour may push along all directions. A push along any other
// direction would be the bump of an internal edge (ghost collision). find_border() finds the touched edge or
// vertex of a shape that lies flat on a facet. is_inner_edge() identifies edges inside a facet, which never
// push. The narrow phase of meshes calls these functions for each touched edge and vertex. Directions are
// unit, from the surface to the shape, in the surface's frame. Corners and edges of a triangle count from 0
// to 2; edge i runs from corner i to the next one.
#pragma once

#include <cstdint>

#include "physics/geometry/triangle_mesh.h"

namespace takt {

/// The corner after `corner`, 0 to 2.
[[nodiscard]] constexpr std::uint32_t next_corner(std::uint32_t corner) noexcept {
  return corner == 2 ? 0 : corner + 1;
}

/// Owner of a direction at an edge.
enum class EdgeClaim : std::uint8_t {
  kNone,      ///< another part: the direction leans over the facet beyond the edge
  kEdge,      ///< the edge
  kNeighbour  ///< the facet beyond the edge: use its normal
};
/// Tests a direction against the facet beyond an edge of `triangle`, within 0.6 degrees (kNeighbour). A
/// border edge owns every direction. The caller tests the side of `triangle` itself.
[[nodiscard]] EdgeClaim claim_of_edge(const TriangleMesh& surface, std::uint32_t triangle, std::uint32_t edge,
                                      Vec3<double> direction) noexcept;

/// True when no edge at the vertex points along the direction by more than `sine`.
[[nodiscard]] bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex, Vec3<double> direction,
                               double sine) noexcept;
/// Tests with a sine of 0.01, for rounding and for shapes that lie flat on an adjacent facet.
[[nodiscard]] bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex,
                               Vec3<double> direction) noexcept;

/// The edge of `neighbour` beyond which `triangle` is; both must be neighbours.
[[nodiscard]] std::uint32_t edge_towards(const TriangleMesh& surface, std::uint32_t neighbour,
                                         std::uint32_t triangle) noexcept;
/// True for an edge inside a facet; contacts ignore such edges.
[[nodiscard]] bool is_inner_edge(const TriangleMesh& surface, std::uint32_t triangle,
                                 std::uint32_t edge) noexcept;

/// An edge or a vertex of a triangle: `edge` counts when is_edge, else `corner`.
struct BorderFeature {
  bool is_edge = false;
  std::uint32_t edge = 0;
  std::uint32_t corner = 0;
};
/// Finds the edge or vertex of the facet's border that a shape touches with `triangle`. The narrow phase
/// calls it for directions almost equal to the facet's normal, when the shape is not as deep over the
/// triangle. `point` is the nearest point of the triangle, accurate to a millimetre. Returns false when only
/// edges inside the facet are near, and when the direction belongs to another part.
[[nodiscard]] bool find_border(const TriangleMesh& surface, std::uint32_t triangle, Vec3<double> point,
                               Vec3<double> direction, BorderFeature& border) noexcept;

}  // namespace takt
