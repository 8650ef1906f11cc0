// Angles found side by side are those found one by one, to the last bit.
#include "physics/simd/atan_lanes.h"

#include <gtest/gtest.h>

#include <limits>

#include "physics/math/wide_divide.h"
#include "takt/core/random.h"
#include "takt/physics/trigonometry.h"
#include "takt/physics/vector.h"

namespace takt {
namespace {

using Eight = Doubles<8>;

struct Points {
  Eight y;
  Eight x;
};

/// Points of all sizes down to the last digit of Fixed, many of them on axes, diagonals and lines where a
/// step of the algorithm changes.
Points points_from(Random& random) {
  Points points;
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    auto const digits = [&random] {
      double const size = random.next_below(3) == 0
                              ? 1.0
                              : 1.0 / static_cast<double>(std::uint64_t{1} << random.next_below(33));
      return random.next_between(-1.0, 1.0) * size;
    };
    double y = digits();
    double x = digits();
    switch (random.next_below(8)) {
      case 0: y = 0.0; break;
      case 1: x = 0.0; break;
      case 2: x = y; break;
      case 3: x = -y; break;
      case 4: y = x * (0.125 * random.next_below(9)); break;
      case 5: x = (static_cast<double>(random.next_below(64)) - 32.0) * 0x1p-32; break;
      default: break;
    }
    if (to_real<Fixed>(y) == Fixed(0) && to_real<Fixed>(x) == Fixed(0)) y = 1.0;
    points.y.set(lane, y);
    points.x.set(lane, x);
  }
  return points;
}

// A tree in lanes may be repeated, and what is no number must not be counted once for each.
TEST(AtanLanes, OfWhatIsNoNumberAreNothingAndCountNothing) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  (void)take_fixed_overflow_count();
  for (double const y : {none, std::numeric_limits<double>::infinity(), -0x1p31, 1e300}) {
    EXPECT_EQ(takt::angle_of(y, 1.0), 0.0);
    EXPECT_EQ(takt::angle_of(1.0, y), 0.0);
    Points points;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      points.y.set(lane, y);
      points.x.set(lane, 1.0);
    }
    EXPECT_EQ(angle_of(points.y, points.x)[7], 0.0);
  }
  EXPECT_EQ(take_fixed_overflow_count(), 0u);
}

TEST(AtanLanes, AreThoseFoundOneByOne) {
  Random random(11);
  constexpr int kRounds = 200000;
  int found_rounds = 0;
  for (int round = 0; round < kRounds; ++round) {
    Points const points = points_from(random);
    Eight angles;
    if (!find_angles(points.y, points.x, angles)) continue;
    ++found_rounds;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      ASSERT_EQ(angles[lane], takt::angle_of(points.y[lane], points.x[lane]))
          << points.y[lane] << " " << points.x[lane];
    }
  }
  EXPECT_GT(found_rounds, kRounds - kRounds / 1000);
}

// An angle keeps half the digits of what it is made of: these are looked at by themselves.
TEST(AtanLanes, TheirPartsAreExact) {
  using Lanes = AtanLanes<8>;
  Random random(12);
  int sure_count = 0;
  constexpr int kRounds = 100000;
  auto const wide = [](auto value) { return static_cast<UInt128>(value); };
  for (int round = 0; round < kRounds; ++round) {
    Lanes::M num{};
    Lanes::M den{};
    Lanes::M factor{};
    for (int lane = 0; lane < 8; ++lane) {
      den[lane] = 1 + static_cast<std::int64_t>(random.next_u64() %
                                                ((std::uint64_t{3} << 31) >> random.next_below(32)));
      num[lane] = static_cast<std::int64_t>(random.next_u64() % static_cast<std::uint64_t>(den[lane] + 1));
      factor[lane] = static_cast<std::int64_t>(random.next_u64()) >> (1 + random.next_below(8));
    }
    Lanes::M const q = Lanes::ratio_q62(num, den);
    Lanes::M const k = (q + (1ll << 58)) >> 59;
    Lanes::M const difference = Lanes::magnitude(q - (k << 59));
    Lanes::M sure{};
    Lanes::M const quotient = Lanes::quotient_q65(difference, q, k, sure);
    Lanes::M const multiplied = Lanes::multiply_q62(factor, q);
    for (int lane = 0; lane < 8; ++lane) {
      ASSERT_EQ(q[lane], static_cast<std::int64_t>((wide(num[lane]) << 62u) / wide(den[lane])))
          << num[lane] << " " << den[lane];
      ASSERT_EQ(multiplied[lane], static_cast<std::int64_t>((Int128{factor[lane]} * q[lane]) >> 62))
          << factor[lane] << " " << q[lane];
      if (sure[lane] == 0) continue;
      ++sure_count;
      ASSERT_EQ(quotient[lane],
                quotient_q65(difference[lane], (UInt128{1} << 65u) + wide(q[lane]) * wide(k[lane])))
          << q[lane];
    }
  }
  EXPECT_GT(sure_count, 8 * kRounds - kRounds / 100);
}

TEST(AtanLanes, WhatIsNotUsualIsLeftToThem) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    double y;
    double x;
  };
  for (Case const& point :
       {Case{0.0, 0.0}, Case{2.0, 1.0}, Case{1.0, -1e9}, Case{none, 1.0}, Case{1.0, none}}) {
    Eight y(0.5);
    Eight x(0.25);
    Eight angles;
    EXPECT_TRUE(find_angles(y, x, angles));
    y.set(5, point.y);
    x.set(5, point.x);
    EXPECT_FALSE(find_angles(y, x, angles)) << point.y << " " << point.x;
  }
}

}  // namespace
}  // namespace takt
