// separating_axis() computes the separation or penetration of two convex cores (shapes without their radius,
// convex_shape.h). The result is the largest gap between two parallel planes with one core behind each.
// Separated cores take GJK, touching or overlapping ones EPA (deepest_axis, convex_depth.cpp). The functions
// use binary64 and bounded iterations; the result depends on the two shapes alone.
//
// Sources: GJK, E. Gilbert, D. Johnson, S. Keerthi, A Fast Procedure for Computing the Distance (1988), with
// the sub-simplex by Voronoi regions of C. Ericson, Real-Time Collision Detection (2005), 5.1. EPA, G. van
// den Bergen, Proximity Queries and Penetration Depth (2001).
#pragma once

#include "physics/geometry/convex_shape.h"

namespace takt {

/// Two parallel planes with a unit normal from the first core to the second. The first core is behind one
/// plane, the second in front of the other.
struct SeparatingAxis {
  Vec3<double> normal;
  double gap = 0.0;   ///< between the planes, m; below 0 the penetration depth
  Vec3<double> on_a;  ///< nearest points of the cores; not set by deepest_axis
  Vec3<double> on_b;
  bool overlap = false;  ///< found by deepest_axis
};

/// Returns the axis with the largest gap, to within 10 um (docs/COLLISION.md). It may return any axis whose
/// gap is above `enough`.
[[nodiscard]] SeparatingAxis separating_axis(const ConvexShape& a, const ConvexShape& b, double enough);

/// A point of the Minkowski difference b - a of two cores.
struct DifferencePoint {
  Vec3<double> a;
  Vec3<double> b;
  Vec3<double> w;  ///< b - a
};
[[nodiscard]] inline DifferencePoint difference_support(const ConvexShape& a, const ConvexShape& b,
                                                        Vec3<double> direction) noexcept {
  DifferencePoint p{a.support(-direction), b.support(direction), {}};
  p.w = p.b - p.a;
  return p;
}

/// Up to four points of the difference that contain the origin or are near it.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4>
      weights{};  ///< barycentric weights of the point nearest to the origin; their sum is 1
  std::uint32_t count = 0;
};

/// Penetration axis of touching or overlapping cores: the face of their difference nearest to the origin,
/// from a simplex near the origin.
[[nodiscard]] SeparatingAxis deepest_axis(const ConvexShape& a, const ConvexShape& b, const Simplex& start);

}  // namespace takt
