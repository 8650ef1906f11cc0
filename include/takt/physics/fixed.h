// Fixed is signed Q31.32 fixed point in an int64, the Real of fixed mode. Scaled is a 62-bit mantissa with a
// binary exponent, for quantities that exceed any single Q format. (Inverse mass, inverse inertia and
// effective mass span 1e-9 to 2.5e9, more than 60 bits.)
//
// Integers determine the result of every operation, so results have the same bits on every machine:
// - add and subtract: exact, saturating;
// - multiply, divide, sqrt: correctly rounded, half to even, saturating;
// - dot products and determinants: full 128-bit products are summed and rounded once (fixed_dot2,
//   fixed_dot3);
// - each saturation, division by zero and root of a negative adds one to a per-thread count. World::step
//   adds the count of its solver to a total, which is part of the saved and hashed state.
//
// No operation of Fixed wraps or traps. Floating point occurs only in conversions from and to float and
// double, and in sqrt's first guess, which an exact integer correction makes irrelevant.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>

namespace takt {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Number of saturations on this thread since the last take_fixed_overflow_count().
[[nodiscard]] std::uint64_t fixed_overflow_count() noexcept;
/// Returns the count and resets it to zero.
std::uint64_t take_fixed_overflow_count() noexcept;
/// Adds saturations that another thread counted while it worked for this one.
void add_fixed_overflow_count(std::uint64_t count) noexcept;

namespace detail {
void count_fixed_overflow() noexcept;  // out of line: the cold path only

inline constexpr std::int64_t kFixedMax = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kFixedMin = -kFixedMax;  // symmetric, so that negation never overflows

constexpr std::int64_t saturated(bool negative) noexcept {
  if (!std::is_constant_evaluated()) count_fixed_overflow();
  return negative ? kFixedMin : kFixedMax;
}

/// value / 2^shift, half to even, without saturation. 0 <= shift <= 126, |value| <= 2^126.
constexpr Int128 round_shift(Int128 value, int shift) noexcept {
  if (shift == 0) return value;
  // Adding (half a unit - 1), plus 1 when the floor is odd, carries exactly when half-to-even rounds up.
  Int128 const odd = (value >> shift) & 1;
  return (value + ((Int128{1} << (shift - 1)) - 1) + odd) >> shift;
}

constexpr std::int64_t saturate(Int128 value) noexcept {
  if (value > kFixedMax) return saturated(false);
  if (value < kFixedMin) return saturated(true);
  return static_cast<std::int64_t>(value);
}

/// narrow_product for results within one unit of the range's ends, or past them. Floor and remainder are
/// handled separately because round_shift would wrap next to +-2^127.
[[gnu::noinline, gnu::cold]] constexpr std::int64_t narrow_near_edge(Int128 product) noexcept {
  Int128 const floor = product >> 32;
  auto const rest = static_cast<std::uint32_t>(product);
  bool const up = rest > 0x80000000u || (rest == 0x80000000u && (floor & 1) != 0);
  return saturate(floor + (up ? 1 : 0));
}

/// Converts a Q62.64 product or sum of products to Q31.32, half to even, saturating. It is the hot operation
/// of fixed mode: one test, no other branch.
constexpr std::int64_t narrow_product(Int128 product) noexcept {
  auto const bits = static_cast<UInt128>(product);
  // round_shift by 32; the sum may wrap only where the test below fails
  UInt128 const rounded = bits + (0x7fffffffu + (static_cast<std::uint64_t>(bits) >> 32u & 1u));
  auto const upper = static_cast<std::uint64_t>(rounded >> 64u);
  if (upper + 0x7fffffffu > 0xfffffffeu) [[unlikely]]
    return narrow_near_edge(product);  // the signed upper word is outside +-(2^31 - 1)
  return static_cast<std::int64_t>(rounded >> 32u);
}

constexpr Int128 add_saturating(Int128 a, Int128 b) noexcept {
  Int128 sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) [[likely]]
    return sum;
  constexpr Int128 kMax = static_cast<Int128>(~UInt128{0} >> 1u);
  return a < 0 ? -kMax : kMax;
}

std::int64_t divide_raw(std::int64_t numerator, std::int64_t denominator) noexcept;
std::int64_t divide_product(
    std::int64_t a, std::int64_t b,
    std::int64_t divisor) noexcept;               // a b / divisor from the exact product, divisor > 0
std::uint64_t sqrt_u128(UInt128 value) noexcept;  // nearest integer to sqrt(value), value < 2^126
}  // namespace detail

