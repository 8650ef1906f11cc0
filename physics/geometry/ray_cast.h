// Where a ray enters one shape: exact analytic answers for every kind, in binary64 in both number modes
// (docs/adr/0005). Pure functions of the shape and the ray.
//
// Each is solved about the point of the ray nearest to the shape's middle, so that a ray that starts far away
// is as exact as one that starts close. It finds nothing behind the surface: a ray that starts inside a shape
// hits it where it starts.
#pragma once

#include <optional>

#include "physics/narrow_phase/manifold.h"

namespace takt {

struct RayHit {
  double fraction = 0.0;  ///< of the translation, [0, 1]
  Vec3<double> normal;    ///< unit, out of the shape, world axes; against the ray when it starts inside
};

/// `origin` from the shape's middle and `translation` in world axes, m. The shape's rotation must be square
/// to rounding of doubles.
[[nodiscard]] std::optional<RayHit> cast_ray(const ShapeGeometry<double>& shape, Vec3<double> origin,
                                             Vec3<double> translation) noexcept;

}  // namespace takt
