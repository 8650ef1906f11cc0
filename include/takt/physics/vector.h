// Vec3, Quat, Mat3 and Transform are templates over a number type: float, Fixed or double. Their quantities
// are relative to a frame, never world coordinates. Position is a point of the world, in float mode and in
// fixed mode: Q31.32 metres per axis. It has no constructor of three numbers: from_metres() and from_raw()
// name the unit, and so do all reads of it.
//
// Physics code only subtracts Positions (exactly, by relative()) or moves them by an offset (moved()), so
// physics is independent of a scene's location. Products have one written order, so float results do not
// depend on the compiler. In fixed mode each dot product and cross component is rounded once. Trigonometry is
// in trigonometry.h.
#pragma once

#include <cstdint>

#include "takt/core/float_contract.h"
#include "takt/physics/fixed.h"

namespace takt {

template <class T>
struct Vec3;

/// Raw units of a Position, and of Fixed, in a metre: 2^32.
inline constexpr double kUnitsPerMetre = 4294967296.0;

/// A world point: Q31.32 metres per axis in both number modes. Range +-2,147,483 km, resolution 0.23 nm. The
/// default is the origin. Position{0, 1, 0} does not compile, because it does not name a unit.
struct Position {
  /// Coordinates in raw units of 2^-32 m (kUnitsPerMetre), as canonical state and the wire have them.
  std::int64_t x_raw = 0;
  std::int64_t y_raw = 0;
  std::int64_t z_raw = 0;

