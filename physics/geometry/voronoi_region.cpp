#include "physics/geometry/voronoi_region.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {
namespace {

// A direction beyond a facet around an edge by less than this sine still belongs to the edge. It covers
// rounding, and shapes that lie flat on the facet.
constexpr double kRegionSine = 0.01;
// Edges within this distance, m, of the nearest one are equally near. An axis that is off by 10 um, for
// bodies 20 mm apart (the speculative distance), misses the true nearest point by sqrt(2 x 20 mm x 10 um) =
// 0.6 mm.
constexpr double kSameNearnessM = 0.001;

}  // namespace

EdgeClaim claim_of_edge(const TriangleMesh& surface, std::uint32_t triangle, std::uint32_t edge,
                        Vec3<double> direction) noexcept {
  TAKT_ASSERT(edge < 3);
  std::uint32_t const other = surface.triangle(triangle).neighbours[edge];
  if (other == TriangleMesh::kNone) return EdgeClaim::kEdge;
  double const beyond = dot(direction, surface.beyond_edge(other, edge_towards(surface, other, triangle)));
  if (beyond < -kRegionSine) return EdgeClaim::kNone;
  return beyond < kRegionSine ? EdgeClaim::kNeighbour : EdgeClaim::kEdge;
}

bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex, Vec3<double> direction,
                 double sine) noexcept {
  Vec3<double> const at = surface.vertices()[vertex];
  for (std::uint32_t const other : surface.ring(vertex)) {
    Vec3<double> const along = surface.vertices()[other] - at;
    if (dot(direction, along) > sine * length(along)) return false;
  }
  return true;
}

bool corner_owns(const TriangleMesh& surface, std::uint32_t vertex, Vec3<double> direction) noexcept {
  return corner_owns(surface, vertex, direction, kRegionSine);
}

std::uint32_t edge_towards(const TriangleMesh& surface, std::uint32_t neighbour,
                           std::uint32_t triangle) noexcept {
  const auto& neighbours = surface.triangle(neighbour).neighbours;
  TAKT_VALIDATE(std::ranges::find(neighbours, triangle) != neighbours.end());
  return neighbours[0] == triangle ? 0 : (neighbours[1] == triangle ? 1 : 2);
}

bool is_inner_edge(const TriangleMesh& surface, std::uint32_t triangle, std::uint32_t edge) noexcept {
  std::uint32_t const other = surface.triangle(triangle).neighbours[edge];
  return other != TriangleMesh::kNone && surface.triangle(other).facet == surface.triangle(triangle).facet;
}

bool find_border(const TriangleMesh& surface, std::uint32_t triangle, Vec3<double> point,
                 Vec3<double> direction, BorderFeature& border) noexcept {
  std::array<double, 3> distance{};
  for (std::uint32_t e = 0; e < 3; ++e)
    distance[e] = absolute(dot(surface.beyond_edge(triangle, e), point - surface.corner(triangle, e)));
  double const enough = minimum(minimum(distance[0], distance[1]), distance[2]) + kSameNearnessM;
  std::uint32_t outer_count = 0;
  std::uint32_t count = 0;
  bool found = false;
  for (std::uint32_t e = 0; e < 3; ++e) {
    if (distance[e] > enough) continue;
    ++count;
    if (is_inner_edge(surface, triangle, e)) continue;
    ++outer_count;
    if (claim_of_edge(surface, triangle, e, direction) == EdgeClaim::kNone ||
        (found && !(distance[e] < distance[border.edge])))
      continue;
    border = {true, e, 0};
    found = true;
  }
  if (found || outer_count == 0 || count < 2) return found;
  // Edges 0 and 1 meet in corner 1, 1 and 2 in corner 2, 2 and 0 in corner 0.
  std::uint32_t const first = distance[0] <= enough ? 0 : 1;
  border = {false, 0, first == 0 && distance[2] <= enough ? 0 : next_corner(first)};
  return corner_owns(surface, surface.triangle(triangle).vertices[border.corner], direction);
}

}  // namespace takt
