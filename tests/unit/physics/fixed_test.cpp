#include "takt/physics/fixed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace takt {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kOne = std::int64_t{1} << 32;

Fixed raw(std::int64_t r) { return Fixed::from_raw(r); }

class FixedTest : public testing::Test {
 protected:
  void SetUp() override { take_fixed_overflow_count(); }
};

TEST_F(FixedTest, IntegersAreExact) {
  EXPECT_EQ(Fixed(0).raw(), 0);
  EXPECT_EQ(Fixed(1).raw(), kOne);
  EXPECT_EQ(Fixed(-3).raw(), -3 * kOne);
  EXPECT_EQ(Fixed(std::numeric_limits<int>::max()).raw(), 0x7fffffff00000000);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, TheMinimumIsSymmetric) {
  EXPECT_EQ(Fixed(std::numeric_limits<int>::min()).raw(), -kMax);
  EXPECT_EQ(fixed_overflow_count(), 1u);
  EXPECT_EQ((-raw(-kMax)).raw(), kMax);
  EXPECT_EQ((-raw(kMax)).raw(), -kMax);
  EXPECT_EQ(fixed_overflow_count(), 1u) << "negation never overflows";
}

TEST_F(FixedTest, FromDoubleIsNearestEven) {
  EXPECT_EQ(Fixed(0.5).raw(), kOne / 2);
  EXPECT_EQ(Fixed(0x1p-33).raw(), 0) << "tie to even, down";
  EXPECT_EQ(Fixed(0x3p-33).raw(), 2) << "tie to even, up";
  EXPECT_EQ(Fixed(-0x1p-33).raw(), 0);
  EXPECT_EQ(Fixed(-0x3p-33).raw(), -2);
  EXPECT_EQ(Fixed(0x1.0000000000001p-33).raw(), 1);
  EXPECT_EQ(Fixed(-0x1.0000000000001p-33).raw(), -1);
  EXPECT_EQ(Fixed(0x1p-1074).raw(), 0);
  EXPECT_EQ(Fixed(2147483647.5).raw(), 0x7fffffff80000000);
  EXPECT_EQ(Fixed(0x1.fffffffffffffp30).raw(), 0x7ffffffffffffc00);
  EXPECT_EQ(Fixed(-0.0).raw(), 0);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, FromDoubleSaturatesAndCounts) {
  EXPECT_EQ(Fixed(2147483648.0).raw(), kMax);
  EXPECT_EQ(Fixed(-2147483648.0).raw(), -kMax);
  EXPECT_EQ(Fixed(1e300).raw(), kMax);
  EXPECT_EQ(Fixed(-std::numeric_limits<double>::infinity()).raw(), -kMax);
  EXPECT_EQ(Fixed(std::numeric_limits<double>::quiet_NaN()).raw(), 0);
  EXPECT_EQ(Fixed(std::numeric_limits<float>::infinity()).raw(), kMax);
  EXPECT_EQ(take_fixed_overflow_count(), 6u);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, AddAndSubtractSaturateAtBothEnds) {
  EXPECT_EQ((raw(kMax) + raw(1)).raw(), kMax);
  EXPECT_EQ((raw(-kMax) - raw(1)).raw(), -kMax) << "INT64_MIN is not a Fixed";
  EXPECT_EQ((raw(-kMax) + raw(-kMax)).raw(), -kMax);
  EXPECT_EQ((raw(kMax) - raw(-kMax)).raw(), kMax);
  EXPECT_EQ((raw(0) - raw(-kMax)).raw(), kMax);
  EXPECT_EQ(take_fixed_overflow_count(), 4u);
  EXPECT_EQ((raw(kMax) + raw(-kMax)).raw(), 0);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, MultiplyRoundsHalfToEven) {
  EXPECT_EQ((raw(1) * raw(kOne / 2)).raw(), 0);
  EXPECT_EQ((raw(3) * raw(kOne / 2)).raw(), 2);
  EXPECT_EQ((raw(-1) * raw(kOne / 2)).raw(), 0);
  EXPECT_EQ((raw(-3) * raw(kOne / 2)).raw(), -2);
  EXPECT_EQ((raw(1) * raw(kOne / 2 + 1)).raw(), 1);
  EXPECT_EQ((raw(-1) * raw(kOne / 2 + 1)).raw(), -1);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, MultiplyAtTheEdgeOfTheRange) {
  EXPECT_EQ((raw(kMax) * Fixed(1)).raw(), kMax);
  EXPECT_EQ((raw(-kMax) * Fixed(1)).raw(), -kMax);
  EXPECT_EQ((raw(kMax) * Fixed(-1)).raw(), -kMax);
  EXPECT_EQ(fixed_overflow_count(), 0u) << "the largest value is not an overflow";
  EXPECT_EQ((raw(kMax) * raw(kOne + 1)).raw(), kMax);
  EXPECT_EQ((raw(kMax) * raw(-kOne - 1)).raw(), -kMax);
  EXPECT_EQ((Fixed(65536) * Fixed(32768)).raw(), kMax);
  EXPECT_EQ((Fixed(-65536) * Fixed(32768)).raw(), -kMax) << "exactly -2^31 is one past the symmetric range";
  EXPECT_EQ(take_fixed_overflow_count(), 4u);
}

