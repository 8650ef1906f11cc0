// Heavy bodies on light ones: what mass lending (docs/adr/0018) must hold, and that it does not hold what
// must fall, slide or bounce.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "takt/core/random.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

template <class Real>
class HeavyLoadTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(HeavyLoadTest, Reals);

ShapeDef dense_box(double half_m, double density_kg_m3) {
  ShapeDef shape = test::box(half_m, half_m, half_m);
  shape.density_kg_m3 = density_kg_m3;
  return shape;
}

struct Tower {
  int light_count = 1;
  double ratio = 1000.0;    ///< of the mass on top to one below; all are unit boxes
  double offset_m = 0.002;  ///< of each box, to alternating sides
  double drop_m = 0.0;      ///< height of the heavy box above the tower
  std::uint32_t substeps = 4;
};

/// How far the heavy box sinks below where it would lie on rigid boxes, the most of any tick after it landed,
/// m.
template <class Real>
double sink_of(const Tower& tower, int seconds) {
  WorldDef def;
  def.substeps = tower.substeps;
  auto world = test::make_world<Real>(def);
  test::add_ground(world);
  for (int i = 0; i < tower.light_count; ++i) {
    double const side = i % 2 == 0 ? tower.offset_m : -tower.offset_m;
    test::add(world, BodyType::kDynamic, dense_box(0.5, 100),
              test::at(side, 0.5 + i, (i % 3 - 1) * tower.offset_m));
  }
  BodyId const top = test::add(world, BodyType::kDynamic, dense_box(0.5, 100 * tower.ratio),
                               test::at(0, 0.5 + tower.light_count + tower.drop_m, 0));
  double max = 0;
  for (int i = 0; i < 60 * seconds; ++i) {
    (void)world.step();
    max = std::max(max, 0.5 + tower.light_count - test::metres(world.center_of_mass(top)).y);
  }
  return max;
}

// The bounds are the issue's: another engine of today sinks 0.35 m and 0.51 m.
TYPED_TEST(HeavyLoadTest, AThousandfoldMassOnALightBoxSinksLessThanThreeCentimetres) {
  EXPECT_LT(sink_of<TypeParam>({1, 1000}, 20), 0.03);
}
TYPED_TEST(HeavyLoadTest, AHundredfoldMassOnATowerOfNineSinksLessThanFiveCentimetres) {
  EXPECT_LT(sink_of<TypeParam>({9, 100}, 20), 0.05);
}
TYPED_TEST(HeavyLoadTest, AThousandfoldMassStandsOnATowerOfNine) {
  EXPECT_LT(sink_of<TypeParam>({9, 1000}, 20), 0.05);
}
TYPED_TEST(HeavyLoadTest, AHundredfoldMassStandsOnACrookedTower) {
  EXPECT_LT(sink_of<TypeParam>({9, 100, 0.02}, 20), 0.05);
}
TYPED_TEST(HeavyLoadTest, BelowTheRatioTheSweepsAloneHold) {
  EXPECT_LT(sink_of<TypeParam>({9, 15}, 20), 0.05);
}
TYPED_TEST(HeavyLoadTest, OneSubstepIsEnough) {
  EXPECT_LT(sink_of<TypeParam>({1, 1000, 0.002, 0.0, 1}, 20), 0.03);
}

TYPED_TEST(HeavyLoadTest, ADroppedThousandfoldMassIsStopped) {
  // It lands at sqrt(2 g 0.5) = 3.1 m/s: at most one tick of that, 5.2 cm, goes by before the contact is
  // there, less the speculative distance.
  EXPECT_LT(sink_of<TypeParam>({1, 1000, 0.002, 0.5}, 10), 0.052 - 0.02);
}

TYPED_TEST(HeavyLoadTest, ASlabStandsOnFourLightLegs) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef leg = test::box(0.05, 0.5, 0.05);
  leg.density_kg_m3 = 300;
  for (double const x : {-1.0, 1.0}) {
    for (double const z : {-1.0, 1.0}) test::add(world, BodyType::kDynamic, leg, test::at(x, 0.5, z));
  }
  ShapeDef slab = test::box(1.3, 0.25, 1.3);
  slab.density_kg_m3 = 2400;  // 1,352 times a leg
  BodyId const top = test::add(world, BodyType::kDynamic, slab, test::at(0, 1.25, 0));
  test::run(world, 1200);
  EXPECT_NEAR(test::metres(world.center_of_mass(top)).y, 1.25, 0.01);
}

