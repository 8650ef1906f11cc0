#include "takt/physics/fixed.h"

#include "takt/core/assert.h"

namespace takt {
namespace {
thread_local std::uint64_t t_overflow_count = 0;
}

std::uint64_t fixed_overflow_count() noexcept { return t_overflow_count; }

std::uint64_t take_fixed_overflow_count() noexcept {
  std::uint64_t const count = t_overflow_count;
  t_overflow_count = 0;
  return count;
}

void add_fixed_overflow_count(std::uint64_t count) noexcept { t_overflow_count += count; }

namespace detail {

void count_fixed_overflow() noexcept { ++t_overflow_count; }

namespace {

/// Quotient (floor) and remainder of a 128-bit by a 64-bit magnitude.
struct Division {
  UInt128 quotient;
  std::uint64_t remainder;
};

Division divide_u128(UInt128 numerator, std::uint64_t denominator) noexcept {
#if defined(__x86_64__)
  // Uses one hardware division when the quotient fits 64 bits: the compiler's own 128-bit routine is several
  // times slower.
  auto const upper = static_cast<std::uint64_t>(numerator >> 64u);
  if (upper < denominator) {
    std::uint64_t quotient = 0;
    std::uint64_t remainder = 0;
    __asm__("divq %4"
            : "=a"(quotient), "=d"(remainder)
            : "a"(static_cast<std::uint64_t>(numerator)), "d"(upper), "r"(denominator)
            : "cc");
    return {quotient, remainder};
  }
#endif
  return {numerator / denominator, static_cast<std::uint64_t>(numerator % denominator)};
}

std::uint64_t magnitude(std::int64_t value) noexcept {
  return value < 0 ? 0u - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// +-numerator / divisor, half to even, saturating.
std::int64_t rounded_quotient(UInt128 numerator, std::uint64_t divisor, bool negative) noexcept {
  Division const d = divide_u128(numerator, divisor);
  // compares the remainder with divisor - remainder, so that doubling cannot overflow
  std::uint64_t const rest = divisor - d.remainder;
  bool const up = d.remainder > rest || (d.remainder == rest && (d.quotient & 1u) != 0);
  UInt128 const rounded = d.quotient + (up ? 1u : 0u);
  if (rounded > static_cast<UInt128>(kFixedMax)) return saturated(negative);
  auto const result = static_cast<std::int64_t>(rounded);
  return negative ? -result : result;
}

}  // namespace

std::int64_t divide_raw(std::int64_t numerator, std::int64_t denominator) noexcept {
  if (denominator == 0) {
    count_fixed_overflow();
    if (numerator == 0) return 0;
    return numerator < 0 ? kFixedMin : kFixedMax;
  }
  bool const negative = (numerator < 0) != (denominator < 0);
  return rounded_quotient(UInt128{magnitude(numerator)} << 32u, magnitude(denominator), negative);
}

std::int64_t divide_product(std::int64_t a, std::int64_t b, std::int64_t divisor) noexcept {
  TAKT_VALIDATE(divisor > 0);
  bool const negative = (a < 0) != (b < 0);
  return rounded_quotient(UInt128{magnitude(a)} * magnitude(b), magnitude(divisor), negative);
}

std::uint64_t sqrt_u128(UInt128 value) noexcept {
  TAKT_VALIDATE(value < UInt128{1} << 126u);
  if (value == 0) return 0;
  if (static_cast<std::uint64_t>(value >> 64u) < std::uint64_t{1} << 36u) {
    // The root has at most 50 bits. The root of binary64 is therefore off by at most one in any rounding
    // mode, and the remainder fits 64 bits.
    auto const lower = static_cast<std::uint64_t>(value);
    double const wide =
        static_cast<double>(static_cast<std::uint64_t>(value >> 64u)) * 0x1p64 + static_cast<double>(lower);
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): at least 0, and one off is mended below.
    auto const root = static_cast<std::int64_t>(__builtin_sqrt(wide) + 0.5);
    auto const guess = static_cast<std::uint64_t>(root);
    auto const rest = static_cast<std::int64_t>(lower - guess * guess);
    return guess + (rest > root ? 1u : 0u) - (rest <= -root ? 1u : 0u);
  }
  // Starts from the root of the top 62 bits with an even shift. Exact integer Newton steps then determine
  // floor(sqrt(value)).
  auto const upper = static_cast<std::uint64_t>(value >> 64u);
  int const bits =
      upper != 0 ? 128 - std::countl_zero(upper) : 64 - std::countl_zero(static_cast<std::uint64_t>(value));
  int shift = bits > 62 ? bits - 62 : 0;
  shift += shift & 1;
  double const top = static_cast<double>(static_cast<std::uint64_t>(value >> shift));
  std::uint64_t root = static_cast<std::uint64_t>(__builtin_sqrt(top)) << (shift / 2);
  if (root == 0) root = 1;
  if (shift > 0) {
    // one Newton step extends 31 correct bits to all 63
    Division const d = divide_u128(value, root);
    root = static_cast<std::uint64_t>((UInt128{root} + d.quotient) / 2u);
  }
  while (UInt128{root} * root > value) --root;
  while (UInt128{root + 1} * (root + 1) <= value) ++root;
  // value - root^2 > root  <=>  sqrt(value) > root + 1/2 (never equal for integers)
  UInt128 const rest = value - UInt128{root} * root;
  return rest > root ? root + 1 : root;
}

}  // namespace detail

Fixed sqrt(Fixed value) noexcept {
  if (value.raw() <= 0) {
    if (value.raw() < 0) detail::count_fixed_overflow();
    return Fixed{};
  }
  return Fixed::from_raw(
      static_cast<std::int64_t>(detail::sqrt_u128(UInt128(static_cast<std::uint64_t>(value.raw())) << 32u)));
}

Fixed fixed_length3(Fixed x, Fixed y, Fixed z) noexcept {
  auto const square = [](Fixed f) { return static_cast<UInt128>(Int128{f.raw()} * f.raw()); };
  // each square < 2^126, so the sum fits an unsigned 128-bit word
  UInt128 const sum = square(x) + square(y) + square(z);
  if (sum >= (UInt128{1} << 126u)) return Fixed::from_raw(detail::saturated(false));
  std::uint64_t const root = detail::sqrt_u128(sum);
  return Fixed::from_raw(root > static_cast<std::uint64_t>(detail::kFixedMax)
                             ? detail::saturated(false)
                             : static_cast<std::int64_t>(root));
}

Scaled::Scaled(double value) noexcept {
  std::uint64_t const bits = std::bit_cast<std::uint64_t>(value);
  int const biased = static_cast<int>((bits >> 52u) & 0x7ffu);
  if (biased == 0x7ff) {
    detail::count_fixed_overflow();
    return;
  }
  std::uint64_t const fraction =
      (bits & ((std::uint64_t{1} << 52u) - 1u)) | (biased != 0 ? std::uint64_t{1} << 52u : 0u);
  auto const signed_fraction = static_cast<std::int64_t>(fraction);
  *this =
      normalised((bits >> 63u) != 0 ? -signed_fraction : signed_fraction, (biased != 0 ? biased : 1) - 1075);
}

double Scaled::to_double() const noexcept {
  double value = static_cast<double>(mantissa_);
  int power = exponent_;
  for (; power > 0; --power) value *= 2.0;
  for (; power < 0; ++power) value *= 0.5;
  return value;
}

Scaled operator+(Scaled a, Scaled b) noexcept {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (a.exponent_ < b.exponent_) {
    Scaled const swapped = a;
    a = b;
    b = swapped;
  }
  int const difference = a.exponent_ - b.exponent_;
  // 63 bits are free above the larger mantissa. The smaller keeps every bit, or is below half a unit in the
  // last place of the result.
  if (difference > 63) return a;
  return Scaled::normalised((Int128{a.mantissa_} * (Int128{1} << difference)) + b.mantissa_, b.exponent_);
}

Scaled operator/(Scaled a, Scaled b) noexcept {
  if (b.is_zero()) {
    detail::count_fixed_overflow();
    return Scaled{};
  }
  // |a| < 2^62 shifted to below 2^125, |b| >= 2^61: a quotient of 63 or 64 bits, with the remainder as a
  // sticky last bit
  detail::Division const d =
      detail::divide_u128(UInt128{detail::magnitude(a.mantissa_)} << 63u, detail::magnitude(b.mantissa_));
  auto const size = static_cast<Int128>(d.quotient * 2u + (d.remainder != 0 ? 1u : 0u));
  return Scaled::normalised((a.mantissa_ < 0) != (b.mantissa_ < 0) ? -size : size,
                            a.exponent_ - b.exponent_ - 64);
}

}  // namespace takt