TEST_F(FixedTest, DivideByZeroSaturatesAndCounts) {
  EXPECT_EQ((Fixed(1) / Fixed(0)).raw(), kMax);
  EXPECT_EQ((Fixed(-1) / Fixed(0)).raw(), -kMax);
  EXPECT_EQ((Fixed(0) / Fixed(0)).raw(), 0);
  EXPECT_EQ(take_fixed_overflow_count(), 3u);
}

TEST_F(FixedTest, SqrtOfExactSquaresAndNegatives) {
  for (int i = 0; i < 46341; i += 7) EXPECT_EQ(sqrt(Fixed(i) * Fixed(i)), Fixed(i)) << i;
  EXPECT_EQ(sqrt(raw(1)).raw(), 65536);
  EXPECT_EQ(fixed_overflow_count(), 0u);
  EXPECT_EQ(sqrt(raw(-1)).raw(), 0);
  EXPECT_EQ(fixed_overflow_count(), 1u);
}

TEST_F(FixedTest, DotKeepsWhatSingleProductsLose) {
  // each product alone rounds to zero
  EXPECT_EQ(fixed_dot3(raw(1), raw(kOne / 3), raw(1), raw(kOne / 3), raw(1), raw(kOne / 3)).raw(), 1);
  // and a large middle sum cancels without saturating
  EXPECT_EQ(fixed_dot3(raw(kMax), raw(kMax), raw(-kMax), raw(kMax), raw(kOne), raw(5)).raw(), 5);
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedTest, DotPast128BitsSaturatesOnceWithTheRightSign) {
  EXPECT_EQ(fixed_dot3(raw(kMax), raw(kMax), raw(kMax), raw(kMax), raw(kMax), raw(kMax)).raw(), kMax);
  EXPECT_EQ(fixed_dot3(raw(kMax), raw(-kMax), raw(kMax), raw(-kMax), raw(kMax), raw(-kMax)).raw(), -kMax);
  EXPECT_EQ(take_fixed_overflow_count(), 2u);
}

TEST_F(FixedTest, LengthOfTheLargestVectorThatFits) {
  EXPECT_EQ(fixed_length3(Fixed(3), Fixed(4), Fixed(0)), Fixed(5));
  EXPECT_EQ(fixed_length3(Fixed(2), Fixed(3), Fixed(6)), Fixed(7));
  EXPECT_EQ(fixed_length3(raw(kMax), Fixed(0), Fixed(0)).raw(), kMax);
  EXPECT_EQ(fixed_overflow_count(), 0u);
  EXPECT_EQ(fixed_length3(raw(kMax), raw(kMax), raw(kMax)).raw(), kMax);
  EXPECT_EQ(fixed_length3(raw(-kMax), raw(1 << 20), raw(kMax)).raw(), kMax);
  EXPECT_EQ(take_fixed_overflow_count(), 2u);
}

