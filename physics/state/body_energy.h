// energy_of() returns the mechanical energy of a world's dynamic bodies: kinetic energy and potential energy
// of height. Mass and inertia are the bodies' own, not the larger inertia of inertia_conditioning.h.
// kinetic_energy_j() and inertia_of() compute it for one body. World::energy() and the energy ledger
// (energy_meter.h) call these functions. All arithmetic is in doubles, and no state changes.
#pragma once

#include <array>

#include "physics/state/world_state.h"
#include "takt/physics/inspection.h"

namespace takt {

/// Inertia of a dynamic body about its centre of mass, body frame, kg m^2: xx, yy, zz, xy, xz, yz. All
/// entries are 0 while the record has no inverse inertia.
template <class Real>
[[nodiscard]] std::array<double, 6> inertia_of(const BodyRecord<Real>& body) noexcept;

/// Kinetic energy of one body, J. `rotation` is the body's, the inertia is in its frame, the velocities are
/// those of its centre of mass in world axes.
[[nodiscard]] double kinetic_energy_j(double mass_kg, const std::array<double, 6>& inertia_kg_m2,
                                      Quat<double> rotation, Vec3<double> linear_m_s,
                                      Vec3<double> angular_rad_s) noexcept;

/// The sum over all enabled dynamic bodies that are not quarantined, awake or asleep. Potential energy is 0
/// at the world's origin.
template <class Real>
[[nodiscard]] WorldEnergy energy_of(const WorldState<Real>& state) noexcept;

}  // namespace takt