/// Q31.32: range +-2147483648, resolution 2^-32 (2.3e-10).
class Fixed {
 public:
  constexpr Fixed() = default;
  /// Exact, so implicit; -2^31 is one step past the symmetric range and saturates.
  constexpr Fixed(int value) noexcept  // NOLINT
      : raw_(value == std::numeric_limits<int>::min() ? detail::saturated(true)
                                                      : std::int64_t{value} * (std::int64_t{1} << 32)) {}
  /// The nearest Fixed, half to even; saturates; NaN gives 0 and counts as an overflow.
  explicit constexpr Fixed(double value) noexcept : raw_(from_double(value)) {}
  explicit constexpr Fixed(float value) noexcept : raw_(from_double(static_cast<double>(value))) {}
  [[nodiscard]] static constexpr Fixed from_raw(std::int64_t raw) noexcept {
    Fixed f;
    f.raw_ = raw;
    return f;
  }

  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return raw_; }
  /// The nearest double (53 bits). For output and tests; never used in computing canonical state.
  [[nodiscard]] constexpr double to_double() const noexcept { return static_cast<double>(raw_) * 0x1p-32; }

  friend constexpr Fixed operator+(Fixed a, Fixed b) noexcept {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.raw_, b.raw_, &sum) || sum < detail::kFixedMin) [[unlikely]]
      return from_raw(detail::saturated(a.raw_ < 0));
    return from_raw(sum);
  }
  friend constexpr Fixed operator-(Fixed a, Fixed b) noexcept {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.raw_, b.raw_, &difference) || difference < detail::kFixedMin) [[unlikely]] {
      return from_raw(detail::saturated(a.raw_ < 0));
    }
    return from_raw(difference);
  }
  friend constexpr Fixed operator-(Fixed a) noexcept { return from_raw(-a.raw_); }
  friend constexpr Fixed operator*(Fixed a, Fixed b) noexcept {
    return from_raw(detail::narrow_product(Int128{a.raw_} * b.raw_));
  }
  friend Fixed operator/(Fixed a, Fixed b) noexcept { return from_raw(detail::divide_raw(a.raw_, b.raw_)); }
  Fixed& operator+=(Fixed b) noexcept { return *this = *this + b; }
  Fixed& operator-=(Fixed b) noexcept { return *this = *this - b; }
  Fixed& operator*=(Fixed b) noexcept { return *this = *this * b; }

  friend constexpr bool operator==(Fixed, Fixed) = default;
  friend constexpr auto operator<=>(Fixed, Fixed) = default;

 private:
  static constexpr std::int64_t from_double(double value) noexcept {
    if (!(value < 2147483648.0 && value > -2147483648.0)) [[unlikely]]
      return from_outside(value);
    double const scaled = value * 0x1p32;  // exact: a power of two
    auto const truncated = static_cast<std::int64_t>(scaled);
    double const twice =
        (scaled - static_cast<double>(truncated)) * 2.0;  // exact; nonzero only for |scaled| < 2^53
    // Truncation and a comparison, independent of the processor's rounding mode, which a host may have
    // changed.
    auto const half = static_cast<std::int64_t>(twice);  // +-1 from half a unit on
    bool const tie_to_even = static_cast<double>(half) == twice && (truncated & 1) == 0;
    return truncated + (tie_to_even ? 0 : half);
  }
  [[gnu::noinline, gnu::cold]] static constexpr std::int64_t from_outside(double value) noexcept {
    if (value == value) return detail::saturated(value < 0.0);
    if (!std::is_constant_evaluated()) detail::count_fixed_overflow();
    return 0;
  }
  std::int64_t raw_ = 0;
};

