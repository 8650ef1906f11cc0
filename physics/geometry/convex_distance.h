// How far two convex cores are apart and along which normal, or how deep they overlap: the largest gap
// between two parallel planes with one core behind each. In binary64, with a bounded number of steps, no
// randomness and no state: a pure function of the two shapes.
//
// Sources: E. Gilbert, D. Johnson, S. Keerthi, A Fast Procedure for Computing the Distance (1988), with the
// sub-simplex by Voronoi regions of C. Ericson, Real-Time Collision Detection (2005), 5.1; the expanding
// polytope of G. van den Bergen, Proximity Queries and Penetration Depth (2001).
#pragma once

#include "physics/geometry/convex_shape.h"

namespace takt {

/// Two planes with the unit normal from the first core to the second: the first core is behind one, the
/// second before the other.
struct SeparatingAxis {
  Vec3<double> normal;
  double gap = 0.0;   ///< between the planes, m; below 0 the cores overlap by that much
  Vec3<double> on_a;  ///< where the cores come nearest; not set by deepest_axis
  Vec3<double> on_b;
  bool overlap = false;  ///< found by deepest_axis
};

/// The axis with the largest gap, to within 10 um (docs/CONTACTS.md). It may return any axis whose gap is
/// above `enough`.
[[nodiscard]] SeparatingAxis separating_axis(const ConvexShape& a, const ConvexShape& b, double enough);

/// A point of the difference b - a of two cores.
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

/// Up to four points of the difference, which hold the origin or lie near it.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};  ///< of the point nearest to the origin; they add up to 1
  std::uint32_t count = 0;
};

/// For cores that touch or overlap: the face of their difference nearest to the origin, from a simplex near
/// the origin.
[[nodiscard]] SeparatingAxis deepest_axis(const ConvexShape& a, const ConvexShape& b, const Simplex& start);

}  // namespace takt
