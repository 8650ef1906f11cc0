// point_distance() computes the distance of a point to a shape of a kind with a closed form, and its
// direction; nearest_on_triangle() computes the nearest point of a triangle. approximate_distance() serves
// all convex kinds, for comparisons that may be off. The contacts of ropes and TriangleSample call these
// functions. All are binary64 and have no state.
#pragma once

#include "physics/geometry/shape_geometry.h"

namespace takt {

/// The surface point nearest to a point, in the shape's local frame.
struct PointDistance {
  Vec3<double> normal{0.0, 1.0, 0.0};  ///< unit, out of the shape
  double distance = 0.0;               ///< m, below 0 inside
};

/// Computes the distance of `p` in the shape's local frame, m. Returns false for kinds without a closed form:
/// cones, hulls, meshes and height fields.
[[nodiscard]] bool point_distance(const ShapeGeometry<double>& shape, Vec3<double> p,
                                  PointDistance& out) noexcept;

/// As point_distance(), for any convex kind but half-spaces. The distance to a cone or hull is that to the
/// plane of a face or of the side: exact inside and over a face, too small beyond edges. A hull's rounding
/// does not count.
[[nodiscard]] PointDistance approximate_distance(const ShapeGeometry<double>& shape, Vec3<double> p) noexcept;

/// The point of a triangle nearest to `p`. Source: C. Ericson, Real-Time Collision Detection (2005), 5.1.5.
[[nodiscard]] Vec3<double> nearest_on_triangle(Vec3<double> a, Vec3<double> b, Vec3<double> c,
                                               Vec3<double> p) noexcept;

}  // namespace takt
