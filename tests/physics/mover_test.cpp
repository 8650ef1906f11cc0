// How a mover walks: walls, corners, slopes, steps, jumps, and what it may not do. Metres, seconds; a mover
// stands a skin (10 mm) above its ground, to within the dead zones of physics/movers/mover_slide.cpp: 0.5 mm
// too near, 1 mm too far.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/mover_world.h"

namespace takt {
namespace {

using test::at;
using test::drive;
using test::foot_of;
using test::kDegree;
using test::position_of;

constexpr double kMoverTick = 1.0 / 60.0;
constexpr double kMoverNear = 2e-3;  // dead zones and casts, see above, with room for one of each

template <class Real>
class MoverTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(MoverTest, Reals);

TYPED_TEST(MoverTest, FallsAndStands) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverDef def = test::mover_at(0, 2, 0);
  MoverId const mover = test::add_mover(world, def);
  for (int i = 0; i < 30; ++i) {
    (void)world.step();
    double const t = (i + 1) * kMoverTick;
    ASSERT_NEAR(foot_of(world, mover), 2 - 0.5 * 9.81 * t * t, 1e-6)
        << "free fall is exact but for the rounding of places";
  }
  test::run(world, 60);
  EXPECT_TRUE(world.mover(mover).grounded);
  EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear);
  Vec3<double> const before = position_of(world, mover);
  test::run(world, 600);
  EXPECT_EQ(position_of(world, mover), before) << "what stands does not creep";
}

TYPED_TEST(MoverTest, WalksAtItsSpeed) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 2);
  drive(world, mover, {3, 0, 0});
  test::run(world, 30);
  double const x = position_of(world, mover).x;
  test::run(world, 60);
  EXPECT_NEAR(position_of(world, mover).x - x, 3.0, 1e-3);
  EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear);
  EXPECT_TRUE(world.mover(mover).grounded);
  drive(world, mover, {100, 0, 0});
  test::run(world, 60);
  EXPECT_NEAR(test::length_of(world.mover(mover).velocity_m_s), MoverTuning{}.max_speed_m_s, 1e-6);
  drive(world, mover, {});
  test::run(world, 30);
  EXPECT_EQ(world.mover(mover).velocity_m_s, (Vec3<double>{}));
}

TYPED_TEST(MoverTest, SlidesAlongAWall) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add_box(world, BodyType::kStatic, {0.5, 2, 20}, at(1.5, 2, 0));  // its face is at x = 1
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  drive(world, mover, {3, 0, 3});
  test::run(world, 120);
  Vec3<double> const position = position_of(world, mover);
  EXPECT_NEAR(position.x, 1 - 0.4 - test::kSkin, kMoverNear);
  double const z = position.z;
  test::run(world, 60);
  EXPECT_NEAR(position_of(world, mover).z - z, 3.0, 0.01)
      << "the wall takes the way into it, not the way along it";
  EXPECT_NEAR(position_of(world, mover).x, position.x, 1e-4);
}

// In a corner and in a V of 40 degrees it comes to rest, to the bit.
TYPED_TEST(MoverTest, RestsInCornersWithoutJitter) {
  for (double const half_angle : {45.0, 20.0}) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    for (double const side : {-1.0, 1.0}) {
      // Two walls that meet at x = 5, open towards -x.
      double const a = side * half_angle * kDegree;
      Vec3<double> const along{-std::cos(a), 0, std::sin(a)};
      Vec3<double> const out{std::sin(a), 0, std::cos(a)};
      Vec3<double> const middle = Vec3<double>{5, 2, 0} + along * 5.0 + out * (side * 0.5);
      test::add_box(world, BodyType::kStatic, {6, 2, 0.5}, at(middle.x, middle.y, middle.z),
                    test::about_y(a));
    }
    MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0.1));
    drive(world, mover, {5, 0, 0});
    test::run(world, 240);
    Vec3<double> const position = position_of(world, mover);
    EXPECT_GT(position.x, 2.0) << half_angle;
    double worst = 0;
    for (int i = 0; i < 240; ++i) {
      (void)world.step();
      worst = std::max(worst, test::length_of(position_of(world, mover) - position));
    }
    EXPECT_LT(worst, 1e-4) << half_angle;
    EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear) << half_angle;
  }
}