  constexpr Position() noexcept = default;
  /// The nearest point to three coordinates in metres; saturates.
  [[nodiscard]] static constexpr Position from_metres(double x_m, double y_m, double z_m) noexcept {
    return from_raw(Fixed(x_m).raw(), Fixed(y_m).raw(), Fixed(z_m).raw());
  }
  /// The nearest point to a vector of coordinates in metres; saturates.
  [[nodiscard]] static constexpr Position from_metres(const Vec3<double>& point_m) noexcept;
  /// The point with these raw coordinates: 2^32 is one metre.
  [[nodiscard]] static constexpr Position from_raw(std::int64_t x_raw, std::int64_t y_raw,
                                                   std::int64_t z_raw) noexcept {
    Position point;
    point.x_raw = x_raw;
    point.y_raw = y_raw;
    point.z_raw = z_raw;
    return point;
  }
  friend constexpr bool operator==(const Position&, const Position&) = default;
  /// Coordinates in metres, rounded to binary64 (53 bits). For output; canonical state stays in integers.
  [[nodiscard]] constexpr double x_m() const noexcept { return Fixed::from_raw(x_raw).to_double(); }
  [[nodiscard]] constexpr double y_m() const noexcept { return Fixed::from_raw(y_raw).to_double(); }
  [[nodiscard]] constexpr double z_m() const noexcept { return Fixed::from_raw(z_raw).to_double(); }
  /// All three: (x_m, y_m, z_m).
  [[nodiscard]] constexpr Vec3<double> to_metres() const noexcept;
};

[[nodiscard]] inline float sqrt(float value) noexcept { return __builtin_sqrtf(value); }
[[nodiscard]] inline double sqrt(double value) noexcept { return __builtin_sqrt(value); }
[[nodiscard]] constexpr float absolute(float value) noexcept { return value < 0.0f ? -value : value; }
[[nodiscard]] constexpr double absolute(double value) noexcept { return value < 0.0 ? -value : value; }
[[nodiscard]] constexpr Fixed absolute(Fixed value) noexcept { return value < Fixed(0) ? -value : value; }

// min and max as ternaries: SSE and NEON treat signed zeros and NaN differently, the ternary does not.
template <class T>
[[nodiscard]] constexpr T minimum(T a, T b) noexcept {
  return b < a ? b : a;
}
template <class T>
[[nodiscard]] constexpr T maximum(T a, T b) noexcept {
  return a < b ? b : a;
}
template <class T>
[[nodiscard]] constexpr T clamp(T value, T low, T high) noexcept {
  return value < low ? low : (high < value ? high : value);
}

[[nodiscard]] constexpr float dot2(float a0, float b0, float a1, float b1) noexcept {
  return a0 * b0 + a1 * b1;
}
[[nodiscard]] constexpr float dot3(float a0, float b0, float a1, float b1, float a2, float b2) noexcept {
  return a0 * b0 + a1 * b1 + a2 * b2;
}
[[nodiscard]] constexpr double dot2(double a0, double b0, double a1, double b1) noexcept {
  return a0 * b0 + a1 * b1;
}
[[nodiscard]] constexpr double dot3(double a0, double b0, double a1, double b1, double a2,
                                    double b2) noexcept {
  return a0 * b0 + a1 * b1 + a2 * b2;
}
[[nodiscard]] constexpr Fixed dot2(Fixed a0, Fixed b0, Fixed a1, Fixed b1) noexcept {
  return fixed_dot2(a0, b0, a1, b1);
}
[[nodiscard]] constexpr Fixed dot3(Fixed a0, Fixed b0, Fixed a1, Fixed b1, Fixed a2, Fixed b2) noexcept {
  return fixed_dot3(a0, b0, a1, b1, a2, b2);
}
[[nodiscard]] constexpr float dot4(float a0, float b0, float a1, float b1, float a2, float b2, float a3,
                                   float b3) noexcept {
  return (a0 * b0 + a1 * b1) + (a2 * b2 + a3 * b3);
}
[[nodiscard]] constexpr double dot4(double a0, double b0, double a1, double b1, double a2, double b2,
                                    double a3, double b3) noexcept {
  return (a0 * b0 + a1 * b1) + (a2 * b2 + a3 * b3);
}
[[nodiscard]] constexpr Fixed dot4(Fixed a0, Fixed b0, Fixed a1, Fixed b1, Fixed a2, Fixed b2, Fixed a3,
                                   Fixed b3) noexcept {
  return fixed_dot4(a0, b0, a1, b1, a2, b2, a3, b3);
}

/// A vector of three Reals; its owner documents unit and frame.
template <class Real>
struct Vec3 {
  Real x{};
  Real y{};
  Real z{};

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(Vec3 a) noexcept { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, Real s) noexcept { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator*(Real s, Vec3 a) noexcept { return a * s; }
  constexpr Vec3& operator+=(Vec3 b) noexcept { return *this = *this + b; }
  constexpr Vec3& operator-=(Vec3 b) noexcept { return *this = *this - b; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

constexpr Position Position::from_metres(const Vec3<double>& point_m) noexcept {
  return from_metres(point_m.x, point_m.y, point_m.z);
}
constexpr Vec3<double> Position::to_metres() const noexcept { return {x_m(), y_m(), z_m()}; }
/// The vector from one point to another, m: the difference is exact before it is rounded to binary64. Points
/// may be at most 2^31 m apart along each axis (wraps).
[[nodiscard]] constexpr Vec3<double> displacement_m(const Position& from, const Position& to) noexcept {
  auto const axis = [](std::int64_t a, std::int64_t b) {
    return Fixed::from_raw(
               static_cast<std::int64_t>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)))
        .to_double();
  };
  return {axis(from.x_raw, to.x_raw), axis(from.y_raw, to.y_raw), axis(from.z_raw, to.z_raw)};
}

template <class Real>
[[nodiscard]] constexpr Real dot(Vec3<Real> a, Vec3<Real> b) noexcept {
  return dot3(a.x, b.x, a.y, b.y, a.z, b.z);
}
template <class Real>
[[nodiscard]] constexpr Vec3<Real> cross(Vec3<Real> a, Vec3<Real> b) noexcept {
  return {dot2(a.y, b.z, -a.z, b.y), dot2(a.z, b.x, -a.x, b.z), dot2(a.x, b.y, -a.y, b.x)};
}
[[nodiscard]] inline float length(Vec3<float> a) noexcept { return sqrt(dot(a, a)); }
[[nodiscard]] inline double length(Vec3<double> a) noexcept { return sqrt(dot(a, a)); }
[[nodiscard]] inline Fixed length(Vec3<Fixed> a) noexcept { return fixed_length3(a.x, a.y, a.z); }
template <class Real>
[[nodiscard]] constexpr Vec3<Real> absolute(Vec3<Real> a) noexcept {
  return {absolute(a.x), absolute(a.y), absolute(a.z)};
}
/// a / |a|, or `fallback` when |a| is not above `min`.
template <class Real>
[[nodiscard]] Vec3<Real> normalise_or(Vec3<Real> a, Vec3<Real> fallback, Real min) noexcept {
  Real const size = length(a);
  if (!(size > min)) return fallback;
  return {a.x / size, a.y / size, a.z / size};
}

/// Fixed mode scales the vector up before taking its length, so each component of the result is within one
/// unit however short `a` is.
[[nodiscard]] Vec3<Fixed> normalise_or(Vec3<Fixed> a, Vec3<Fixed> fallback, Fixed min) noexcept;

/// A unit quaternion x i + y j + z k + w: rotates body-frame vectors into the world.
template <class Real>
struct Quat {
  Real x{};
  Real y{};
  Real z{};
  Real w{1};

  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

template <class Real>
[[nodiscard]] constexpr Quat<Real> conjugate(Quat<Real> q) noexcept {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class Real>
[[nodiscard]] constexpr Quat<Real> operator*(Quat<Real> a, Quat<Real> b) noexcept {
  return {dot4(a.w, b.x, a.x, b.w, a.y, b.z, -a.z, b.y), dot4(a.w, b.y, a.y, b.w, a.z, b.x, -a.x, b.z),
          dot4(a.w, b.z, a.z, b.w, a.x, b.y, -a.y, b.x), dot4(a.w, b.w, -a.x, b.x, -a.y, b.y, -a.z, b.z)};
}
/// q v q*: v rotated by q.
template <class Real>
[[nodiscard]] constexpr Vec3<Real> rotate(Quat<Real> q, Vec3<Real> v) noexcept {
  // v + w t + axis x t with t = 2 axis x v; the last two terms of each component are rounded together
  Vec3<Real> const half = cross(Vec3<Real>{q.x, q.y, q.z}, v);
  Vec3<Real> const t = half + half;
  return {v.x + dot3(q.w, t.x, q.y, t.z, -q.z, t.y), v.y + dot3(q.w, t.y, q.z, t.x, -q.x, t.z),
          v.z + dot3(q.w, t.z, q.x, t.y, -q.y, t.x)};
}
/// q* v q: v rotated back.
template <class Real>
[[nodiscard]] constexpr Vec3<Real> rotate_inverse(Quat<Real> q, Vec3<Real> v) noexcept {
  return rotate(conjugate(q), v);
}
/// Squared length at or below which a quaternion counts as zero, dimensionless.
inline constexpr float kMinSquareOfRotation = 1e-12f;
/// q scaled to unit length; the identity when the squared length is at most kMinSquareOfRotation.
[[nodiscard]] Quat<float> normalise(Quat<float> q) noexcept;
[[nodiscard]] Quat<Fixed> normalise(Quat<Fixed> q) noexcept;

/// A 3x3 matrix by columns: the images of the axes.
template <class Real>
struct Mat3 {
  Vec3<Real> x{Real(1), Real(0), Real(0)};
  Vec3<Real> y{Real(0), Real(1), Real(0)};
  Vec3<Real> z{Real(0), Real(0), Real(1)};

  friend constexpr Vec3<Real> operator*(const Mat3& m, Vec3<Real> v) noexcept {
    return {dot3(m.x.x, v.x, m.y.x, v.y, m.z.x, v.z), dot3(m.x.y, v.x, m.y.y, v.y, m.z.y, v.z),
            dot3(m.x.z, v.x, m.y.z, v.y, m.z.z, v.z)};
  }
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};
/// m^T v: for a rotation matrix, v in the rotated frame.
template <class Real>
[[nodiscard]] constexpr Vec3<Real> transpose_multiply(const Mat3<Real>& m, Vec3<Real> v) noexcept {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
/// The rotation matrix of a unit quaternion.
template <class Real>
[[nodiscard]] constexpr Mat3<Real> to_matrix(Quat<Real> q) noexcept {
  Real const one(1);
  Real const x2 = q.x + q.x;
  Real const y2 = q.y + q.y;
  Real const z2 = q.z + q.z;
  Real const xx = q.x * x2;
  Real const yy = q.y * y2;
  Real const zz = q.z * z2;
  Real const xy = q.x * y2;
  Real const xz = q.x * z2;
  Real const yz = q.y * z2;
  Real const wx = q.w * x2;
  Real const wy = q.w * y2;
  Real const wz = q.w * z2;
  return {{one - (yy + zz), xy + wz, xz - wy},
          {xy - wz, one - (xx + zz), yz + wx},
          {xz + wy, yz - wx, one - (xx + yy)}};
}

/// A rigid transform in Real: point = origin + rotation * local. Origins are relative to a frame that the
/// caller chooses, never world coordinates.
template <class Real>
struct Transform {
  Vec3<Real> origin;
  Quat<Real> rotation;

  friend constexpr Vec3<Real> operator*(const Transform& t, Vec3<Real> local) noexcept {
    return t.origin + rotate(t.rotation, local);
  }
  friend constexpr Transform operator*(const Transform& a, const Transform& b) noexcept {
    return {a * b.origin, a.rotation * b.rotation};
  }
  friend constexpr bool operator==(const Transform&, const Transform&) = default;
};

/// to - from, exact in 64 bits, then rounded to the nearest Real or double. Saturates for positions further
/// apart than 2,147,483 km (fixed mode counts it).
template <class Real>
[[nodiscard]] Vec3<Real> relative(const Position& to, const Position& from) noexcept;
/// `from` moved by `offset`; each component rounds half to even to 2^-32 m and saturates at the world's edge.
template <class Real>
[[nodiscard]] Position moved(const Position& from, Vec3<Real> offset) noexcept;

/// The unique representation of a number in canonical state: -0 becomes 0. (NaN never occurs there: its body
/// is quarantined.)
[[nodiscard]] constexpr float canonical(float value) noexcept { return value + 0.0f; }
[[nodiscard]] constexpr double canonical(double value) noexcept { return value + 0.0; }
[[nodiscard]] constexpr Fixed canonical(Fixed value) noexcept { return value; }
template <class Real>
[[nodiscard]] constexpr Vec3<Real> canonical(Vec3<Real> v) noexcept {
  return {canonical(v.x), canonical(v.y), canonical(v.z)};
}
template <class Real>
[[nodiscard]] constexpr Quat<Real> canonical(Quat<Real> q) noexcept {
  return {canonical(q.x), canonical(q.y), canonical(q.z), canonical(q.w)};
}

/// The nearest Real to a double, half to even.
template <class Real>
[[nodiscard]] constexpr Real to_real(double value) noexcept {
  return static_cast<Real>(value);
}
[[nodiscard]] constexpr double to_double(float value) noexcept { return static_cast<double>(value); }
[[nodiscard]] constexpr double to_double(double value) noexcept { return value; }
[[nodiscard]] constexpr double to_double(Fixed value) noexcept { return value.to_double(); }
template <class Real>
[[nodiscard]] constexpr Vec3<double> to_double(Vec3<Real> v) noexcept {
  return {to_double(v.x), to_double(v.y), to_double(v.z)};
}
template <class Real>
[[nodiscard]] constexpr Quat<double> to_double(Quat<Real> q) noexcept {
  return {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
}

}  // namespace takt
