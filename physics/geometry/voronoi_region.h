// Which directions belong to which part of a surface: an edge or corner may push only along what lies between
// the facets around it (its Voronoi region). What a single triangle would add beyond that is the bump on an
// internal edge. Pure functions of the surface; they collide nothing.
#pragma once

#include <cstdint>

#include "physics/geometry/triangle_mesh.h"

namespace takt {

[[nodiscard]] constexpr std::uint32_t next_corner(std::uint32_t corner) noexcept {
  return corner == 2 ? 0 : corner + 1;
}

/// Whose a direction out of an edge is.
enum class EdgeClaim : std::uint8_t {
  kNone,      ///< some other part's
  kEdge,      ///< the edge's
  kNeighbour  ///< the normal of the facet beyond the edge
};
[[nodiscard]] EdgeClaim claim_of_edge(const TriangleSurface& surface, std::uint32_t triangle,
                                      std::uint32_t edge, Vec3<double> direction) noexcept;

/// No edge at the corner leads along the direction by more than `sine`.
[[nodiscard]] bool corner_owns(const TriangleSurface& surface, std::uint32_t vertex, Vec3<double> direction,
                               double sine) noexcept;
/// The same to within the region's own slack: rounding, and shapes that lie flat on a facet beside it.
[[nodiscard]] bool corner_owns(const TriangleSurface& surface, std::uint32_t vertex,
                               Vec3<double> direction) noexcept;

/// Which edge of `neighbour` it shares with `triangle`.
[[nodiscard]] std::uint32_t edge_towards(const TriangleSurface& surface, std::uint32_t neighbour,
                                         std::uint32_t triangle) noexcept;
/// An edge within a facet does not exist for contacts.
[[nodiscard]] bool is_inner_edge(const TriangleSurface& surface, std::uint32_t triangle,
                                 std::uint32_t edge) noexcept;

/// An edge or a corner of a triangle.
struct BorderPlace {
  bool is_edge = false;
  std::uint32_t edge = 0;
  std::uint32_t corner = 0;
};
/// For a direction that is the facet's own or nearly, and a triangle over which the shape does not reach that
/// deep: where on the facet's border it touches. `point` is where the search saw both nearest, good to
/// fractions of a millimetre. False when that is an edge within the facet, or the direction is another
/// part's.
[[nodiscard]] bool find_border(const TriangleSurface& surface, std::uint32_t triangle, Vec3<double> point,
                               Vec3<double> direction, BorderPlace& index) noexcept;

}  // namespace takt