TYPED_TEST(MoverTest, NeverPassesAThinWallHoweverFast) {
  for (double const speed : {20.0, 100.0, 900.0}) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    test::add_box(world, BodyType::kStatic, {0.01, 5, 20}, at(8, 5, 0));
    MoverId const mover = test::add_mover(world, test::mover_at(0, 1, 0));
    ASSERT_TRUE(world.set_velocity(world.mover(mover).body, {speed, 0, speed / 7}, {}).ok());
    for (int i = 0; i < 120; ++i) {
      (void)world.step();
      ASSERT_LT(position_of(world, mover).x, 7.99 - 0.4) << speed;
    }
  }
}

TYPED_TEST(MoverTest, ComesOutOfAnOverlapAtABoundedSpeed) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add_box(world, BodyType::kStatic, {0.5, 2, 5}, at(0.7, 2, 0));  // 0.2 m into the capsule
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    double const now = position_of(world, mover).x;
    ASSERT_LE(x - now, MoverTuning{}.recovery_speed_m_s * kMoverTick + 1e-6);
    x = now;
  }
  EXPECT_NEAR(x, 0.2 - 0.4 - test::kSkin, kMoverNear);
}

// Stands still at 10, 30 and 49 degrees, slides down at 51 and 60 (the limit is 50).
TYPED_TEST(MoverTest, StandsOnSlopesBelowTheLimitAndSlidesDownAbove) {
  for (double const degrees : {10.0, 30.0, 49.0, 51.0, 60.0}) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world, test::about_z(degrees * kDegree));  // rises towards +x
    // A skin off the slope: along the normal the middle is half_length cos + radius above it.
    double const c = std::cos(degrees * kDegree);
    MoverDef def;
    def.position = at(0, (0.41 + 0.5 * c) / c, 0);
    MoverId const mover = test::add_mover(world, def);
    test::run(world, 30);
    Vec3<double> const position = position_of(world, mover);
    test::run(world, 300);
    double const displacement = test::length_of(position_of(world, mover) - position);
    if (degrees < 50) {
      EXPECT_LT(displacement, 1e-6) << degrees;
      EXPECT_TRUE(world.mover(mover).grounded) << degrees;
    } else {
      EXPECT_GT(position.x - position_of(world, mover).x, 5.0) << degrees;
      EXPECT_FALSE(world.mover(mover).grounded) << degrees;
    }
  }
}

TYPED_TEST(MoverTest, KeepsItsLevelSpeedUpAndDownSlopesAndStaysOnThem) {
  for (double const degrees : {20.0, 40.0}) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world, test::about_z(degrees * kDegree));
    MoverDef def;
    double const c = std::cos(degrees * kDegree);
    def.position = at(0, (0.41 + 0.5 * c) / c, 0);
    MoverId const mover = test::add_mover(world, def);
    test::run(world, 5);
    for (double const speed : {3.0, -3.0}) {
      drive(world, mover, {speed, 0, 0});
      test::run(world, 20);
      double const x = position_of(world, mover).x;
      for (int i = 0; i < 60; ++i) {
        (void)world.step();
        ASSERT_TRUE(world.mover(mover).grounded) << degrees << " degrees at " << speed << " m/s, tick " << i;
      }
      EXPECT_NEAR(position_of(world, mover).x - x, speed, 0.02 * std::abs(speed)) << degrees;
    }
  }
}

TYPED_TEST(MoverTest, DoesNotClimbASteepSlopeByWalkingSteppingOrJumping) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add_ground(world, test::about_z(60 * kDegree),
                   at(2, 0, 0));  // a plane of 60 degrees that leaves the ground at x = 2
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 2);
  drive(world, mover, {6, 0, 0.5});
  double highest = 0;
  for (int i = 0; i < 600; ++i) {
    if (i >= 300) drive(world, mover, {6, 0, 0.5}, i % 60 == 0);
    (void)world.step();
    if (i < 300) {
      ASSERT_LT(foot_of(world, mover), 0.02) << i;
    }
    highest = std::max(highest, foot_of(world, mover));
  }
  // Jumping against it: 5 m/s upwards, and 8 m/s^2 of air control over the h / tan 60 that a rise of h takes,
  // against g h. It comes down again each time.
  EXPECT_LT(highest, 12.5 / (9.81 - 8 / std::tan(60 * kDegree)));
  drive(world, mover, {6, 0, 0});
  test::run(world, 120);
  EXPECT_NEAR(foot_of(world, mover), 0, 0.02);
}

