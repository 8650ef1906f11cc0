// Smallest extent of a shape. A body that moves farther in one tick can tunnel through it.
#pragma once

#include "physics/geometry/hull_geometry.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Half of the smallest extent, m; 0 for meshes, height fields and half-spaces. `extents` as in ShapeRecord;
/// `hull` for a hull only.
[[nodiscard]] double smallest_half(ShapeKind kind, Vec3<double> extents, const HullGeometry* hull) noexcept;

}  // namespace takt
