// mass_properties() computes the mass, centre of mass and inertia of a body from its shapes' densities, in
// doubles. Sensors, meshes, height fields and half-spaces have no mass. The parallel-axis theorem adds the
// shapes. Doubles are IEEE binary64 evaluated in written order, so every machine computes equal bits. Bodies
// get these values when they are created without a given mass (body_records.h), or become dynamic without a
// mass (body_mutators.h). The callers round the results once, to float or Fixed. inverted() inverts an
// inertia tensor.
#pragma once

#include <array>
#include <span>

#include "physics/geometry/hull_geometry.h"
#include "physics/math/unit_quat.h"
#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"

namespace takt {

struct MassProperties {
  double mass_kg = 0.0;             ///< 0: no shape has a density
  Vec3<double> center_m{};          ///< body frame
  std::array<double, 6> inertia{};  ///< about the centre, body axes, kg m^2; xx, yy, zz, xy, xz, yz
};

/// Computes mass properties of checked shape definitions (definition_check.h). `hulls` is parallel to
/// `shapes` and has the geometry of each hull (asserted); it may be empty when no shape is a hull.
[[nodiscard]] MassProperties mass_properties(std::span<const ShapeDef> shapes,
                                             std::span<const PlacedHull> hulls = {}) noexcept;

/// The inverse of a symmetric positive-definite tensor, in the order of MassProperties::inertia. Error:
/// kMassOutOfRange when it is not positive definite.
[[nodiscard]] Result<std::array<double, 6>, PhysicsError> inverted(
    const std::array<double, 6>& inertia) noexcept;

}  // namespace takt
