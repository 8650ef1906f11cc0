// separating_axis() computes the distance, or the penetration depth, of two convex cores (shapes without the
// radius around them, convex_shape.h). The result is the direction with the largest gap between two parallel
// planes of which each has one core on its outer side. GJK finds this direction for separated cores. For
// touching or overlapping cores separating_axis() calls deepest_axis(), which is EPA (convex_depth.cpp).
// Convex casts (convex_cast.h), the narrow phase and continuous collision call separating_axis().
// separating_axis() and deepest_axis() compute in binary64 with bounded iterations, and a result depends on
// the arguments alone.
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
  Vec3<double> on_a;  ///< nearest points of the cores; support points along the normal if gap > `enough`
  Vec3<double> on_b;
  bool overlap = false;  ///< found by deepest_axis(): on_a and on_b are not set (transform_points())
};

/// Returns the axis whose gap is the largest, to within 10 um (docs/COLLISION.md). Any axis with a gap above
/// `enough`, m, may be the result instead. Radii around the cores do not count.
[[nodiscard]] SeparatingAxis separating_axis(const ConvexShape& a, const ConvexShape& b, double enough);

/// A point of the Minkowski difference b - a of two cores.
struct DifferencePoint {
  Vec3<double> a;
  Vec3<double> b;
  Vec3<double> w;  ///< b - a
};
/// The point of the difference farthest along `direction`, which may have any length.
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

/// Penetration axis of touching or overlapping cores: the normal of the face of their difference that is
/// nearest to the origin. `start` is a simplex that contains the origin or is near it. For two cores without
/// thickness the result is the y axis with gap 0.
[[nodiscard]] SeparatingAxis deepest_axis(const ConvexShape& a, const ConvexShape& b, const Simplex& start);

}  // namespace takt
