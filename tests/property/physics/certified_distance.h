// The distance of two convex shapes that are apart, between two bounds that prove each other: two points, one
// of each shape, are no nearer than the distance, and two parallel planes with a shape behind each are no
// farther apart than it. In long double, for the references of property tests; shares nothing with the narrow
// phase. Whatever the search does, its answer is right to within upper - lower.
//
// The search: of up to four points of the difference of the shapes, the point of their hull nearest to the
// origin, tried over all fifteen sub-simplices, each solved by its normal equations; then the support point
// along it is added.
#pragma once

#include <array>

#include "tests/property/physics/sampled_distance.h"

namespace takt::test {

struct CertifiedDistance {
  Wide lower = 0;     ///< the gap along `direction`; what is not above 0 may overlap
  Wide upper = 0;     ///< the length of a way from one shape to the other
  WideVec direction;  ///< unit, from a to b
};

/// The point of a shape's core (all of it but the radius around spheres, capsules and rounded hulls) farthest
/// along a unit direction.
inline WideVec core_support(const WideShape& s, WideVec d) {
  Wide const along = inner(d, s.axis_y);
  WideVec const across = s.axis_x * inner(d, s.axis_x) +
                         s.axis_z * inner(d, s.axis_z);  // in the disc's plane however near d is to the axis
  Wide const size = size_of(across);
  WideVec const rim = size > 0 ? across * (s.x / size) : s.axis_x * s.x;
  WideVec const end = s.axis_y * (along >= 0 ? s.y : -s.y);
  switch (s.kind) {
    case ShapeKind::kSphere: return s.center;
    case ShapeKind::kCapsule: return s.center + end;
    case ShapeKind::kCylinder: return s.center + end + rim;
    case ShapeKind::kCone:
      return s.center + (s.y * along >= -s.y * along + s.x * size ? s.axis_y * s.y : s.axis_y * -s.y + rim);
    default: break;
  }
  WideVec best = s.corners[0];
  for (const WideVec& corner : s.corners) {
    if (inner(d, corner) > inner(d, best)) best = corner;
  }
  return best;
}
inline Wide core_radius(const WideShape& s) {
  return s.kind == ShapeKind::kSphere || s.kind == ShapeKind::kCapsule ? s.x : s.radius;
}

/// The point nearest to the origin in the hull of some points; drops those that it does not need. Ties go to
/// fewer points.
inline WideVec nearest_to_origin(std::array<WideVec, 4>& points, std::size_t& count) {
  WideVec best = points[0];
  Wide best_square = 1e300L;
  unsigned best_set = 1;
  for (unsigned set = 1; set < 1u << count; ++set) {
    std::array<WideVec, 4> p;
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if ((set >> i & 1) != 0) p[n++] = points[i];
    }
    // q = p0 + sum t_i e_i with q square to every e_i, by elimination.
    std::array<std::array<Wide, 4>, 3> rows{};
    for (std::size_t i = 1; i < n; ++i) {
      for (std::size_t k = 1; k < n; ++k) rows[i - 1][k - 1] = inner(p[i] - p[0], p[k] - p[0]);
      rows[i - 1][3] = -inner(p[i] - p[0], p[0]);
    }
    bool good = true;
    for (std::size_t i = 0; good && i + 1 < n; ++i) {
      std::size_t pivot = i;
      for (std::size_t k = i + 1; k + 1 < n; ++k) {
        if (std::abs(rows[k][i]) > std::abs(rows[pivot][i])) pivot = k;
      }
      std::swap(rows[i], rows[pivot]);
      good = std::abs(rows[i][i]) > 1e-24L;
      for (std::size_t k = 0; good && k + 1 < n; ++k) {
        if (k == i) continue;
        Wide const factor = rows[k][i] / rows[i][i];
        for (std::size_t c = i; c < 4; ++c) rows[k][c] -= factor * rows[i][c];
      }
    }
    if (!good) continue;
    WideVec q = p[0];
    Wide first = 1;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      Wide const t = rows[i][3] / rows[i][i];
      good = good && t >= 0;
      first -= t;
      q = q + (p[i + 1] - p[0]) * t;
    }
    if (!good || first < 0 || !(inner(q, q) < best_square)) continue;
    best = q;
    best_square = inner(q, q);
    best_set = set;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if ((best_set >> i & 1) != 0) points[kept++] = points[i];
  }
  count = kept;
  return best;
}

/// Bounds for shapes whose cores are apart; otherwise lower is at most minus both radii, about.
inline CertifiedDistance certified_distance(const WideShape& a, const WideShape& b, WideVec start) {
  Wide const radii = core_radius(a) + core_radius(b);
  auto const difference = [&](WideVec d) { return core_support(b, d * -1) - core_support(a, d); };
  std::array<WideVec, 4> points{difference(towards(start))};
  std::size_t count = 1;
  CertifiedDistance best{-1e300L, 1e300L, towards(start)};
  for (int step = 0; step < 300 && best.upper - best.lower > 1e-9L; ++step) {
    WideVec const nearest = nearest_to_origin(points, count);
    Wide const size = size_of(nearest);
    best.upper = std::min(best.upper, size - radii);
    if (!(size > 1e-9L) || count == 4) break;  // the cores meet
    WideVec const d = nearest * (1 / size);
    WideVec const next = difference(d);
    Wide const lower = inner(d, next) - radii;
    if (lower > best.lower) {
      best.lower = lower;
      best.direction = d;
    }
    points[count++] = next;
  }
  return best;
}

}  // namespace takt::test
