// SolverBody is the part of a body that the solvers of contacts, joints, ropes and grabs read and write in
// each pass. SolverBody has the velocities, and displacement and rotation since the tick's start. SolverMass
// holds the inverse mass and the inverse inertia (world axes) of the body at the tick's start. SolverBodies
// (solver_bodies.h) has the arrays of both.
#pragma once

#include <cstdint>

#include "physics/math/mass.h"
#include "takt/physics/vector.h"

namespace takt {

/// Velocities, and displacement and rotation since the tick's start. Four values each, so that one lane row
/// is one aligned load. Index 0 of the solver bodies stands for every body that does not move, and stays 0.
template <class Real>
struct alignas(64) SolverBody {
  Real linear_velocity[4]{};   ///< m/s, world; the fourth value is 0
  Real angular_velocity[4]{};  ///< rad/s, world
  Real delta_position[4]{};    ///< of the centre of mass, m, world
  Real delta_rotation[4]{};    ///< rad, world: the sum of angular velocity x substep
};

/// Masses of a solver body, parallel to SolverBody. Both are 0 for a kinematic body and at index 0.
template <class Real>
struct SolverMass {
  Mass<Real> inverse_mass{};       ///< 1/kg
  SymMat<Real> inverse_inertia{};  ///< 1/(kg m^2), world
  std::uint8_t locked_axes = 0;    ///< kLock bits, applied to inverse_inertia but not to inverse_mass
};

/// The vector in a row of four values; doubles_of() converts it to binary64.
template <class Real>
[[nodiscard]] constexpr Vec3<Real> vector_of(const Real (&row)[4]) noexcept {
  return {row[0], row[1], row[2]};
}
template <class Real>
[[nodiscard]] constexpr Vec3<double> doubles_of(const Real (&row)[4]) noexcept {
  return to_double(vector_of(row));
}
/// Stores a vector in a row, and 0 as its fourth value.
template <class Real>
constexpr void set_row(Real (&to)[4], Vec3<Real> v) noexcept {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  to[3] = Real(0);
}

}  // namespace takt
