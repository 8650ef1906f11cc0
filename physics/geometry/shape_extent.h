// smallest_half() returns half of the smallest extent of a shape, m; for a cone it is a lower bound.
// Continuous collision compares a body's displacement in a tick with this extent: a body that moves farther
// than its own extent can tunnel through others. The sweeps of soft materials (soft_contact_sweep.h) derive
// their sample distance from this extent.
#pragma once

#include "physics/geometry/hull_geometry.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// Half of the smallest extent, m; a lower bound for cones, 0 for meshes, height fields and half-spaces.
/// `extents` are those of ShapeRecord. `hull` must not be null for a hull; other kinds ignore it.
[[nodiscard]] double smallest_half(ShapeKind kind, Vec3<double> extents, const HullGeometry* hull) noexcept;

}  // namespace takt
