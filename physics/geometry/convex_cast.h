// Where a convex shape that moves along a straight line meets one that stands still, and where two convex
// shapes touch or are nearest. Binary64 in both number modes, bounded, without state: a pure function of the
// shapes.
//
// The distance of convex shapes along a straight line is a convex function of the way, so Newton's method on
// it, from the start, never passes the first touch and closes on it from this side. Source: G. van den
// Bergen, Ray Casting against General Convex Objects (2004), which is this for the support mapping; the
// distances here are those of convex_distance.h. It does not turn shapes on the way.
#pragma once

#include <optional>

#include "physics/geometry/convex_shape.h"

namespace takt {

/// A cast reports a touch up to this early, m, plus this share of the two shapes' reach.
inline constexpr double kCastToleranceM = 1e-5;
inline constexpr double kCastToleranceFraction = 1e-8;
[[nodiscard]] double cast_tolerance_m(const ConvexShape& a, const ConvexShape& b) noexcept;

/// How a shape stands to another that it touches, overlaps or is near to.
struct Nearness {
  double distance = 0.0;  ///< m; below 0 they overlap by that much
  Vec3<double> normal;    ///< unit, out of the other shape
  Vec3<double>
      point;  ///< on the other shape's surface: where they are nearest, or where they would come apart
};

/// Distances above `enough` may be any such.
[[nodiscard]] Nearness nearness(const ConvexShape& shape, const ConvexShape& other, double enough);
/// The other is everything below the plane through `on` with the unit normal `up`.
[[nodiscard]] Nearness nearness_to_plane(const ConvexShape& shape, Vec3<double> on, Vec3<double> up) noexcept;

struct ConvexHit {
  double fraction = 0.0;  ///< of the translation, [0, 1]
  Nearness nearness;  ///< where the moving shape is then; distance is 0, or what they overlap by at the start
};

/// `moving` from where it stands by `translation`, m. A shape that touches at the start hits only when it
/// comes nearer, one that overlaps always.
[[nodiscard]] std::optional<ConvexHit> cast_convex(const ConvexShape& moving, Vec3<double> translation,
                                                   const ConvexShape& still);
[[nodiscard]] std::optional<ConvexHit> cast_convex_on_plane(const ConvexShape& moving,
                                                            Vec3<double> translation, Vec3<double> on,
                                                            Vec3<double> up) noexcept;

}  // namespace takt
