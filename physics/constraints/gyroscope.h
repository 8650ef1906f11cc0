// begin_gyroscopic() and end_gyroscopic() apply the gyroscopic term: the change of angular velocity of a free
// body with unequal moments of inertia, without torque. GyroscopicTerm calls these functions, or their SIMD
// versions (gyroscope_kernels.h), in each substep before and after positions are integrated. make_gyroscope()
// prepares a body once a tick.
//
// Together the two functions are one implicit midpoint step of Euler's equations in the body frame. The step
// is I (w1 - w0) = h (I wm) x wm with wm = (w0 + w1) / 2. The step conserves w . I w and |I w| for every h at
// which the solution converges (gyroscope_steps.h). In between, the body rotates with wm:
// integrate_positions() applies normalise(q + h/2 wm q), a Cayley transform. This rotation is the inverse of
// the one by which the step rotated I w in the body frame. World angular momentum is therefore conserved too.
// Float mode and fixed mode both compute the term in binary64; a common factor of the moments has no effect.
// Source: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), IV.1 (quadratic invariants
// of the midpoint rule) and VII.5 (rigid bodies).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/math/mass.h"
#include "takt/physics/vector.h"

namespace takt {

struct Gyroscope {
  std::uint32_t body = 0;           ///< solver index; 0 = no term. make_gyroscope() does not set it
  std::array<double, 6> inertia{};  ///< body frame, scaled to a trace of 1; xx, yy, zz, xy, xz, yz
  Vec3<double> half_change{};       ///< wm - w0 = w1 - wm, rad/s, body frame
};

/// Computes out.inertia from the inverse inertia in the body frame. Returns false and leaves `out` as it is
/// when all moments are equal, or the matrix is not positive definite: the body has no term. A body with a
/// locked rotation must have no term either; the caller tests for that.
[[nodiscard]] bool make_gyroscope(const FloatSymMat& inverse_inertia, Gyroscope& out) noexcept;
[[nodiscard]] bool make_gyroscope(const FixedSymMat& inverse_inertia, Gyroscope& out) noexcept;

/// Returns the angular velocity, rad/s, of a body whose rotation is corrected from `before` to `now` without
/// a torque. `w` is the velocity before, rad/s; both are in world axes, the inverse inertia is in the body
/// frame. The result has the kinetic energy of `w`, and its angular momentum has the direction of that of
/// `w`. With unequal moments, `w` itself would gain or lose energy in every correction.
[[nodiscard]] Vec3<double> turned_velocity(const FloatSymMat& inverse_inertia, Quat<double> before,
                                           Quat<double> now, Vec3<double> w) noexcept;
[[nodiscard]] Vec3<double> turned_velocity(const FixedSymMat& inverse_inertia, Quat<double> before,
                                           Quat<double> now, Vec3<double> w) noexcept;

/// Bodies with a gyroscopic term: `count` entries of `indices` are their solver indices. The other three
/// arrays are indexed by solver index.
template <class Real>
struct SpinningBodies {
  const std::uint32_t* indices = nullptr;
  std::size_t count = 0;
  Gyroscope* gyroscopes = nullptr;
  SolverBody<Real>* bodies = nullptr;
  const MovingBody<Real>* moving = nullptr;
};

// Scalar versions, one body after the other. TreeKernels has the SIMD versions, with equal bits.
/// Changes angular velocities from w0 to wm and stores half_change. `step_s` is the substep, s.
template <class Real>
void begin_gyroscopic(const SpinningBodies<Real>& at, double step_s) noexcept;
/// Adds half_change once more, wm to w1, in the body frame after the rotation of the substep.
template <class Real>
void end_gyroscopic(const SpinningBodies<Real>& at) noexcept;

}  // namespace takt
