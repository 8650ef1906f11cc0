#include "takt/physics/trigonometry.h"

#include <bit>
#include <limits>

#include "physics/math/atan_table.h"
#include "physics/math/wide_divide.h"
#include "takt/core/assert.h"
#include "takt/physics/vector.h"

namespace takt {
namespace {

using detail::round_shift;

// ---- the core: integers only ----
//
// phase: an angle as a fraction of a turn, 2^64 = one turn, so wrapping is the range reduction.
// Q62: int64, one = 2^62. Q61: one = 2^61, for angles up to pi.

constexpr std::int64_t kOneQ62 = std::int64_t{1} << 62;

// Largest error 3.4e-15 for sin(pi/4 t) / t and 4.8e-17 for cos(pi/4 t) in t^2, |t| <= 1.
constexpr std::int64_t kSin[] = {3622009729038545935, -372372949608337148, 11484917806703321,
                                 -168677913836162,    1445018385699,       -8008281578};
constexpr std::int64_t kCos[] = {
    4611686018427387687, -1422359894497266477, 73115257680197860, -1503372225017912,
    16559915075789,      -113491321503,        524140327};

/// a b in Q62, rounded towards minus infinity.
constexpr std::int64_t multiply_q62(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>((Int128{a} * b) >> 62);
}

template <std::size_t Count>
constexpr std::int64_t polynomial_q62(const std::int64_t (&coefficients)[Count], std::int64_t z) noexcept {
  std::int64_t sum = coefficients[Count - 1];
  for (std::size_t i = Count - 1; i-- > 0;) sum = coefficients[i] + multiply_q62(sum, z);
  return sum;
}

struct SinCosQ62 {
  std::int64_t sin;
  std::int64_t cos;
};

SinCosQ62 sin_cos_of_phase(std::uint64_t phase) noexcept {
  // nearest quarter turn, and the remainder in [-1/8, 1/8) turn
  std::uint64_t const quadrant = (phase + (std::uint64_t{1} << 61u)) >> 62u;
  auto const rest = static_cast<std::int64_t>(phase - (quadrant << 62u));
  std::int64_t const t = rest * 2;                                  // Q62: t = 1 at pi/4
  auto const z = static_cast<std::int64_t>((Int128{t} * t) >> 62);  // t^2, Q62
  std::int64_t const s = multiply_q62(polynomial_q62(kSin, z), t);
  std::int64_t const c = polynomial_q62(kCos, z);
  switch (quadrant & 3u) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

/// atan(num / den) in Q61 for 0 <= num <= den, 0 < den < 2^63.
std::int64_t atan_of_ratio(std::int64_t num, std::int64_t den) noexcept {
  TAKT_VALIDATE(0 <= num && num <= den && den > 0);
  auto const q = static_cast<std::int64_t>((static_cast<UInt128>(num) << 62u) /
                                           static_cast<std::uint64_t>(den));  // Q62, [0, 1]
  // nearest k/8, then atan(q) = atan(k/8) + atan((q - k/8) / (1 + q k/8)); the last argument is within +-1/16
  auto const k = static_cast<int>((q + (std::int64_t{1} << 58)) >> 59);
  std::int64_t const difference = q - (std::int64_t{k} << 59);
  auto const scale = static_cast<UInt128>((Int128{1} << 65) + Int128{q} * k);  // (1 + q k/8) in Q65
  std::int64_t const d = quotient_q65(difference, scale);
  auto const w = static_cast<std::int64_t>((Int128{d} * d) >> 54);  // 256 d^2, Q62
  return kAtanEighths[k] + (multiply_q62(polynomial_q62(kAtan, w), d) >> 1);
}

constexpr std::int64_t magnitude(std::int64_t value) noexcept { return value < 0 ? -value : value; }

/// Angle in Q61 of the point at distances `width` and `height` from the axes, not both zero. `below` and
/// `left` give the signs of y and x.
std::int64_t atan2_q61(std::int64_t height, bool below, std::int64_t width, bool left) noexcept {
  std::int64_t angle =
      height <= width ? atan_of_ratio(height, width) : kHalfPiQ61 - atan_of_ratio(width, height);
  if (left) angle = kPiQ61 - angle;
  return below ? -angle : angle;
}
std::int64_t atan2_q61(std::int64_t y, std::int64_t x) noexcept {
  return atan2_q61(magnitude(y), y < 0, magnitude(x), x < 0);
}

/// sqrt(1 - s^2) in Q62 for s in Q62, |s| <= 1: the difference is exact.
std::int64_t other_leg_q62(std::int64_t s) noexcept {
  TAKT_VALIDATE(s >= -kOneQ62 && s <= kOneQ62);
  Int128 const square = (Int128{1} << 124) - Int128{s} * s;
  return static_cast<std::int64_t>(detail::sqrt_u128(static_cast<UInt128>(square)));
}

// ---- Fixed ----

/// |raw| 2^-32 / (2 pi) of a turn, to one unit of 2^-64 turn over the whole range.
std::uint64_t phase_of_magnitude(Fixed angle) noexcept {
  // 2^96 / (2 pi), in two words
  constexpr std::uint64_t kHigh = 0x28be60dbu;
  constexpr std::uint64_t kLow = 0x9391054a7f09d5f4u;
  auto const size = static_cast<std::uint64_t>(magnitude(angle.raw()));
  return size * kHigh + static_cast<std::uint64_t>((UInt128{size} * kLow) >> 64u);
}

/// Reduces the magnitude and restores the sine's sign, so that sine is odd and cosine even to the last bit.
SinCosQ62 sin_cos_q62(Fixed angle) noexcept {
  SinCosQ62 sc = sin_cos_of_phase(phase_of_magnitude(angle));
  if (angle.raw() < 0) sc.sin = -sc.sin;
  return sc;
}

Fixed from_q62(std::int64_t value) noexcept {
  return Fixed::from_raw(static_cast<std::int64_t>(round_shift(value, 30)));
}
Fixed from_q61(std::int64_t value) noexcept {
  return Fixed::from_raw(static_cast<std::int64_t>(round_shift(value, 29)));
}

/// Clamps an argument of asin or acos to [-1, 1], in Q62.
std::int64_t unit_q62(Fixed value) noexcept {
  if (value > Fixed(1)) return kOneQ62;
  if (value < Fixed(-1)) return -kOneQ62;
  return value.raw() * (std::int64_t{1} << 30);
}

Fixed asin_of(Fixed s) noexcept {
  std::int64_t const unit = unit_q62(s);
  return from_q61(atan2_q61(unit, other_leg_q62(unit)));
}
Fixed acos_of(Fixed c) noexcept {
  std::int64_t const unit = unit_q62(c);
  return from_q61(atan2_q61(other_leg_q62(unit), unit));
}
Fixed atan2_of(Fixed y, Fixed x) noexcept {
  if (y.raw() == 0 && x.raw() == 0) return Fixed{};
  return from_q61(atan2_q61(y.raw(), x.raw()));
}

SinCos<Fixed> sin_cos_of(Fixed angle) noexcept {
  SinCosQ62 const sc = sin_cos_q62(angle);
  return {from_q62(sc.sin), from_q62(sc.cos)};
}
Fixed tan_of(Fixed angle) noexcept {
  SinCosQ62 const sc = sin_cos_q62(angle);
  return Fixed::from_raw(detail::divide_raw(sc.sin, sc.cos));
}

// ---- float ----

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A float as (-1)^negative x size x 2^exponent, size < 2^24; finite is false for infinities and NaN.
struct Parts {
  std::int64_t size;
  int exponent;
  bool negative;
  bool finite;
};

Parts parts_of(float value) noexcept {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  int const biased = static_cast<int>((bits >> 23u) & 0xffu);
  auto const fraction = static_cast<std::int64_t>((bits & 0x7fffffu) | (biased != 0 ? 0x800000u : 0u));
  return {fraction, (biased != 0 ? biased : 1) - 150, (bits >> 31u) != 0, biased != 0xff};
}

bool is_nan(float value) noexcept { return !(value == value); }

// Below this magnitude sin, tan, asin and atan of x are x to within half a unit in the last place (x^3 / 3 <
// 2^-25 x), and cos is at least 1 - 2^-25.
constexpr float kTiny = 0x1p-12f;
bool is_tiny(float value) noexcept { return value < kTiny && value > -kTiny; }

/// size 2^exponent / (2 pi) of a turn for exponents in [-64, 104]. Bits of 1 / (2 pi) above the binary point
/// of 2^exponent / (2 pi) contribute whole turns. A window of 128 bits below it therefore suffices.
std::uint64_t phase_of_magnitude(Parts angle) noexcept {
  // a word of zeros, then 1 / (2 pi) to 256 bits
  constexpr std::uint64_t kTurns[] = {0, 0x28be60db9391054au, 0x7f09d5f47d4d3770u, 0x36d8a5664f10e410u,
                                      0x7f9458eaf7aef158u};
  TAKT_VALIDATE(angle.exponent >= -64 && angle.exponent <= 104);
  auto const first = static_cast<unsigned>(angle.exponent + 64);
  unsigned const word = first / 64u;
  unsigned const offset = first % 64u;
  auto const window = [&](unsigned i) {
    return offset == 0 ? kTurns[i] : (kTurns[i] << offset) | (kTurns[i + 1u] >> (64u - offset));
  };
  auto const size = static_cast<std::uint64_t>(angle.size);
  return size * window(word) + static_cast<std::uint64_t>((UInt128{size} * window(word + 1u)) >> 64u);
}

SinCosQ62 sin_cos_q62(Parts angle) noexcept {
  SinCosQ62 sc = sin_cos_of_phase(phase_of_magnitude(angle));
  if (angle.negative) sc.sin = -sc.sin;
  return sc;
}

float float_from_q62(std::int64_t value) noexcept { return static_cast<float>(value) * 0x1p-62f; }
float float_from_q61(std::int64_t value) noexcept { return static_cast<float>(value) * 0x1p-61f; }

SinCos<float> sin_cos_of(float angle) noexcept {
  if (is_tiny(angle)) return {angle == 0.0f ? 0.0f : angle, 1.0f};
  Parts const parts = parts_of(angle);
  if (!parts.finite) return {kNaN, kNaN};
  SinCosQ62 const sc = sin_cos_q62(parts);
  return {float_from_q62(sc.sin), float_from_q62(sc.cos)};
}

float tan_of(float angle) noexcept {
  if (is_tiny(angle)) return angle == 0.0f ? 0.0f : angle;
  Parts const parts = parts_of(angle);
  if (!parts.finite) return kNaN;
  SinCosQ62 const sc = sin_cos_q62(parts);
  // The quotient of doubles is accurate to 2^-52, so this rounds to float once in all but 2^-28 of the cases.
  return static_cast<float>(static_cast<double>(sc.sin) / static_cast<double>(sc.cos));
}

/// Clamps an argument of asin or acos to [-1, 1], in Q62; exact from 2^-39 upwards.
std::int64_t unit_q62(float value) noexcept {
  if (value >= 1.0f) return kOneQ62;
  if (value <= -1.0f) return -kOneQ62;
  return static_cast<std::int64_t>(value * 0x1p62f);
}

float asin_of(float s) noexcept {
  if (is_nan(s)) return kNaN;
  if (is_tiny(s)) return s == 0.0f ? 0.0f : s;
  std::int64_t const unit = unit_q62(s);
  return float_from_q61(atan2_q61(unit, other_leg_q62(unit)));
}
float acos_of(float c) noexcept {
  if (is_nan(c)) return kNaN;
  std::int64_t const unit = unit_q62(c);
  return float_from_q61(atan2_q61(other_leg_q62(unit), unit));
}

float atan2_of(float y, float x) noexcept {
  if (is_nan(y) || is_nan(x)) return kNaN;
  Parts const py = parts_of(y);
  Parts const px = parts_of(x);
  if (!py.finite || !px.finite) {  // beside an infinity every finite value is 0, and two infinities are equal
    return float_from_q61(
        atan2_q61(py.finite ? 0 : 1, py.negative && !py.finite, px.finite ? 0 : 1, px.negative));
  }
  if (py.size == 0 && px.size == 0) return 0.0f;
  // A small angle equals the quotient, correctly rounded; integers of one scale would lose its leading
  // digits.
  if (x > 0.0f) {
    float const quotient = y / x;
    if (is_tiny(quotient)) return quotient == 0.0f ? 0.0f : quotient;
  }
  // Scales both so that the larger is in [2^61, 2^62). Bits shifted out of the smaller change the angle by
  // less than 2^-61.
  int const bits_y = 64 - std::countl_zero(static_cast<std::uint64_t>(py.size));
  int const bits_x = 64 - std::countl_zero(static_cast<std::uint64_t>(px.size));
  int const top_y = py.size != 0 ? py.exponent + bits_y : std::numeric_limits<int>::min();
  int const top_x = px.size != 0 ? px.exponent + bits_x : std::numeric_limits<int>::min();
  int const top = top_y > top_x ? top_y : top_x;
  auto const at_scale = [top](Parts p) -> std::int64_t {
    int const shift = p.exponent - top + 62;  // at most 61, except for zero
    if (shift < -31 || p.size == 0) return 0;
    return shift >= 0 ? p.size << shift : p.size >> -shift;
  };
  return float_from_q61(atan2_q61(at_scale(py), py.negative && py.size != 0, at_scale(px), px.negative));
}

}  // namespace

template <class Real>
SinCos<Real> sin_cos(Real angle_rad) noexcept {
  return sin_cos_of(angle_rad);
}
template <class Real>
Real sin(Real angle_rad) noexcept {
  return sin_cos_of(angle_rad).sin;
}
template <class Real>
Real cos(Real angle_rad) noexcept {
  return sin_cos_of(angle_rad).cos;
}
template <class Real>
Real tan(Real angle_rad) noexcept {
  return tan_of(angle_rad);
}
template <class Real>
Real asin(Real sine) noexcept {
  return asin_of(sine);
}
template <class Real>
Real acos(Real cosine) noexcept {
  return acos_of(cosine);
}
template <class Real>
Real atan(Real tangent) noexcept {
  return atan2_of(tangent, Real(1));
}
template <class Real>
Real atan2(Real y, Real x) noexcept {
  return atan2_of(y, x);
}

template SinCos<float> sin_cos(float) noexcept;
template float sin(float) noexcept;
template float cos(float) noexcept;
template float tan(float) noexcept;
template float asin(float) noexcept;
template float acos(float) noexcept;
template float atan(float) noexcept;
template float atan2(float, float) noexcept;
template SinCos<Fixed> sin_cos(Fixed) noexcept;
template Fixed sin(Fixed) noexcept;
template Fixed cos(Fixed) noexcept;
template Fixed tan(Fixed) noexcept;
template Fixed asin(Fixed) noexcept;
template Fixed acos(Fixed) noexcept;
template Fixed atan(Fixed) noexcept;
template Fixed atan2(Fixed, Fixed) noexcept;

double angle_of(double y, double x) noexcept {
  // Numbers past Fixed's, or none, have no angle that counts; Fixed would count an overflow for each, and so
  // for each lane that repeats a joint.
  constexpr double kPast = 0x1p31;
  bool const known = y < kPast && y > -kPast && x < kPast && x > -kPast;
  return known ? to_double(atan2(to_real<Fixed>(y), to_real<Fixed>(x))) : 0.0;
}

}  // namespace takt