/// Correctly rounded (ties cannot occur). Negative input gives 0 and counts as an overflow.
[[nodiscard]] Fixed sqrt(Fixed value) noexcept;

/// a0 b0 + a1 b1, rounded once.
[[nodiscard]] constexpr Fixed fixed_dot2(Fixed a0, Fixed b0, Fixed a1, Fixed b1) noexcept {
  // two products of symmetric raws stay below 2^127
  return Fixed::from_raw(detail::narrow_product(Int128{a0.raw()} * b0.raw() + Int128{a1.raw()} * b1.raw()));
}
/// a0 b0 + a1 b1 + a2 b2, rounded once.
[[nodiscard]] constexpr Fixed fixed_dot3(Fixed a0, Fixed b0, Fixed a1, Fixed b1, Fixed a2,
                                         Fixed b2) noexcept {
  Int128 const first = Int128{a0.raw()} * b0.raw() + Int128{a1.raw()} * b1.raw();
  return Fixed::from_raw(detail::narrow_product(detail::add_saturating(first, Int128{a2.raw()} * b2.raw())));
}
/// a0 b0 + a1 b1 + a2 b2 + a3 b3, rounded once.
[[nodiscard]] constexpr Fixed fixed_dot4(Fixed a0, Fixed b0, Fixed a1, Fixed b1, Fixed a2, Fixed b2, Fixed a3,
                                         Fixed b3) noexcept {
  Int128 const first = Int128{a0.raw()} * b0.raw() + Int128{a1.raw()} * b1.raw();
  Int128 const second = Int128{a2.raw()} * b2.raw() + Int128{a3.raw()} * b3.raw();
  return Fixed::from_raw(detail::narrow_product(detail::add_saturating(first, second)));
}
/// sqrt(x^2 + y^2 + z^2), correctly rounded from the exact 128-bit sum: no overflow below 2^31 / sqrt(3).
[[nodiscard]] Fixed fixed_length3(Fixed x, Fixed y, Fixed z) noexcept;

/// mantissa x 2^exponent with 2^61 <= |mantissa| < 2^62, or zero (0, 0). Each operation rounds half to even.
/// Exponents outside +-400 cannot arise from masses and lengths inside the documented ranges and are not
/// checked.
class Scaled {
 public:
  constexpr Scaled() = default;
  explicit constexpr Scaled(Fixed value) noexcept : Scaled(normalised(value.raw(), -32)) {}
  explicit Scaled(double value) noexcept;  ///< exact; 0 for NaN and infinities, counted as an overflow
  [[nodiscard]] static constexpr Scaled normalised(Int128 mantissa, int exponent) noexcept {
    Scaled s;
    if (mantissa == 0) return s;
    UInt128 const magnitude =
        mantissa < 0 ? UInt128{0} - static_cast<UInt128>(mantissa) : static_cast<UInt128>(mantissa);
    auto const upper = static_cast<std::uint64_t>(magnitude >> 64u);
    auto const lower = static_cast<std::uint64_t>(magnitude);
    int const bits = upper != 0 ? 128 - std::countl_zero(upper) : 64 - std::countl_zero(lower);
    int const shift = bits - 62;
    Int128 value = shift > 0 ? detail::round_shift(mantissa, shift) : mantissa * (Int128{1} << -shift);
    int power = exponent + shift;
    if (value == (Int128{1} << 62) || value == -(Int128{1} << 62)) {  // rounding carried into the next bit
      value /= 2;
      ++power;
    }
    s.mantissa_ = static_cast<std::int64_t>(value);
    s.exponent_ = power;
    return s;
  }

  /// Builds a value from mantissa() and exponent(); other parts are normalised first. Exponents beyond +-4096
  /// are clamped to that, far outside the range that the image reader accepts.
  [[nodiscard]] static constexpr Scaled from_parts(std::int64_t mantissa, std::int32_t exponent) noexcept {
    if (mantissa == 0) return {};
    constexpr std::int32_t kMaxExponent = 4096;
    return normalised(mantissa, exponent < -kMaxExponent  ? -kMaxExponent
                                : exponent > kMaxExponent ? kMaxExponent
                                                          : exponent);
  }

