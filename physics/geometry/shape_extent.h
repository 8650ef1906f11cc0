// How thin a shape is: what goes farther than that at once may jump over it.
#pragma once

#include "physics/geometry/hull_geometry.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Half of the smallest extent, m; 0 of surfaces and half-spaces. `extents` as in ShapeRecord; `hull` is of a
/// hull.
[[nodiscard]] double smallest_half(ShapeKind kind, Vec3<double> extents, const HullGeometry* hull) noexcept;

}  // namespace takt
