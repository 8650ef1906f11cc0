#include "takt/physics/trigonometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "physics/math/wide_divide.h"
#include "takt/core/random.h"

namespace takt {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kPiRaw = 13493037705;  // pi 2^32, rounded

bool is_plus_zero(float value) { return value == 0.0f && !std::signbit(value); }

TEST(Trigonometry, ZeroIsPlusZero) {
  for (float const zero : {0.0f, -0.0f}) {
    EXPECT_TRUE(is_plus_zero(sin(zero)));
    EXPECT_TRUE(is_plus_zero(tan(zero)));
    EXPECT_TRUE(is_plus_zero(asin(zero)));
    EXPECT_TRUE(is_plus_zero(atan(zero)));
    EXPECT_EQ(cos(zero), 1.0f);
    EXPECT_EQ(acos(1.0f + zero), 0.0f);
  }
  EXPECT_EQ(sin(Fixed(0)), Fixed(0));
  EXPECT_EQ(cos(Fixed(0)), Fixed(1));
}

TEST(Trigonometry, Atan2SeesNoSignOnZero) {
  for (float const y : {0.0f, -0.0f}) {
    for (float const x : {0.0f, -0.0f}) EXPECT_TRUE(is_plus_zero(atan2(y, x)));
    EXPECT_TRUE(is_plus_zero(atan2(y, 1.0f)));
    EXPECT_EQ(atan2(y, -1.0f), static_cast<float>(M_PI));
    EXPECT_EQ(atan2(1.0f, y), static_cast<float>(M_PI / 2));
    EXPECT_EQ(atan2(-1.0f, y), static_cast<float>(-M_PI / 2));
  }
  EXPECT_EQ(atan2(Fixed(0), Fixed(0)), Fixed(0));
  EXPECT_EQ(atan2(Fixed(0), Fixed(-1)).raw(), kPiRaw);
}

TEST(Trigonometry, InfinitiesStandForLimits) {
  EXPECT_EQ(atan(kInfinity), static_cast<float>(M_PI / 2));
  EXPECT_EQ(atan(-kInfinity), static_cast<float>(-M_PI / 2));
  EXPECT_EQ(atan2(kInfinity, kInfinity), static_cast<float>(M_PI / 4));
  EXPECT_EQ(atan2(-kInfinity, -kInfinity), static_cast<float>(-3 * M_PI / 4));
  EXPECT_TRUE(is_plus_zero(atan2(3.0f, kInfinity)));
  EXPECT_EQ(atan2(3.0f, -kInfinity), static_cast<float>(M_PI));
  EXPECT_TRUE(std::isnan(sin(kInfinity)));
  EXPECT_TRUE(std::isnan(cos(-kInfinity)));
  EXPECT_TRUE(std::isnan(tan(kInfinity)));
}

TEST(Trigonometry, NanStaysNan) {
  EXPECT_TRUE(std::isnan(sin(kNan)));
  EXPECT_TRUE(std::isnan(cos(kNan)));
  EXPECT_TRUE(std::isnan(tan(kNan)));
  EXPECT_TRUE(std::isnan(asin(kNan)));
  EXPECT_TRUE(std::isnan(acos(kNan)));
  EXPECT_TRUE(std::isnan(atan(kNan)));
  EXPECT_TRUE(std::isnan(atan2(kNan, 1.0f)));
  EXPECT_TRUE(std::isnan(atan2(1.0f, kNan)));
}

TEST(Trigonometry, ArgumentsPastOneAreTakenAsOne) {
  EXPECT_EQ(asin(1.5f), static_cast<float>(M_PI / 2));
  EXPECT_EQ(asin(-kInfinity), static_cast<float>(-M_PI / 2));
  EXPECT_EQ(acos(1.0000001f), 0.0f);
  EXPECT_EQ(acos(-7.0f), static_cast<float>(M_PI));
  EXPECT_EQ(acos(Fixed(2)), Fixed(0));
  EXPECT_EQ(acos(Fixed(-2)).raw(), kPiRaw);
  EXPECT_EQ(asin(Fixed(2)).raw() * 2, kPiRaw - 1);  // pi/2 rounds down
}

TEST(Trigonometry, TangentSaturatesAtItsPole) {
  take_fixed_overflow_count();
  Fixed const just_below = Fixed::from_raw(6746518852);  // floor(pi/2 2^32)
  EXPECT_EQ(tan(just_below).raw(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(tan(-just_below).raw(), -std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(take_fixed_overflow_count(), 2u);
  EXPECT_LT(tan(just_below - Fixed::from_raw(100)), Fixed(1 << 30));
}

TEST(Trigonometry, DenormalsComeBackUnchanged) {
  float const denormal = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(sin(denormal), denormal);
  EXPECT_EQ(atan(-denormal), -denormal);
  EXPECT_EQ(atan2(denormal, 1.0f), denormal);
  EXPECT_EQ(atan2(denormal, denormal), static_cast<float>(M_PI / 4));
  EXPECT_EQ(atan2(denormal, -denormal), static_cast<float>(3 * M_PI / 4));
  EXPECT_EQ(atan2(std::numeric_limits<float>::max(), std::numeric_limits<float>::max()),
            static_cast<float>(M_PI / 4));
}

// Golden bits: the core is integers, so every machine must give these.
TEST(Trigonometry, KnownBits) {
  SinCos<Fixed> const one = sin_cos(Fixed(1));
  EXPECT_EQ(one.sin.raw(), 3614090360);  // 0.8414709848078965 x 2^32
  EXPECT_EQ(one.cos.raw(), 2320580734);  // 0.5403023058681398 x 2^32
  EXPECT_EQ(sin(1.0f), 0x1.aed548p-1f);
  EXPECT_EQ(sin(1e22f),
            static_cast<float>(-0.734081535296102));  // of the float next to 10^22, from 100 digits
}

// Beside the library's division: random ones, the ends of both ranges, and divisors whose low bits make the
// first quotient one too large.
TEST(Trigonometry, WideQuotientsAreExact) {
  Random random(7);
  UInt128 const min = UInt128{1} << 65u;
  std::int64_t const max = std::int64_t{1} << 58;
  auto const check = [](std::int64_t a, UInt128 b) {
    ASSERT_EQ(quotient_q65(a, b), static_cast<std::int64_t>((Int128{a} << 65) / static_cast<Int128>(b))) << a;
  };
  for (std::int64_t const a : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, max, -max, max - 1}) {
    for (UInt128 const b : {min, min + 1, min + 7, min + 8, 2 * min - 1, 2 * min}) check(a, b);
  }
  int corrected = 0;
  for (int i = 0; i < 400000; ++i) {
    std::int64_t const a =
        static_cast<std::int64_t>(random.next_u64() >> (6 + i % 40)) * (i % 2 == 0 ? 1 : -1);
    UInt128 b = min + (UInt128{random.next_u64()} << 1u) + random.next_u64() % 2;
    if (i % 4 == 0 && a != 0) {
      // Just above what the next quotient would divide.
      auto const size = static_cast<UInt128>(a < 0 ? -a : a);
      UInt128 const quotient = (size << 65u) / b + 1;
      b = (size << 65u) / quotient + 1;
      if (b < min || b > 2 * min) continue;
      corrected += (size << 62u) / (b >> 3u) != (size << 65u) / b ? 1 : 0;
    }
    check(a, b);
  }
  EXPECT_GT(corrected, 1000);
}

}  // namespace
}  // namespace takt