  [[nodiscard]] constexpr std::int64_t mantissa() const noexcept { return mantissa_; }
  [[nodiscard]] constexpr std::int32_t exponent() const noexcept { return exponent_; }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa_ == 0; }
  [[nodiscard]] double to_double() const noexcept;

  friend Scaled operator+(Scaled a, Scaled b) noexcept;
  friend constexpr Scaled operator-(Scaled a) noexcept {
    a.mantissa_ = -a.mantissa_;
    return a;
  }
  friend Scaled operator-(Scaled a, Scaled b) noexcept { return a + (-b); }
  friend constexpr Scaled operator*(Scaled a, Scaled b) noexcept {
    return normalised(Int128{a.mantissa_} * b.mantissa_, a.exponent_ + b.exponent_);
  }
  friend Scaled operator/(Scaled a, Scaled b) noexcept;  ///< b zero: gives zero and counts as an overflow
  /// The product as a Fixed: one rounding, saturating.
  friend constexpr Fixed operator*(Scaled a, Fixed b) noexcept {
    return Fixed::from_raw(scale(Int128{a.mantissa_} * b.raw(), a.exponent_));
  }
  friend constexpr Fixed operator*(Fixed a, Scaled b) noexcept { return b * a; }
  friend constexpr bool operator==(Scaled, Scaled) = default;
  /// True for a value above zero.
  [[nodiscard]] constexpr bool is_positive() const noexcept { return mantissa_ > 0; }
  /// The nearest Fixed, saturating.
  [[nodiscard]] constexpr Fixed to_fixed() const noexcept { return *this * Fixed(1); }

  /// value x 2^exponent to int64, half to even, saturating. |value| < 2^126.
  static constexpr std::int64_t scale(Int128 value, int exponent) noexcept {
    auto const shift = static_cast<unsigned>(-exponent);
    auto const bits = static_cast<UInt128>(value);
    auto const lower = static_cast<std::uint64_t>(bits);
    if (shift - 65 < 62) {
      // Adding (half a unit - 1 bit), plus one bit when the floor is odd, carries into the upper word like
      // half of its unit, unless the lower word is 0.
      auto const upper = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 64u));
      unsigned const rest = shift - 64;
      std::int64_t const even = ~(upper >> rest) & 1;
      return (upper + (std::int64_t{1} << (rest - 1)) - (lower == 0 ? even : 0)) >> rest;
    }
    if (shift - 1 >= 63) return scale_far(value, exponent);
    // As detail::narrow_product, with a shift other than 32.
    std::uint64_t const half = std::uint64_t{1} << (shift - 1);
    UInt128 const rounded = bits + ((half - 1) + (lower >> shift & 1u));
    auto const upper = static_cast<std::uint64_t>(rounded >> 64u);
    if (upper + (half - 1) > 2 * half - 2) [[unlikely]]
      return scale_far(value, exponent);
    return static_cast<std::int64_t>(upper << (64 - shift) | static_cast<std::uint64_t>(rounded) >> shift);
  }

 private:
  /// scale() for shifts of 0, 64 or more than 126 bits, and for results next to the range's ends.
  [[gnu::noinline]] static constexpr std::int64_t scale_far(Int128 value, int exponent) noexcept {
    if (exponent >= 0) {
      if (value == 0) return 0;
      Int128 const limit = Int128{detail::kFixedMax} >> (exponent < 63 ? exponent : 63);
      if (value > limit || value < -limit) return detail::saturated(value < 0);
      return static_cast<std::int64_t>(value) * (std::int64_t{1} << exponent);
    }
    if (exponent < -126) return 0;
    return detail::saturate(detail::round_shift(value, -exponent));
  }

  std::int64_t mantissa_ = 0;
  std::int32_t exponent_ = 0;
};

}  // namespace takt
