// The gyroscopic term: how the spin of a free body whose three moments differ changes without any torque. One
// implicit midpoint step of Euler's equations in the body's frame, I (w1 - w0) = h (I wm) x wm with wm = (w0
// + w1) / 2, which keeps w . I w and |I w| whatever h is. The body turns with wm, and the turn that
// integrate_positions makes (normalise(q + h/2 wm q), a Cayley turn) is exactly the one by which the step
// turned I w back: so the angular momentum stays in the world too. Worked out in binary64 in both modes;
// moments matter up to a factor only. Source: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical
// Integration (2006), IV.1 (quadratic invariants of the midpoint rule) and VII.5 (rigid bodies).
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
  std::uint32_t body = 0;           ///< solver's place
  std::array<double, 6> inertia{};  ///< body frame, scaled to a trace of 1; xx, yy, zz, xy, xz, yz
  Vec3<double> half_change{};       ///< wm - w0 = w1 - wm, rad/s, body frame
};

/// False when the term is 0 for every spin: all moments are the same, or the body does not turn.
[[nodiscard]] bool make_gyroscope(const FloatSymMat& inverse_inertia, Gyroscope& out) noexcept;
[[nodiscard]] bool make_gyroscope(const FixedSymMat& inverse_inertia, Gyroscope& out) noexcept;

/// Bodies with a gyroscope: places in the solver, at which all three lists have them.
template <class Real>
struct SpinningBodies {
  const std::uint32_t* indices = nullptr;
  std::size_t count = 0;
  Gyroscope* gyroscopes = nullptr;
  SolverBody<Real>* bodies = nullptr;
  const MovingBody<Real>* moving = nullptr;
};

// One body after the other; TreeKernels has both for several at once.
/// From w0 to wm.
template <class Real>
void begin_gyroscopic(const SpinningBodies<Real>& at, double step_s) noexcept;
/// From wm to w1, in the frame that the body has turned to.
template <class Real>
void end_gyroscopic(const SpinningBodies<Real>& at) noexcept;

}  // namespace takt