TYPED_TEST(HeavyLoadTest, AHeavyBoxWhoseMiddleIsBesideItsSupportFallsOff) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 0.5, 0));
  BodyId const top = test::add(world, BodyType::kDynamic, dense_box(0.5, 100000), test::at(0.6, 1.5, 0));
  test::run(world, 180);
  EXPECT_LT(test::metres(world.center_of_mass(top)).y, 1.0);
}

TYPED_TEST(HeavyLoadTest, ItSlidesWhereFrictionCannotHold) {
  // Both on a slope of 20 degrees, tan = 0.364: under 0.3 the pair slides, over 0.45 it stays.
  for (double const friction : {0.3, 0.45}) {
    auto world = test::make_world<TypeParam>();
    auto const slope = test::about_z(20 * test::kDegree);
    test::add_ground(world, slope, {}, friction);
    auto const along = [](double x, double y) {
      double const angle = 20 * test::kDegree;
      return test::at(x * std::cos(angle) - y * std::sin(angle), x * std::sin(angle) + y * std::cos(angle),
                      0);
    };
    ShapeDef light = test::box(1.0, 0.25, 1.0);
    light.friction = friction;
    light.density_kg_m3 = 100;
    ShapeDef heavy = dense_box(0.5, 40000);  // 400 times as heavy
    heavy.friction = friction;
    test::add(world, BodyType::kDynamic, light, along(0, 0.25), slope);
    BodyId const top = test::add(world, BodyType::kDynamic, heavy, along(0, 1.0), slope);
    Position const start = world.center_of_mass(top);
    test::run(world, 120);
    double const displacement = length(test::displacement(start, world.center_of_mass(top)));
    // g (sin - mu cos) t^2 / 2 with t = 2 s: 1.18 m, of which a slide over the light box may add nothing
    // (both slide alike).
    if (friction < 0.36) {
      EXPECT_NEAR(displacement,
                  0.5 * 9.81 * (std::sin(20 * test::kDegree) - friction * std::cos(20 * test::kDegree)) * 4.0,
                  0.03);
    } else {
      EXPECT_LT(displacement, 0.002);
    }
  }
}

TYPED_TEST(HeavyLoadTest, ASlabRestsOnLightBodiesOfAnyShape) {
  // Each slab is so many times as heavy as one of the four below it. A body that carries q weights has
  // at least 1 of its masses, and q / 2 - 1 of them above the threshold of 4: each contact carries at most
  // four weights of its mass. A weight sinks by 0.2 mm; there are two contacts.
  for (double const ratio : {10.0, 30.0, 1000.0}) {
    for (const ShapeDef& shape : {test::box(0.5, 0.2, 0.5), test::cylinder(0.4, 0.2), test::sphere(0.2)}) {
      auto world = test::make_world<TypeParam>();
      test::add_ground(world);
      ShapeDef light = shape;
      light.density_kg_m3 = 100;
      BodyId leg;
      for (double const x : {-1.0, 1.0}) {
        for (double const z : {-1.0, 1.0})
          leg = test::add(world, BodyType::kDynamic, light, test::at(x, 0.2, z));
      }
      ShapeDef slab = test::box(1.5, 0.25, 1.5);
      slab.density_kg_m3 = ratio * world.mass_kg(leg) / (3.0 * 0.5 * 3.0);
      BodyId const top = test::add(world, BodyType::kDynamic, slab, test::at(0, 0.65, 0));
      test::run(world, 300);
      EXPECT_NEAR(test::metres(world.center_of_mass(top)).y, 0.65, 0.0016)
          << ratio << ", shape " << static_cast<int>(shape.kind);
    }
  }
}

TYPED_TEST(HeavyLoadTest, AHeavyBoxDroppedOnALightPlankIsHeldByItsLightSupports) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  for (double const x : {-1.5, 1.5}) {
    ShapeDef support = test::box(0.2, 0.25, 0.5);
    support.density_kg_m3 = 100;
    test::add(world, BodyType::kDynamic, support, test::at(x, 0.25, 0));
  }
  ShapeDef plank = test::box(2, 0.05, 0.5);
  plank.density_kg_m3 = 100;
  test::add(world, BodyType::kDynamic, plank, test::at(0, 0.55, 0));
  BodyId const top = test::add(world, BodyType::kDynamic, dense_box(0.4, 20000), test::at(0.2, 1.5, 0));
  double max = 0;
  for (int i = 0; i < 600; ++i) {
    (void)world.step();
    max = std::max(max, 1.0 - test::metres(world.center_of_mass(top)).y);
  }
  // It lands at 3.1 m/s: as in ADroppedThousandfoldMassIsStopped.
  EXPECT_LT(max, 0.052 - 0.02);
  // Three contacts sink by at most four weights of 0.2 mm each, as in ASlabRestsOnLightBodiesOfAnyShape.
  EXPECT_NEAR(test::metres(world.center_of_mass(top)).y, 1.0, 0.0024);
}

