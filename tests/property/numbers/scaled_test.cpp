// Scaled: every operation is the nearest 62-bit value to the exact rational, half to even; products with
// Fixed are rounded once and saturate.
#include <gtest/gtest.h>

#include <string>

#include "takt/core/random.h"
#include "takt/physics/fixed.h"
#include "tests/property/numbers/seed.h"
#include "tests/property/numbers/wide_integer.h"

namespace takt {
namespace {

using test::Wide;
constexpr std::int64_t kScaledMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLow = std::int64_t{1} << 61;

Wide power_of_two(int exponent) { return Wide(1).shifted_left(static_cast<unsigned>(exponent)); }

/// mantissa and exponent of `s` are the nearest to numerator / denominator 2^exponent; denominator > 0.
testing::AssertionResult is_nearest(Wide numerator, Wide denominator, int exponent, Scaled s) {
  if (numerator.is_zero()) {
    if (s == Scaled()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "zero must be (0, 0)";
  }
  std::int64_t const size = s.mantissa() < 0 ? -s.mantissa() : s.mantissa();
  if (size < kLow || size >= 2 * kLow)
    return testing::AssertionFailure() << "mantissa " << s.mantissa() << " is not normalised";
  // to integers: the result is s.mantissa 2^(s.exponent - exponent) against numerator / denominator
  int const power = s.exponent() - exponent;
  if (power < 0) {
    numerator = numerator * power_of_two(-power);
  } else {
    denominator = denominator * power_of_two(power);
  }
  Wide const off = numerator - Wide(s.mantissa()) * denominator;
  Wide const twice_off = (off * Wide(2)).absolute();
  // below a power of two the neighbours stand half as far apart
  bool const inward = size == kLow && (numerator.absolute() < (Wide(s.mantissa()) * denominator).absolute());
  Wide const limit = denominator;
  if (inward) {
    if (twice_off * Wide(2) <= limit) return testing::AssertionSuccess();
  } else if (twice_off < limit || (twice_off == limit && s.mantissa() % 2 == 0)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << s.mantissa() << " 2^" << s.exponent() << " is not the nearest";
}

/// `raw` is the nearest to value 2^exponent that fits, half to even, and was counted when it had to be held
/// back.
testing::AssertionResult is_nearest_fixed(Wide value, int exponent, std::int64_t raw, std::uint64_t counted) {
  Wide const bottom = exponent < 0 ? power_of_two(-exponent) : Wide(1);
  if (exponent > 0) value = value * power_of_two(exponent);
  if ((value * Wide(2)).absolute() >= (Wide(kScaledMax) * Wide(2) + Wide(1)) * bottom) {
    if (raw == (value < Wide(0) ? -kScaledMax : kScaledMax) && counted == 1)
      return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << raw << " is not the range's end, or was counted " << counted << " times";
  }
  Wide const twice_off = ((value - Wide(raw) * bottom) * Wide(2)).absolute();
  if (counted == 0 && (twice_off < bottom || (twice_off == bottom && raw % 2 == 0)))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << raw << " is not the nearest, or was counted " << counted << " times";
}

class ScaledProperty : public testing::Test {
 protected:
  void SetUp() override { (void)take_fixed_overflow_count(); }
  std::uint64_t seed_ = test::property_seed();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "TAKT_SEED=" + std::to_string(seed_)};
  Random random_{seed_, 1};

  /// Values of 1 to 62 significant bits with exponents that masses, lengths and their products reach; every
  /// tenth is zero or a power of two.
  Scaled draw() {
    std::uint32_t const kind = random_.next_below(20);
    if (kind == 0) return Scaled();
    auto const bits = kind == 1 ? 1u : 1 + random_.next_below(62);
    auto mantissa =
        static_cast<std::int64_t>((random_.next_u64() >> (64u - bits)) | (std::uint64_t{1} << (bits - 1)));
    if (random_.next_below(2) == 0) mantissa = -mantissa;
    int const exponent = static_cast<int>(random_.next_below(140)) - 100;
    return Scaled::normalised(mantissa, exponent);
  }
};

TEST_F(ScaledProperty, NormalisingIsNearest) {
  for (int i = 0; i < 100000; ++i) {
    auto const a = static_cast<std::int64_t>(random_.next_u64() >> (2 + random_.next_below(62)));
    auto const b = static_cast<std::int64_t>(random_.next_u64() >> (2 + random_.next_below(62)));
    std::int64_t const signed_a = random_.next_below(2) == 0 ? a : -a;
    ASSERT_TRUE(
        is_nearest(Wide(signed_a) * Wide(b), Wide(1), -7, Scaled::normalised(Int128{signed_a} * b, -7)))
        << signed_a << " * " << b;
  }
}

TEST_F(ScaledProperty, NormalisingCarriesIntoTheNextBit) {
  for (int bits = 63; bits <= 124; ++bits) {
    Int128 const ones = (Int128{1} << bits) - 1;
    Scaled const s = Scaled::normalised(ones, 0);
    EXPECT_EQ(s.mantissa(), kLow) << bits;
    EXPECT_EQ(s.exponent(), bits - 61) << bits;
  }
}

TEST_F(ScaledProperty, ProductIsNearest) {
  for (int i = 0; i < 100000; ++i) {
    Scaled const a = draw();
    Scaled const b = draw();
    ASSERT_TRUE(
        is_nearest(Wide(a.mantissa()) * Wide(b.mantissa()), Wide(1), a.exponent() + b.exponent(), a * b))
        << i;
  }
}

TEST_F(ScaledProperty, QuotientIsNearest) {
  for (int i = 0; i < 100000; ++i) {
    Scaled const a = draw();
    Scaled const b = draw();
    if (b.is_zero()) continue;
    Wide const top = b.mantissa() < 0 ? -Wide(a.mantissa()) : Wide(a.mantissa());
    ASSERT_TRUE(is_nearest(top, Wide(b.mantissa()).absolute(), a.exponent() - b.exponent(), a / b)) << i;
  }
}

TEST_F(ScaledProperty, SumAndDifferenceAreNearest) {
  for (int i = 0; i < 100000; ++i) {
    Scaled const a = draw();
    Scaled b = draw();
    if (i % 3 == 0 && !a.is_zero())
      b = Scaled::normalised(Int128{a.mantissa()} + random_.next_below(9) - 4, a.exponent());  // cancellation
    int const low = a.exponent() < b.exponent() ? a.exponent() : b.exponent();
    Wide const left = a.is_zero() ? Wide(0) : Wide(a.mantissa()) * power_of_two(a.exponent() - low);
    Wide const right = b.is_zero() ? Wide(0) : Wide(b.mantissa()) * power_of_two(b.exponent() - low);
    ASSERT_TRUE(is_nearest(left + right, Wide(1), low, a + b)) << i;
    ASSERT_TRUE(is_nearest(left - right, Wide(1), low, a - b)) << i;
  }
}

TEST_F(ScaledProperty, SumRoundsRightForEveryDistanceOfExponents) {
  for (int distance = 0; distance <= 70; ++distance) {
    for (std::int64_t const m : {kLow, kLow + 1, 2 * kLow - 1}) {
      for (std::int64_t const n : {kLow, kLow + 1, 2 * kLow - 1}) {
        Scaled const a = Scaled::normalised(m, distance);
        Scaled const b = Scaled::normalised(n, 0);
        Wide const left = Wide(m) * power_of_two(distance);
        EXPECT_TRUE(is_nearest(left + Wide(n), Wide(1), 0, a + b)) << distance << ' ' << m << ' ' << n;
        EXPECT_TRUE(is_nearest(left - Wide(n), Wide(1), 0, a - b)) << distance << ' ' << m << ' ' << n;
        EXPECT_EQ(a + b, b + a);
      }
    }
  }
}

TEST_F(ScaledProperty, ProductWithFixedIsTheNearestFixed) {
  for (int i = 0; i < 100000; ++i) {
    Scaled const a = draw();
    auto const f = static_cast<std::int64_t>(random_.next_u64() >> (1 + random_.next_below(63)));
    std::int64_t const raw = random_.next_below(2) == 0 ? f : -f;
    Fixed const product = a * Fixed::from_raw(raw);
    ASSERT_TRUE(is_nearest_fixed(Wide(a.mantissa()) * Wide(raw), a.exponent(), product.raw(),
                                 take_fixed_overflow_count()))
        << i;
  }
}

/// Half a unit, the whole ones and the largest, each with a neighbour on either side, at every shift: all
/// ways that the work is split by the shift.
TEST_F(ScaledProperty, ScalesByEveryShift) {
  auto const check = [](Int128 value, int exponent) {
    for (int const step : {-1, 0, 1}) {
      for (Int128 const signed_value : {value + step, -(value + step)}) {
        Wide const exact = Wide(static_cast<std::int64_t>(signed_value >> 63)) * power_of_two(63) +
                           Wide(static_cast<std::int64_t>(signed_value & ((Int128{1} << 63) - 1)));
        std::int64_t const scaled = Scaled::scale(signed_value, exponent);
        ASSERT_TRUE(is_nearest_fixed(exact, exponent, scaled, take_fixed_overflow_count())) << exponent;
      }
    }
  };
  for (int shift = 0; shift <= 126; ++shift) {
    Int128 const unit = Int128{1} << (shift < 125 ? shift : 125);
    Int128 const max = (Int128{1} << 126) - 2;
    check(0, -shift);
    check(max, -shift);
    for (int unpacked = 0; unpacked < 4; ++unpacked) {
      Int128 const half = shift > 0 && shift < 124 ? unit / 2 : 0;
      check(unit * (shift < 124 ? unpacked : 0) + half, -shift);
      check(unit * (shift < 124 ? unpacked : 0), -shift);
    }
    for (int i = 0; i < 300; ++i) {
      Int128 const value =
          Int128{random_.next_u64() >> 2u} << (random_.next_u64() % 64u) | random_.next_u64() % 3u;
      check(value, -shift);
      check(value >> (shift % 60), -shift);
    }
    // Next to where the result leaves the range.
    if (shift < 62) {
      check((Int128{kScaledMax} << shift) + (shift > 0 ? unit / 2 : 0), -shift);
      check(Int128{kScaledMax} << shift, -shift);
    }
  }
}

TEST_F(ScaledProperty, FixedComesBackUnchanged) {
  for (int i = 0; i < 50000; ++i) {
    // 62 significant bits are kept; a raw of 63 is rounded
    std::int64_t const raw = static_cast<std::int64_t>(random_.next_u64() >> (2 + random_.next_below(60)));
    ASSERT_EQ(Scaled(Fixed::from_raw(raw)).to_fixed().raw(), raw);
  }
}

}  // namespace
}  // namespace takt
