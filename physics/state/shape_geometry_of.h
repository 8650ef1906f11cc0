// The shared geometry that a shape is made of: null for kinds that have none.
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