TYPED_TEST(HeavyLoadTest, APropThatIsTakenAwayLeavesItsShareToALightBody) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 0.5, 0));
  std::vector<BodyId> props;
  for (double const x : {-2.0, 2.0})
    props.push_back(test::add(world, BodyType::kStatic, test::box(0.5, 0.5, 0.5), test::at(x, 0.5, 0)));
  ShapeDef beam = test::box(2.5, 0.2, 0.5);
  beam.density_kg_m3 = 50000;
  BodyId const top = test::add(world, BodyType::kDynamic, beam, test::at(0, 1.2, 0));
  test::run(world, 120);
  for (BodyId const prop : props) ASSERT_TRUE(world.destroy_body(prop).ok());
  double lowest = 2;
  for (int i = 0; i < 300; ++i) {
    (void)world.step();
    lowest = std::min(lowest, test::metres(world.center_of_mass(top)).y);
  }
  // A tick of free fall at most, g / 60^2 = 2.7 mm, goes by before the light box is known to carry it.
  EXPECT_GT(lowest, 1.2 - 0.0028);
}

/// How high the upper of two light boxes rises after `remove` took the load of 10,000 times its mass away, m.
template <class Real, class Remove>
double rise_without_load(const Remove& remove) {
  auto world = test::make_world<Real>();
  test::add_ground(world);
  test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 0.5, 0));
  BodyId const upper = test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 1.5, 0));
  BodyId const load = test::add(world, BodyType::kDynamic, dense_box(0.5, 1e6), test::at(0, 2.5, 0));
  test::run(world, 120);
  remove(world, load, upper);
  double max = 0;
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    max = std::max(max, test::metres(world.center_of_mass(upper)).y - 1.5);
  }
  return max;
}

// The boxes that stay are alike, and their contacts carry the impulses of the load. The guard of the warm
// start lets these change a velocity by kStillWeights x g / 240 = 0.33 m/s, which is 5.4 mm of height.
TYPED_TEST(HeavyLoadTest, ALoadThatIsDestroyedThrowsNothingUp) {
  EXPECT_LT(rise_without_load<TypeParam>(
                [](auto& world, BodyId load, BodyId) { ASSERT_TRUE(world.destroy_body(load).ok()); }),
            0.0055);
}
TYPED_TEST(HeavyLoadTest, ALoadThatIsDisabledThrowsNothingUp) {
  EXPECT_LT(rise_without_load<TypeParam>(
                [](auto& world, BodyId load, BodyId) { ASSERT_TRUE(world.set_enabled(load, false).ok()); }),
            0.0055);
}
// Any later call of the same tick made the world forget that the load is gone.
TYPED_TEST(HeavyLoadTest, ALoadThatIsDestroyedBeforeAPushThrowsNothingUp) {
  EXPECT_LT(rise_without_load<TypeParam>([](auto& world, BodyId load, BodyId upper) {
              ASSERT_TRUE(world.destroy_body(load).ok());
              ASSERT_TRUE(world.apply_impulse(upper, {0, 0.001, 0}).ok());
            }),
            0.0055);
}

// The load presses the box into the ground before. Overlap is pushed out at 3 m/s at most, half of which may
// stay: 0.33 + 1.5 m/s are 0.17 m of height.
TYPED_TEST(HeavyLoadTest, ALoadOnAJointThatIsDestroyedThrowsNothingUp) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const box = test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 0.5, 0));
  BodyId const load = test::add(world, BodyType::kDynamic, dense_box(0.5, 1e6), test::at(0, 2, 0));
  ASSERT_TRUE(world
                  .create_joint(weld_joint(box, load, world.joint_frame(box, test::at(0, 1.2, 0)),
                                           world.joint_frame(load, test::at(0, 1.2, 0))))
                  .ok());
  test::run(world, 120);
  ASSERT_TRUE(world.destroy_body(load).ok());
  double max = 0;
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    max = std::max(max, test::metres(world.center_of_mass(box)).y - 0.5);
  }
  EXPECT_LT(max, 0.17);
}

