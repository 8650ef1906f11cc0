// cast_ray() returns the first entry of a ray into one shape, by an exact analytic solution for each kind.
// The ray casts of meshes and height fields are in mesh_instance.h. Float mode and fixed mode both compute in
// binary64 (docs/adr/0005); the result depends on the shape and the ray alone.
//
// Each solution is computed about the ray's point nearest to the shape's centre, so a distant origin costs no
// accuracy. Exits are not found: a ray that starts inside a shape hits at its start.
#pragma once

#include <optional>

#include "physics/geometry/shape_geometry.h"

namespace takt {

struct RayHit {
  double fraction = 0.0;  ///< of the translation, [0, 1]
  Vec3<double> normal;    ///< unit, outward, world axes; opposite to the ray when it starts inside
};

/// `origin` relative to the shape's centre and `translation`, both in world axes, m. The shape's rotation
/// must be orthonormal to rounding of doubles.
[[nodiscard]] std::optional<RayHit> cast_ray(const ShapeGeometry<double>& shape, Vec3<double> origin,
                                             Vec3<double> translation) noexcept;

}  // namespace takt
