#include "takt/core/random.h"

#include <gtest/gtest.h>

#include <array>

namespace takt {
namespace {

// pcg32-demo of the reference implementation, round 1: seed 42, stream 54.
TEST(Random, KnownAnswersOfPcg32) {
  Random random(42, 54);
  for (std::uint32_t const expected :
       {0xa15c02b7u, 0x7b47f409u, 0xba1d3330u, 0x83d2f293u, 0xbfa4784bu, 0xcbed606eu}) {
    EXPECT_EQ(random.next_u32(), expected);
  }
}

TEST(Random, WideDrawIsUpperHalfFirst) {
  Random random(42, 54);
  EXPECT_EQ(random.next_u64(), 0xa15c02b77b47f409u);
}

TEST(Random, EqualWordsGiveEqualDraws) {
  Random a(7, 3);
  (void)a.next_u64();
  Random b = a;
  EXPECT_EQ(a, b);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u32(), b.next_u32());
  EXPECT_EQ(a, b);
}

TEST(Random, StreamsDiffer) {
  Random a(7, 1);
  Random b(7, 2);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += a.next_u32() == b.next_u32() ? 1 : 0;
  EXPECT_LE(equal, 1);
}

TEST(Random, BelowStaysBelowAndIsEven) {
  Random random(1, 1);
  EXPECT_EQ(random.next_below(0), 0u);
  EXPECT_EQ(random.next_below(1), 0u);
  // 3 of 4 values of the range are drawn without bias: chi-squared with 2 degrees of freedom passes 27.6 once
  // in a million
  std::array<int, 3> counts{};
  for (int i = 0; i < 30000; ++i) ++counts[random.next_below(3)];
  double chi = 0;
  for (int const n : counts) chi += (n - 10000.0) * (n - 10000.0) / 10000.0;
  EXPECT_LT(chi, 27.6);
  // a bound just above 2^31 rejects almost half of the draws: the law must hold there as well
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.next_below(0x80000001u), 0x80000001u);
}

TEST(Random, UnitIsAMultipleOfTwoToMinus24) {
  Random random(5, 5);
  for (int i = 0; i < 1000; ++i) {
    double const u = random.next_unit();
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
    EXPECT_EQ(static_cast<double>(static_cast<float>(u)), u);
    EXPECT_EQ(u * 0x1p24, static_cast<double>(static_cast<std::uint32_t>(u * 0x1p24)));
  }
}

static_assert(
    [] {
      Random random(42, 54);
      return random.next_u32();
    }() == 0xa15c02b7u,
    "usable at compile time");

}  // namespace
}  // namespace takt
