#include "client_sdk/cpp/interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "takt/core/random.h"

namespace takt::client {
namespace {

TEST(Interpolation, PositionsAreExactAtBothEndsAnywhere) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    Position a, b;
    for (std::int64_t* const axis : {&a.x_raw, &a.y_raw, &a.z_raw, &b.x_raw, &b.y_raw, &b.z_raw})
      *axis = static_cast<std::int64_t>(random.next_u64());
    EXPECT_EQ(interpolate(a, b, 0), a);
    EXPECT_EQ(interpolate(a, b, 1), b);
    EXPECT_EQ(interpolate(a, b, -5), a);
    EXPECT_EQ(interpolate(a, b, 7), b);
  }
}

TEST(Interpolation, PositionsFarOutMoveLikePositionsAtTheOrigin) {
  std::int64_t const far = std::int64_t{1'000'000} << 32;  // 1,000 km
  for (int i = 0; i <= 64; ++i) {
    double const f = i / 64.0;
    Position const near =
        interpolate(Position::from_raw(0, 0, 0), Position::from_raw(12'345'678, -987, 1), f);
    Position const out = interpolate(Position::from_raw(far, far, far),
                                     Position::from_raw(far + 12'345'678, far - 987, far + 1), f);
    EXPECT_EQ(out.x_raw - far, near.x_raw);
    EXPECT_EQ(out.y_raw - far, near.y_raw);
    EXPECT_EQ(out.z_raw - far, near.z_raw);
  }
}

TEST(Interpolation, OppositeEndsOfTheWorldDoNotOverflow) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  Position const middle =
      interpolate(Position::from_raw(kLow, kHigh, 0), Position::from_raw(kHigh, kLow, 0), 0.5);
  EXPECT_NEAR(static_cast<double>(middle.x_raw), 0, 1);
  EXPECT_NEAR(static_cast<double>(middle.y_raw), 0, 1);
}

// The angle about the axis grows in proportion, within what nlerp below its threshold may be off.
TEST(Interpolation, RotationsTurnEvenlyAlongTheShorterArc) {
  for (double const angle : {0.01, 0.3, 0.6, 1.5, 3.0}) {
    for (float const sign : {1.0f, -1.0f}) {
      Quat<float> const to{0, sign * static_cast<float>(std::sin(angle / 2)), 0,
                           sign * static_cast<float>(std::cos(angle / 2))};
      for (double f = 0; f <= 1; f += 0.125) {
        Quat<float> const q = interpolate(Quat<float>{}, to, f);
        EXPECT_NEAR(2 * std::atan2(static_cast<double>(q.y), static_cast<double>(q.w)), f * angle,
                    2e-3 * angle)
            << angle << " " << f;
        EXPECT_NEAR(std::sqrt(static_cast<double>(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)), 1, 1e-6);
      }
    }
  }
}

TEST(Interpolation, UselessRotationsGiveTheIdentity) {
  Quat<float> const q = interpolate(Quat<float>{0, 0, 0, 0}, Quat<float>{0, 0, 0, 0}, 0.5);
  EXPECT_EQ(q, Quat<float>{});
}

}  // namespace
}  // namespace takt::client
