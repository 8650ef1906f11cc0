// Mass and SymMat are the types of inverse masses and inverse inertias in float mode and in fixed mode. The
// functions compute the products that the solvers need: matrix times vector, bilinear() and rotated().
// to_mass() and to_sym_mat() convert doubles.
//
// Float mode uses plain binary32. Fixed mode uses Scaled (mantissa and exponent, takt/physics/fixed.h) for
// scalars. An inertia tensor in fixed mode has six mantissas with one common exponent (block floating). A Q
// format does not hold its range, 1e-9 to 2.5e9. A product with a Fixed vector accumulates 128 bits and
// rounds once per component.
#pragma once

#include <array>
#include <cstdint>

#include "takt/physics/fixed.h"
#include "takt/physics/vector.h"

namespace takt {

/// Symmetric 3x3 matrix of float; order xx, yy, zz, xy, xz, yz.
struct FloatSymMat {
  std::array<float, 6> m{};
  friend bool operator==(const FloatSymMat&, const FloatSymMat&) = default;
};

/// Symmetric 3x3 matrix in block floating point: entry i is mantissa[i] x 2^exponent. Mantissas of
/// to_sym_mat() and scaled() are at most 2^60 in size, those of rotated() below 2^62. Order as in
/// FloatSymMat.
struct FixedSymMat {
  std::array<std::int64_t, 6> mantissa{};
  std::int32_t exponent = 0;
  friend bool operator==(const FixedSymMat&, const FixedSymMat&) = default;
};

/// Types of Mass (a mass, inverse mass or effective mass) and SymMat by number type.
template <class Real>
struct MassTypes;
template <>
struct MassTypes<float> {
  using Scalar = float;
  using SymMat = FloatSymMat;
};
template <>
struct MassTypes<Fixed> {
  using Scalar = Scaled;
  using SymMat = FixedSymMat;
};
template <class Real>
using Mass = typename MassTypes<Real>::Scalar;
template <class Real>
using SymMat = typename MassTypes<Real>::SymMat;

inline bool is_positive(float mass) noexcept { return mass > 0.0f; }
inline bool is_positive(double mass) noexcept { return mass > 0.0; }
inline bool is_positive(Scaled mass) noexcept { return mass.is_positive(); }
inline double to_double(Scaled mass) noexcept { return mass.to_double(); }
/// 1 / value, or zero where value is not positive.
inline float reciprocal_or_zero(float value) noexcept { return value > 0.0f ? 1.0f / value : 0.0f; }
inline Scaled reciprocal_or_zero(Scaled value) noexcept {
  return value.is_positive() ? Scaled(Fixed(1)) / value : Scaled{};
}

inline Vec3<float> operator*(const FloatSymMat& a, Vec3<float> v) noexcept {
  return {a.m[0] * v.x + a.m[3] * v.y + a.m[4] * v.z, a.m[3] * v.x + a.m[1] * v.y + a.m[5] * v.z,
          a.m[4] * v.x + a.m[5] * v.y + a.m[2] * v.z};
}

namespace detail {
// |mantissa| < 2^62 and |v| <= 2^63, so three products stay below 2^127.
inline Int128 sum3(std::int64_t a0, std::int64_t b0, std::int64_t a1, std::int64_t b1, std::int64_t a2,
                   std::int64_t b2) noexcept {
  return Int128{a0} * b0 + Int128{a1} * b1 + Int128{a2} * b2;
}
struct Int128x3 {
  Int128 x, y, z;
};
inline Int128x3 multiply_wide(const FixedSymMat& a, Vec3<Fixed> v) noexcept {
  auto const& m = a.mantissa;
  return {sum3(m[0], v.x.raw(), m[3], v.y.raw(), m[4], v.z.raw()),
          sum3(m[3], v.x.raw(), m[1], v.y.raw(), m[5], v.z.raw()),
          sum3(m[4], v.x.raw(), m[5], v.y.raw(), m[2], v.z.raw())};
}
}  // namespace detail

inline Vec3<Fixed> operator*(const FixedSymMat& a, Vec3<Fixed> v) noexcept {
  auto const wide = detail::multiply_wide(a, v);
  return {Fixed::from_raw(Scaled::scale(wide.x, a.exponent)),
          Fixed::from_raw(Scaled::scale(wide.y, a.exponent)),
          Fixed::from_raw(Scaled::scale(wide.z, a.exponent))};
}

/// u . (A v): the inertia term of an effective mass.
inline float bilinear(Vec3<float> u, const FloatSymMat& a, Vec3<float> v) noexcept { return dot(u, a * v); }
inline Scaled bilinear(Vec3<Fixed> u, const FixedSymMat& a, Vec3<Fixed> v) noexcept {
  auto const wide = detail::multiply_wide(a, v);
  int const exponent = a.exponent - 32;
  return Scaled(u.x) * Scaled::normalised(wide.x, exponent) +
         Scaled(u.y) * Scaled::normalised(wide.y, exponent) +
         Scaled(u.z) * Scaled::normalised(wide.z, exponent);
}

/// R A R^T: a body-frame tensor in world axes. R is a rotation.
FloatSymMat rotated(const FloatSymMat& a, const Mat3<float>& r) noexcept;
FixedSymMat rotated(const FixedSymMat& a, const Mat3<Fixed>& r) noexcept;

/// v . A v in binary64.
double quadratic(const FloatSymMat& a, Vec3<double> v) noexcept;
double quadratic(const FixedSymMat& a, Vec3<double> v) noexcept;

/// The entries in binary64: xx, yy, zz, xy, xz, yz.
void copy_entries(const FloatSymMat& a, double (&entries)[6]) noexcept;
void copy_entries(const FixedSymMat& a, double (&entries)[6]) noexcept;

/// The tensor times a positive factor. Each entry is rounded once in float mode, twice in fixed mode.
FloatSymMat scaled(const FloatSymMat& a, double factor) noexcept;
FixedSymMat scaled(const FixedSymMat& a, double factor) noexcept;

/// Converts doubles, order xx, yy, zz, xy, xz, yz. Each entry is rounded to its type once.
template <class Real>
SymMat<Real> to_sym_mat(const std::array<double, 6>& entries) noexcept;
/// Rounds a double to the type of masses.
template <class Real>
Mass<Real> to_mass(double value) noexcept {
  return Mass<Real>(value);
}
template <>
inline float to_mass<float>(double value) noexcept {
  return static_cast<float>(value);
}

}  // namespace takt