TYPED_TEST(HeavyLoadTest, ALightBoxBetweenHeavyOnesStopsTheOneThatComesWithoutGravity) {
  WorldDef def;
  def.gravity_m_s2 = {0, 0, 0};
  auto world = test::make_world<TypeParam>(def);
  test::add(world, BodyType::kStatic, test::box(0.5, 0.5, 0.5), test::at(3, 0, 0));
  test::add(world, BodyType::kDynamic, dense_box(0.5, 50000), test::at(2, 0, 0));
  BodyId const light = test::add(world, BodyType::kDynamic, dense_box(0.25, 100), test::at(1.25, 0, 0));
  BodyId const near = test::add(world, BodyType::kDynamic, dense_box(0.5, 50000), test::at(0.45, 0, 0));
  ASSERT_TRUE(world.set_velocity(near, {0.5, 0, 0}, {}).ok());
  double farthest = 0;
  double fastest = 0;
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    farthest = std::max(farthest, test::metres(world.center_of_mass(near)).x);
    fastest = std::max(fastest, length(to_double(world.linear_velocity(light))));
  }
  // 0.5 m/s is 8.3 mm a tick: at most one goes by before the light box, of 1 / 4,000 of its mass, is known to
  // stop it.
  EXPECT_LT(farthest, 0.5 + 0.0084);
  // A heavy wall gives a light body at most twice its own speed, and that only when both are elastic.
  EXPECT_LT(fastest, 1.0) << "it does not spring out";
}

TYPED_TEST(HeavyLoadTest, ACollisionConservesMomentum) {
  WorldDef def;
  def.gravity_m_s2 = {0, 0, 0};
  auto world = test::make_world<TypeParam>(def);
  BodyId const light =
      test::add(world, BodyType::kDynamic, dense_box(0.5, 100), test::at(0, 0, 0), test::about_y(0.3));
  BodyId const heavy = test::add(world, BodyType::kDynamic, dense_box(0.5, 100000), test::at(1.4, 0.2, 0.1),
                                 test::about_x(0.2));
  ASSERT_TRUE(world.set_velocity(heavy, {-3, 0, 0}, {}).ok());
  auto const momentum = [&] {
    return to_double(world.linear_velocity(light)) * 100.0 +
           to_double(world.linear_velocity(heavy)) * 100000.0;
  };
  Vec3<double> const before = momentum();
  test::run(world, 30);
  // Each of 30 x 4 x 2 passes rounds two velocities of up to 6 m/s.
  double const tolerance = 240 * 6 * 100000 * test::kRounding<TypeParam>;
  EXPECT_LT(length(momentum() - before), tolerance);
  EXPECT_LT(to_double(world.linear_velocity(light)).x, -2.5) << "they did meet";
}

// The tick after a landing began with the impulses that stopped the ball, and threw both bodies up: by 12 of
// 52 kJ at 25 times the mass, by 17 m/s at five times. No contact bounces here. Shapes that overlap separate
// at contact_push_max_m_s, the only speed that contacts may give.
TYPED_TEST(HeavyLoadTest, ABallThatLandsOnALightDrumThrowsNothingUp) {
  Random random(17);
  for (int scene = 0; scene < 60; ++scene) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    double const radius_m = random.next_between(0.15, 0.5);
    double const half_m = random.next_between(0.15, 0.5);
    ShapeDef drum = test::cylinder(radius_m, half_m);
    drum.density_kg_m3 = random.next_between(50, 500);
    bool const lies = random.next_below(2) == 0;
    double const top_m = 2 * (lies ? radius_m : half_m);
    BodyId const below = test::add(world, BodyType::kDynamic, drum, test::at(0, top_m / 2, 0),
                                   lies ? test::about_x(90 * test::kDegree) : Quat<double>{});
    double const ball_m = random.next_between(0.1, 0.4);
    ShapeDef ball = test::sphere(ball_m);
    double const ratio = std::exp(random.next_between(std::log(2.0), std::log(50.0)));
    ball.density_kg_m3 =
        std::min(1e6, world.mass_kg(below) * ratio / (4.0 / 3.0 * 3.14159265 * ball_m * ball_m * ball_m));
    double const x = random.next_between(-0.8, 0.8) * radius_m;
    double const z = random.next_between(-0.8, 0.8) * half_m;
    BodyId const above = test::add(world, BodyType::kDynamic, ball,
                                   test::at(x, top_m + ball_m + random.next_between(0.2, 8), z));
    double const given_j = 0.5 * (world.mass_kg(below) + world.mass_kg(above)) *
                           world.def().contact_push_max_m_s * world.def().contact_push_max_m_s;
    double lowest_j = world.energy().total_j();
    double rise_j = 0;
    for (int tick = 0; tick < 180; ++tick) {
      (void)world.step();
      double const now_j = world.energy().total_j();
      lowest_j = std::min(lowest_j, now_j);
      rise_j = std::max(rise_j, now_j - lowest_j);
    }
    EXPECT_LE(rise_j, given_j) << "scene " << scene;
  }
}

}  // namespace
}  // namespace takt
