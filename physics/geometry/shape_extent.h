// smallest_half() returns half of the smallest extent of a shape, m; for a cone it is a lower bound.
// Continuous collision compares a body's displacement in a tick with this extent: a body that moves farther
// than its own extent can tunnel through others. The sweeps of soft materials (soft_contact_sweep.h) derive
// their sample distance from it.
#pragma once

#include "physics/geometry/hull_geometry.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Half of the smallest extent, m; a lower bound for cones, 0 for meshes, height fields and half-spaces.
/// `extents` as in ShapeRecord; `hull` for a hull only.
[[nodiscard]] double smallest_half(ShapeKind kind, Vec3<double> extents, const HullGeometry* hull) noexcept;

}  // namespace takt
