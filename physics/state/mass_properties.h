// Mass, centre of mass and inertia of a body from its shapes' densities, in doubles. Exact formulas per
// shape, composed by the parallel-axis theorem. Doubles are IEEE binary64 evaluated in written order, so
// every machine computes the same bits; each mode then rounds them once.
#pragma once

#include <array>
#include <span>

#include "physics/geometry/hull_geometry.h"
#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"

namespace takt {

struct MassProperties {
  double mass_kg = 0.0;             ///< 0: no shape has a density
  Vec3<double> center_m{};          ///< body frame
  std::array<double, 6> inertia{};  ///< about the centre, body axes, kg m^2; xx, yy, zz, xy, xz, yz
};

/// Sensors have no mass. Of checked shape definitions (see definition_check.h). `hulls` has the geometry of
/// each shape that is a hull, at the place of the shape; it may be empty when none is.
[[nodiscard]] MassProperties mass_properties(std::span<const ShapeDef> shapes,
                                             std::span<const PlacedHull> hulls = {}) noexcept;

/// q / |q|, for the rotations of definitions.
[[nodiscard]] Quat<double> unit(Quat<double> q) noexcept;

/// The inverse of a symmetric positive-definite tensor. Errors: kMassOutOfRange when it is not.
[[nodiscard]] Result<std::array<double, 6>, PhysicsError> inverted(
    const std::array<double, 6>& inertia) noexcept;

}  // namespace takt
