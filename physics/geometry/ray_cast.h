// cast_ray() returns the first hit of a ray on one shape, by a closed-form solution for each kind. A ray that
// starts inside a shape or on its surface hits at its start; exits are not found. For meshes and height
// fields this function finds nothing: mesh_instance.h has their cast_ray(). World queries, movers and ropes
// call cast_ray() of both headers. Float mode and fixed mode both compute in binary64 (docs/adr/0005); the
// result depends on the shape and the ray alone.
//
// Each solution is computed about the ray's point nearest to the shape's centre, so a distant origin costs no
// accuracy.
#pragma once

#include <optional>

#include "physics/geometry/shape_geometry.h"

namespace takt {

struct RayHit {
  double fraction = 0.0;  ///< of the translation, [0, 1]
  Vec3<double> normal;    ///< unit, outward, world axes; opposite to the ray when it starts inside (+y for a
                          ///< ray of length 0)
};

/// Returns the first hit, or nothing. `origin` is relative to the shape's centre (of a half-space: a point of
/// its plane); `origin` and `translation` are in world axes, m. The shape's rotation must be orthonormal to
/// rounding of doubles, and `hull` not null for a hull.
[[nodiscard]] std::optional<RayHit> cast_ray(const ShapeGeometry<double>& shape, Vec3<double> origin,
                                             Vec3<double> translation) noexcept;

}  // namespace takt
