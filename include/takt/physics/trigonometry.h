// sin, cos, tan and their inverses for both Reals, with the same bits on every machine: range reduction,
// polynomials and rounding use integers alone. Float and Fixed share one algorithm; only the first operation
// (argument to integer) and the last (integer to Real) differ. The functions do not call <cmath> and never
// return -0. Only the final rounding of a float result depends on the rounding mode.
//
// Largest errors against long double for EVERY finite argument; tests/property/numbers/trigonometry_test.cpp
// checks them. (Arguments up to 3e38 are reduced with 256 bits of 1 / 2 pi.) "Correct" is half a unit in the
// last place: 5.97e-8 relative, or 1.17e-10 for Fixed.
//
//              float                              Fixed
//   sin, cos   6.1e-8 relative, 3.1e-8 absolute   1.2e-10 absolute
//   tan        6.1e-8 relative                    1.2e-10 + |t| (1e-14 + 2e-18 |t|) for the result t;
//                                                 saturates past +-2^31
//   asin, atan 6.1e-8 relative, 6.1e-8 absolute   1.2e-10 absolute
//   acos       6.1e-8 relative, 1.2e-7 absolute   1.2e-10 absolute
//   atan2      8.1e-8 relative, 1.2e-7 absolute   1.2e-10 absolute
//
// sin, tan, asin, atan are odd and cos is even to the last bit.
//
// Source: range reduction after M. Payne and R. Hanek, Radian Reduction for Trigonometric Functions (1983);
// coefficients by Remez's exchange (tests/property/numbers/fit_trigonometry.py).
#pragma once

#include "takt/physics/fixed.h"

namespace takt {

/// Sine and cosine of one angle, computed with one range reduction.
template <class Real>
struct SinCos {
  Real sin{};
  Real cos{};
};

/// Angles are radians. A float that is NaN or infinite gives NaN.
template <class Real>
[[nodiscard]] SinCos<Real> sin_cos(Real angle_rad) noexcept;
template <class Real>
[[nodiscard]] Real sin(Real angle_rad) noexcept;
template <class Real>
[[nodiscard]] Real cos(Real angle_rad) noexcept;
/// Near a pole the result is large; Fixed saturates there and counts an overflow.
template <class Real>
[[nodiscard]] Real tan(Real angle_rad) noexcept;

/// In [-pi/2, pi/2]. An argument outside [-1, 1] is clamped, because rounding may push a caller's quotient
/// past the end. NaN gives NaN.
template <class Real>
[[nodiscard]] Real asin(Real sine) noexcept;
/// In [0, pi]; the argument is clamped as for asin.
template <class Real>
[[nodiscard]] Real acos(Real cosine) noexcept;
/// In [-pi/2, pi/2]. An infinite float gives +-pi/2; NaN gives NaN.
template <class Real>
[[nodiscard]] Real atan(Real tangent) noexcept;
/// The angle of the point (x, y) from the x axis, in (-pi, pi] before rounding. atan2(0, 0) = 0; the sign of
/// a zero is ignored, so atan2(-0, -1) = pi. Infinite floats give the limits (both infinite: odd multiples of
/// pi/4); NaN gives NaN.
template <class Real>
[[nodiscard]] Real atan2(Real y, Real x) noexcept;

extern template SinCos<float> sin_cos(float) noexcept;
extern template float sin(float) noexcept;
extern template float cos(float) noexcept;
extern template float tan(float) noexcept;
extern template float asin(float) noexcept;
extern template float acos(float) noexcept;
extern template float atan(float) noexcept;
extern template float atan2(float, float) noexcept;
extern template SinCos<Fixed> sin_cos(Fixed) noexcept;
extern template Fixed sin(Fixed) noexcept;
extern template Fixed cos(Fixed) noexcept;
extern template Fixed tan(Fixed) noexcept;
extern template Fixed asin(Fixed) noexcept;
extern template Fixed acos(Fixed) noexcept;
extern template Fixed atan(Fixed) noexcept;
extern template Fixed atan2(Fixed, Fixed) noexcept;

}  // namespace takt
