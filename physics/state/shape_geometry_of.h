// hull_of() and surface_of() find the geometry of a hull, or of a mesh or height field, that WorldState
// shares among shapes. They return null for shapes of other kinds.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

template <class Real>
[[nodiscard]] const HullGeometry* hull_of(const WorldState<Real>& state,
                                          const ShapeRecord<Real>& shape) noexcept {
  return shape.kind == ShapeKind::kHull ? state.hulls.find(shape.geometry) : nullptr;
}

template <class Real>
[[nodiscard]] const SurfaceGeometry* surface_of(const WorldState<Real>& state,
                                                const ShapeRecord<Real>& shape) noexcept {
  return is_surface(shape.kind) ? state.surfaces.find(shape.geometry) : nullptr;
}

}  // namespace takt
