// collide() computes the contact manifold of two shapes, at most four points with one normal. The result
// depends on the two geometries, their rotations and the vector between their centres alone. make_manifold()
// (physics/contacts/pair_manifold.h) calls collide() for ContactDetection: for pairs whose manifold of an
// earlier tick is not reused, for sensors, and for sweeps to soft shapes. collide_spheres() and the other
// functions of one pair of kinds are parts of collide().
//
// Pairs: any two convex kinds, except two half-spaces; collide_mesh.h handles meshes and height fields.
// Shapes are passed in ascending collide_rank: the order of ShapeKind, with half-spaces last. The frame has
// world axes and its origin at the first shape's centre. Contact points thus have small coordinates when the
// first shape is small, also on a huge box or a half-space. Points lie midway between the two surfaces.
#pragma once

#include <array>
#include <cstdint>

#include "physics/geometry/shape_geometry.h"
#include "takt/core/assert.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Order of the shapes of a pair: by ShapeKind, half-spaces last.
[[nodiscard]] constexpr std::uint32_t collide_rank(ShapeKind kind) noexcept {
  return kind == ShapeKind::kHalfSpace ? 255 : static_cast<std::uint32_t>(kind);
}

/// One contact point.
template <class Real>
struct ManifoldPoint {
  Vec3<Real> position;  ///< from the first shape's centre, world axes, m
  Real separation{};    ///< m; below 0 the shapes overlap
  std::uint32_t feature =
      0;  ///< feature id: unique in the manifold, stable from tick to tick while the same features touch
};

/// Up to four points with one normal. The normal has no meaning when point_count is 0.
template <class Real>
struct Manifold {
  Vec3<Real> normal;  ///< unit, from the first shape to the second, world axes
  std::uint32_t point_count = 0;
  std::array<ManifoldPoint<Real>, 4> points;
};

/// 1 / point_count, rounded to Real; 0 for 0. point_count is at most 4.
template <class Real>
[[nodiscard]] Real point_fraction(std::uint32_t point_count) noexcept {
  TAKT_ASSERT(point_count <= 4);
  constexpr double kFraction[5] = {0.0, 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0};
  return to_real<Real>(kFraction[point_count]);
}
/// The mean of the points, where friction acts; 0 without points.
template <class Real>
[[nodiscard]] Vec3<Real> manifold_center(const Manifold<Real>& manifold) noexcept {
  Vec3<Real> sum{};
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) sum += manifold.points[i].position;
  return sum * point_fraction<Real>(manifold.point_count);
}

/// True when a manifold has at most four points, and a normal within 5 % of unit length. Rotations in an
/// image are unit within 1 %, and normals inherit that. A zero normal is possible for shapes without extent,
/// which only images contain. The function is for assertions.
template <class Real>
[[nodiscard]] bool is_sound(const Manifold<Real>& manifold) noexcept {
  if (manifold.point_count > 4) return false;
  Vec3<double> const n = to_double(manifold.normal);
  return manifold.point_count == 0 || dot(n, n) == 0.0 || absolute(dot(n, n) - 1.0) < 0.1;
}

/// Fills `out` for shapes that touch or are closer than kSpeculativeDistanceM; otherwise sets its point_count
/// to 0. Shapes are in ascending order of collide_rank, and not two half-spaces; neither is a mesh or height
/// field. `delta_center` points from the first shape's centre (a half-space: its plane's origin) to the
/// second's, world axes, m.
template <class Real>
void collide(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second, Vec3<Real> delta_center,
             Manifold<Real>& out);

// The pairs, by file. Each has the contract of collide().
template <class Real>
void collide_spheres(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                     Vec3<Real> delta_center, Manifold<Real>& out);
template <class Real>
void collide_sphere_capsule(const ShapeGeometry<Real>& sphere, const ShapeGeometry<Real>& capsule,
                            Vec3<Real> delta_center, Manifold<Real>& out);
template <class Real>
void collide_capsules(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                      Vec3<Real> delta_center, Manifold<Real>& out);
template <class Real>
void collide_sphere_box(const ShapeGeometry<Real>& sphere, const ShapeGeometry<Real>& box,
                        Vec3<Real> delta_center, Manifold<Real>& out);
template <class Real>
void collide_capsule_box(const ShapeGeometry<Real>& capsule, const ShapeGeometry<Real>& box,
                         Vec3<Real> delta_center, Manifold<Real>& out);
template <class Real>
void collide_boxes(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                   Vec3<Real> delta_center, Manifold<Real>& out);
/// The first shape is a sphere, a capsule or a box (asserted).
template <class Real>
void collide_half_space(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& half_space,
                        Vec3<Real> delta_center, Manifold<Real>& out);

/// Any two convex kinds except half-spaces, computed in binary64 (docs/adr/0005). collide() calls it for
/// pairs with a cylinder, cone or hull.
template <class Real>
void collide_convex(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                    Vec3<Real> delta_center, Manifold<Real>& out);
/// As collide_convex(), against a half-space.
template <class Real>
void collide_convex_half_space(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& half_space,
                               Vec3<Real> delta_center, Manifold<Real>& out);

/// Parameters of the closest points of two segments, which closest_on_segments() computes. Directions are
/// unit, half lengths in m. The first segment is centred on the origin, the second on `delta_center`.
template <class Real>
struct SegmentPair {
  Real s{};  ///< on the first, m from its centre
  Real t{};  ///< on the second, m from its centre
};
template <class Real>
[[nodiscard]] SegmentPair<Real> closest_on_segments(Vec3<Real> direction_a, Real half_a,
                                                    Vec3<Real> direction_b, Real half_b,
                                                    Vec3<Real> delta_center);

/// Fills out.points and out.point_count with at most four of the first `count` points (at most N); reads
/// out.normal. Among more than four these are the deepest, the farthest from it, and the outermost on either
/// side of the line through both. Ties go to the lower index. reduce() of contact_clipping.h differs: it has
/// a tie tolerance.
template <class Real, std::size_t N>
void reduce_points(const std::array<ManifoldPoint<Real>, N>& points, std::uint32_t count,
                   Manifold<Real>& out) {
  TAKT_ASSERT(count <= N);
  if (count <= 4) {
    for (std::uint32_t i = 0; i < count; ++i) out.points[i] = points[i];
    out.point_count = count;
    return;
  }
  std::uint32_t deepest = 0;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (points[i].separation < points[deepest].separation) deepest = i;
  }
  Vec3<Real> const origin = points[deepest].position;
  std::uint32_t farthest = deepest == 0 ? 1 : 0;
  Real max(-1);
  for (std::uint32_t i = 0; i < count; ++i) {
    Real const distance = length(points[i].position - origin);
    if (i != deepest && distance > max) {
      max = distance;
      farthest = i;
    }
  }
  Vec3<Real> const edge = points[farthest].position - origin;
  std::uint32_t left = count;
  std::uint32_t right = count;
  Real left_area(0);
  Real right_area(0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == deepest || i == farthest) continue;
    Real const area = dot(out.normal, cross(edge, points[i].position - origin));
    if (left == count || area > left_area) {
      left = i;
      left_area = area;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == deepest || i == farthest || i == left) continue;
    Real const area = dot(out.normal, cross(edge, points[i].position - origin));
    if (right == count || area < right_area) {
      right = i;
      right_area = area;
    }
  }
  TAKT_ASSERT(left < count && right < count);
  out.points[0] = points[deepest];
  out.points[1] = points[farthest];
  out.points[2] = points[left];
  out.points[3] = points[right];
  out.point_count = 4;
}

}  // namespace takt