TYPED_TEST(MoverTest, TakesAStepOfItsHeightAndRefusesAHigherOne) {
  for (double const height : {0.1, 0.3, 0.349, 0.36, 0.5}) {
    for (double const speed : {1.0, 5.0}) {
      auto world = test::make_world<TypeParam>();
      test::add_ground(world);
      test::add_box(world, BodyType::kStatic, {5, height / 2, 5}, at(6, height / 2, 0));  // begins at x = 1
      MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
      drive(world, mover, {speed, 0, 0});
      test::run(world, speed > 2 ? 60 : 180);
      Vec3<double> const position = position_of(world, mover);
      if (height < 0.35) {
        EXPECT_GT(position.x, 1.2) << height << " m at " << speed << " m/s";
        EXPECT_NEAR(foot_of(world, mover), height, kMoverNear) << height << " m at " << speed << " m/s";
      } else {
        // The edge meets the ball at its lower end, below the ball's middle.
        double const r = 0.4 + test::kSkin;
        double const below = std::max(r - height, 0.0);
        EXPECT_NEAR(position.x, 1 - std::sqrt(r * r - below * below), kMoverNear)
            << height << " m at " << speed << " m/s";
        EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear) << height << " m at " << speed << " m/s";
      }
    }
  }
}

TYPED_TEST(MoverTest, WalksUpAndDownStairsWithoutLeavingTheGround) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  for (int i = 0; i < 10; ++i) {
    double const h = 0.25 * (i + 1);
    test::add_box(world, BodyType::kStatic, {10 - 0.2 * i, h / 2, 2}, at(11 + 0.2 * i, h / 2, 0));
  }
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 2);
  drive(world, mover, {4, 0, 0});
  for (int i = 0; i < 150; ++i) {
    (void)world.step();
    ASSERT_TRUE(world.mover(mover).grounded) << "up, tick " << i << " at " << position_of(world, mover).x;
  }
  EXPECT_NEAR(foot_of(world, mover), 2.5, kMoverNear);
  EXPECT_GT(position_of(world, mover).x, 5.0) << "stairs cost some speed, not half of it";
  drive(world, mover, {-4, 0, 0});
  for (int i = 0; i < 180; ++i) {
    (void)world.step();
    ASSERT_TRUE(world.mover(mover).grounded) << "down, tick " << i << " at " << position_of(world, mover).x;
  }
  EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear);
}

TYPED_TEST(MoverTest, LeavesALedgeThatIsHigherThanItSticks) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add_box(world, BodyType::kStatic, {2, 1, 2}, at(0, 1, 0));
  MoverId const mover = test::add_mover(world, test::mover_at(0, 2, 0));
  test::run(world, 2);
  drive(world, mover, {4, 0, 0});
  bool flew = false;
  for (int i = 0; i < 90; ++i) {
    (void)world.step();
    flew = flew || !world.mover(mover).grounded;
  }
  EXPECT_TRUE(flew);
  EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear);
}

TYPED_TEST(MoverTest, JumpsAsHighAsItsSpeedSaysAndOnlyFromTheGround) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 2);
  double highest = 0;
  for (int i = 0; i < 80; ++i) {
    drive(world, mover, {}, i < 20);  // jumping again and again in the air does nothing
    (void)world.step();
    highest = std::max(highest, foot_of(world, mover));
  }
  // v^2 / 2g, reached between two ticks: at most g / 8 of a tick squared lower.
  EXPECT_NEAR(highest, 25.0 / (2 * 9.81), 9.81 * kMoverTick * kMoverTick / 8 + kMoverNear);
  EXPECT_NEAR(foot_of(world, mover), 0, kMoverNear);
}

