// smallest_half() returns half of the smallest extent of a shape. Continuous collision compares a body's
// displacement in a tick with it: a body that moves farther than its own extent can tunnel through others.
#pragma once

#include "physics/geometry/hull_geometry.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Half of the smallest extent, m; 0 for meshes, height fields and half-spaces. `extents` as in ShapeRecord;
/// `hull` for a hull only.
[[nodiscard]] double smallest_half(ShapeKind kind, Vec3<double> extents, const HullGeometry* hull) noexcept;

}  // namespace takt
