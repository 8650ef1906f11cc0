// hull_of() and surface_of() return the geometry of a shape that is a hull, or a mesh or height field.
// WorldState stores each geometry once and shares it among shapes by digest. The functions return null for
// shapes of other kinds. A result is valid until the state's geometry pools change.
#pragma once

#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
[[nodiscard]] const HullGeometry* hull_of(const WorldState<Real>& state,
                                          const ShapeRecord<Real>& shape) noexcept {
  const HullGeometry* const hull =
      shape.kind == ShapeKind::kHull ? state.hulls.find(shape.geometry) : nullptr;
  TAKT_VALIDATE((hull != nullptr) == (shape.kind == ShapeKind::kHull));
  return hull;
}

template <class Real>
[[nodiscard]] const SurfaceGeometry* surface_of(const WorldState<Real>& state,
                                                const ShapeRecord<Real>& shape) noexcept {
  const SurfaceGeometry* const surface =
      is_surface(shape.kind) ? state.surfaces.find(shape.geometry) : nullptr;
  TAKT_VALIDATE((surface != nullptr) == is_surface(shape.kind));
  return surface;
}

}  // namespace takt