TYPED_TEST(MoverTest, ACeilingEndsTheJump) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add_box(world, BodyType::kStatic, {5, 0.1, 5}, at(0, 2.4, 0));  // from 2.3 m: 0.48 m above its head
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 2);
  drive(world, mover, {}, true);
  double highest = 0;
  int ticks = 0;
  do {
    (void)world.step();
    highest = std::max(highest, foot_of(world, mover));
    ++ticks;
  } while (!world.mover(mover).grounded && ticks < 120);
  EXPECT_NEAR(highest, 2.3 - 1.8 - 2 * test::kSkin, kMoverNear);
  // Up in 0.107 s at 5 m/s, down 0.48 m from rest in 0.313 s: it does not hang at the ceiling.
  EXPECT_LE(ticks, 28);
}

// Air control turns what flies, and no input leaves it its way.
TYPED_TEST(MoverTest, KeepsItsWayInTheAirUnlessSteered) {
  auto world = test::make_world<TypeParam>();
  MoverId const mover = test::add_mover(world, test::mover_at(0, 50, 0));
  ASSERT_TRUE(world.set_velocity(world.mover(mover).body, {3, 0, 0}, {}).ok());
  test::run(world, 60);
  EXPECT_NEAR(position_of(world, mover).x, 3.0, 1e-6);
  drive(world, mover, {0, 0, 2});
  test::run(world, 15);
  EXPECT_NEAR(test::length_of(world.mover(mover).velocity_m_s - Vec3<double>{3, 0, 0} +
                              Vec3<double>{0, 9.81 * 1.25, 0}),
              8.0 * 0.25, 1e-6)
      << "a change of air_acceleration x time";
}

TYPED_TEST(MoverTest, TurnsAndWalksInItsHeading) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverDef def = test::mover_at(0, 0, 0);
  def.heading_rad = 0.5;
  MoverId const mover = test::add_mover(world, def);
  EXPECT_NEAR(world.mover(mover).heading_rad, 0.5, 1e-6);
  MoverInput input;
  input.turn_rad_s = 1.0;
  ASSERT_TRUE(world.set_mover_input(mover, input).ok());
  test::run(world, 60);
  EXPECT_NEAR(world.mover(mover).heading_rad, 1.5, 1e-5);
  input.turn_rad_s = 0;
  input.in_heading_frame = true;
  input.velocity_m_s = {0, 0, 2};
  ASSERT_TRUE(world.set_mover_input(mover, input).ok());
  test::run(world, 60);
  Vec3<double> const position = position_of(world, mover);
  EXPECT_NEAR(std::atan2(position.x, position.z), 1.5, 1e-5);
  EXPECT_GT(test::length_of(position), 1.8);
}

TYPED_TEST(MoverTest, MeetsWhatItsFilterLetsItMeet) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef ghost = test::box(0.1, 2, 5);
  ghost.filter.category = 2;
  test::add(world, BodyType::kStatic, ghost, at(2, 2, 0));
  ShapeDef sensor = test::box(0.1, 2, 5);
  sensor.is_sensor = true;
  test::add(world, BodyType::kStatic, sensor, at(3, 2, 0));
  MoverDef def = test::mover_at(0, 0, 0);
  def.filter.mask = 1;
  MoverId const through = test::add_mover(world, def);
  MoverDef other = test::mover_at(0, 0, 3);
  MoverId const stopped = test::add_mover(world, other);
  drive(world, through, {5, 0, 0});
  drive(world, stopped, {5, 0, 0});
  test::run(world, 90);
  EXPECT_GT(position_of(world, through).x, 5.0);
  EXPECT_LT(position_of(world, stopped).x, 1.9 - 0.4);
}

TYPED_TEST(MoverTest, TwoMoversDoNotPassThroughOrPushEachOther) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverId const a = test::add_mover(world, test::mover_at(-2, 0, 0));
  MoverId const b = test::add_mover(world, test::mover_at(2, 0, 0));
  drive(world, a, {4, 0, 0});
  test::run(world, 180);
  EXPECT_NEAR(position_of(world, b).x, 2, 1e-6);
  EXPECT_NEAR(position_of(world, a).x, 2 - 0.8 - test::kSkin, kMoverNear);
}

}  // namespace
}  // namespace takt