TEST_F(FixedTest, CompileTimeAndRunTimeAgree) {
  constexpr Fixed product = Fixed(0.1) * Fixed(-0.7);
  constexpr Fixed dot = fixed_dot3(Fixed(0.1), Fixed(0.2), Fixed(0.3), Fixed(0.4), Fixed(-0.5), Fixed(0.6));
  constexpr Fixed edge = Fixed(65536) * Fixed(32768);
  auto const at_run_time = [](double v) {
    double volatile hidden = v;
    return Fixed(hidden);
  };
  EXPECT_EQ(at_run_time(0.1) * at_run_time(-0.7), product);
  EXPECT_EQ(fixed_dot3(at_run_time(0.1), at_run_time(0.2), at_run_time(0.3), at_run_time(0.4),
                       at_run_time(-0.5), at_run_time(0.6)),
            dot);
  EXPECT_EQ(at_run_time(65536) * at_run_time(32768), edge);
}

TEST_F(FixedTest, CountIsPerThread) {
  (void)(raw(kMax) + raw(1));
  EXPECT_EQ(fixed_overflow_count(), 1u);
  EXPECT_EQ(take_fixed_overflow_count(), 1u);
  EXPECT_EQ(take_fixed_overflow_count(), 0u);
}

TEST(Scaled, ZeroIsCanonical) {
  EXPECT_TRUE(Scaled().is_zero());
  EXPECT_EQ(Scaled(Fixed(0)), Scaled());
  EXPECT_EQ(Scaled(0.0), Scaled());
  EXPECT_EQ(Scaled(-0.0), Scaled());
  EXPECT_EQ(Scaled(3.5) - Scaled(3.5), Scaled());
  EXPECT_EQ(Scaled(3.5) * Scaled(), Scaled());
  EXPECT_FALSE(Scaled().is_positive());
}

TEST(Scaled, DoublesAreExactOverTheirRange) {
  for (double const v :
       {1.0, -1.0, 0.1, 1e-9, 2.5e9, 0x1p-100, -0x1.fffffffffffffp90, 0x1p-1074, -0x1.8p-1060}) {
    Scaled const s(v);
    EXPECT_EQ(std::ldexp(static_cast<double>(s.mantissa()), s.exponent()), v);
    EXPECT_EQ(s.is_positive(), v > 0);
  }
}

TEST(Scaled, InfinityAndNanAreZeroAndCounted) {
  take_fixed_overflow_count();
  EXPECT_TRUE(Scaled(std::numeric_limits<double>::infinity()).is_zero());
  EXPECT_TRUE(Scaled(std::numeric_limits<double>::quiet_NaN()).is_zero());
  EXPECT_TRUE((Scaled(1.0) / Scaled()).is_zero());
  EXPECT_EQ(take_fixed_overflow_count(), 3u);
}

TEST(Scaled, ProductWithFixedSpansTheRangeOfInverseInertia) {
  // 1e-9 and 2.5e9 in one format, which no single Q of 64 bits can hold
  EXPECT_EQ(Scaled(1e-9) * Fixed(1000000000), Fixed(1));
  EXPECT_EQ(Scaled(2.5e9) * Fixed(4e-10), Fixed(2.5e9 * Fixed(4e-10).to_double()));
  take_fixed_overflow_count();
  EXPECT_EQ((Scaled(2.5e9) * Fixed(1)).raw(), kMax);
  EXPECT_EQ((Scaled(1e300) * Fixed(-1)).raw(), -kMax);
  EXPECT_EQ(take_fixed_overflow_count(), 2u);
  EXPECT_EQ((Scaled(1e300) * Fixed(0)).raw(), 0);
  EXPECT_EQ((Scaled(1e-300) * raw(kMax)).raw(), 0);
  EXPECT_EQ(take_fixed_overflow_count(), 0u);
}

}  // namespace
}  // namespace takt
