// Mechanical energy of dynamic bodies in doubles, from their records: kinetic energy with the true mass and
// inertia, and energy of height. For World::energy() and the energy ledger; it changes no state.
#pragma once

#include <array>

#include "physics/state/world_state.h"
#include "takt/physics/inspection.h"

namespace takt {

/// Inertia of a dynamic body about its centre of mass, body frame, kg m^2: xx, yy, zz, xy, xz, yz.
template <class Real>
[[nodiscard]] std::array<double, 6> inertia_of(const BodyRecord<Real>& body) noexcept;

/// `rotation` is the body's, the velocities are those of its centre of mass in world axes.
[[nodiscard]] double kinetic_energy_j(double mass_kg, const std::array<double, 6>& inertia_kg_m2,
                                      Quat<double> rotation, Vec3<double> linear_m_s,
                                      Vec3<double> angular_rad_s) noexcept;

/// The sum over all enabled dynamic bodies that are not quarantined.
template <class Real>
[[nodiscard]] WorldEnergy energy_of(const WorldState<Real>& state) noexcept;

}  // namespace takt
