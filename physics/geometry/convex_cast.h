// cast_convex() moves a convex shape along a straight line, without rotation, and returns its first contact
// with a resting convex shape. nearness() returns distance, normal and nearest point of two convex shapes.
// cast_convex_on_plane() and nearness_to_plane() do so against a half-space. World queries and movers use all
// four functions, ropes use nearness(), and continuous collision uses nearness_to_plane(). Shapes and results
// are binary64 in both numbers modes of a world (float and fixed). Iterations are bounded, and a result
// depends on the arguments alone.
//
// The distance of two convex shapes is a convex function of the displacement. Newton's method on this
// function begins at the start of the cast. The iteration therefore approaches the first contact from the
// near side and does not pass it. At most 64 iterations are run. Source: G. van den Bergen, Ray Casting
// against General Convex Objects (2004), which computes distances with the support mapping; here
// convex_distance.h computes them.
#pragma once

#include <optional>

#include "physics/geometry/convex_shape.h"

namespace takt {

/// Tolerance of a cast: the reported contact may be early by kCastToleranceM plus kCastToleranceFraction of
/// the sum of both shapes' reach and radius, m. cast_tolerance_m() is that length.
inline constexpr double kCastToleranceM = 1e-5;
inline constexpr double kCastToleranceFraction = 1e-8;
[[nodiscard]] double cast_tolerance_m(const ConvexShape& a, const ConvexShape& b) noexcept;

/// Distance, normal and nearest point of a shape relative to another one, in the frame of both shapes.
struct Nearness {
  double distance = 0.0;  ///< m; below 0 the penetration depth
  Vec3<double> normal;    ///< unit, outward from the other shape
  Vec3<double> point;  ///< on the other shape's surface: the nearest point. For an overlap it is the nearest
                       ///< point after the shape has moved out along the normal
};

/// Distance of `shape` from `other`. A result above `enough`, m, may be less than the true distance, and its
/// normal and point are then not those of the nearest points.
[[nodiscard]] Nearness nearness(const ConvexShape& shape, const ConvexShape& other, double enough);
/// Distance of `shape` from the half-space below the plane through `on` with the unit normal `up`.
[[nodiscard]] Nearness nearness_to_plane(const ConvexShape& shape, Vec3<double> on, Vec3<double> up) noexcept;

/// First contact of a cast.
struct ConvexHit {
  double fraction = 0.0;  ///< of the translation, [0, 1]
  Nearness nearness;      ///< at that pose; its distance is 0, or minus the depth when the shapes overlap at
                          ///< the start
};

/// Casts `moving` from its present pose by `translation`, m. A shape that touches at the start hits only if
/// it approaches; one that overlaps by more than the tolerance always hits, with fraction 0. Without a hit
/// the result is empty. The half-space is that of nearness_to_plane().
[[nodiscard]] std::optional<ConvexHit> cast_convex(const ConvexShape& moving, Vec3<double> translation,
                                                   const ConvexShape& still);
[[nodiscard]] std::optional<ConvexHit> cast_convex_on_plane(const ConvexShape& moving,
                                                            Vec3<double> translation, Vec3<double> on,
                                                            Vec3<double> up) noexcept;

}  // namespace takt
