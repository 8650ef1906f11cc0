// Reference relations of a shape and a triangle surface, computed triangle by triangle without the narrow
// phase: the distance of the nearest one, and how far a shape that overlaps must move along a facet's normal.
// For property tests of surfaces.
#pragma once

#include <algorithm>
#include <vector>

#include "physics/geometry/triangle_mesh.h"
#include "tests/property/physics/polished_gap.h"

namespace takt::test {

inline WideShape wide_triangle(const TriangleMesh& surface, std::uint32_t index) {
  WideShape s;
  s.kind = ShapeKind::kHull;
  for (std::uint32_t i = 0; i < 3; ++i) s.corners.push_back(widened(surface.corner(index, i)));
  s.center = (s.corners[0] + s.corners[1] + s.corners[2]) * (1 / Wide{3});
  for (std::size_t i = 0; i < 3; ++i) s.directions.push_back(s.corners[(i + 1) % 3] - s.corners[i]);
  WideVec const n = towards(outer(s.directions[0], s.directions[1]));
  s.normals = {n, n * -1};
  return s;
}

/// Returns true if the shape's middle is before a triangle's front, and so may touch it if it has one side
/// (docs/COLLISION.md).
inline bool is_before(const TriangleMesh& surface, std::uint32_t triangle, Vec3<double> center) {
  const SurfaceFacet& facet = surface.facet(surface.triangle(triangle).facet);
  return dot(facet.normal, center) >= facet.offset;
}

struct NearestTriangle {
  double distance = 0;  ///< to the nearest triangle, or minus the depth in the one that it is deepest in, m;
                        ///< `far` when none is nearer
  bool found = false;
  std::uint32_t index = 0;
  Vec3<double> direction;  ///< from that triangle to the shape, where they come nearest or get apart soonest
};

/// The gap along the best direction known. Apart (the cores, not only the shapes): within kCertifiedM of the
/// distance, or `certified` is false. Overlapping: a sample, which is never above the truth, so that a depth
/// is never below it.
struct TriangleGap {
  BestGap best;
  bool certified = true;
};
inline constexpr double kCertifiedM = 1e-6;

inline TriangleGap gap_to_triangle(const WideShape& triangle, const WideShape& shape, Random& random) {
  CertifiedDistance const sure = certified_distance(triangle, shape, shape.center - triangle.center);
  Wide const radii = core_radius(triangle) + core_radius(shape);
  if (sure.lower > -radii + Wide{kCertifiedM})
    return {{sure.direction, sure.lower}, std::abs(sure.upper - sure.lower) <= Wide{kCertifiedM}};
  BestGap best =
      polish(triangle, shape, climb(triangle, shape, largest_gap(triangle, shape, random), random, 100));
  if (sure.lower > best.gap) best = {sure.direction, sure.lower};
  return {best, true};
}

/// The nearest of the triangles that `counts` lets through, of those nearer than `far`. `all_certified`
/// becomes false when a distance is not proved.
template <class Counts>
NearestTriangle nearest_triangle(const TriangleMesh& surface, const WideShape& shape, double far,
                                 Random& random, bool& all_certified, Counts counts) {
  struct Candidate {
    Wide at_least = -1e9L;
    std::uint32_t index = 0;
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    if (!counts(t)) continue;
    WideShape const triangle = wide_triangle(surface, t);
    Candidate candidate{-1e9L, t};
    auto const look = [&](WideVec direction) {
      candidate.at_least = std::max(candidate.at_least, gap(triangle, shape, direction));
    };
    for (WideVec const n : triangle.normals) look(n);
    for (int i = 0; i < 27; ++i) {
      WideVec const n{static_cast<Wide>(i % 3 - 1), static_cast<Wide>(i / 3 % 3 - 1),
                      static_cast<Wide>(i / 9 - 1)};
      if (i != 13) look(towards(n));
    }
    if (candidate.at_least < Wide{far}) candidates.push_back(candidate);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.at_least < b.at_least; });
  NearestTriangle nearest;
  nearest.distance = far;
  for (const Candidate& candidate : candidates) {
    if (candidate.at_least >= Wide{nearest.distance}) break;  // a gap along any direction is a bound
    TriangleGap const found = gap_to_triangle(wide_triangle(surface, candidate.index), shape, random);
    all_certified = all_certified && found.certified;
    if (found.best.gap >= Wide{nearest.distance}) continue;
    WideVec const n = found.best.direction;
    nearest = {static_cast<double>(found.best.gap),
               true,
               candidate.index,
               {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)}};
  }
  return nearest;
}

/// The longest way out along the normal of a facet that the shape overlaps by `at_least`, to the side on
/// which its middle is: 0 or below.
inline double longest_way_out(const TriangleMesh& surface, const WideShape& shape, double at_least,
                              Vec3<double> center, Random& random) {
  double longest = 0;
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    if (surface.one_sided() && !is_before(surface, t, center)) continue;
    const SurfaceFacet& facet = surface.facet(surface.triangle(t).facet);
    double const side = dot(facet.normal, center) >= facet.offset ? 1 : -1;
    Wide const lowest = -support(shape, widened(facet.normal) * -side);
    double const displacement = static_cast<double>(lowest) - side * facet.offset;
    if (displacement >= longest ||
        gap_to_triangle(wide_triangle(surface, t), shape, random).best.gap > Wide{-at_least})
      continue;
    longest = displacement;
  }
  return longest;
}

}  // namespace takt::test
