// Surfaces against mechanics: how friction and restitution mix, what rolling resistance stops and where, and
// what a running surface carries.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

constexpr double kG = 9.81;

template <class Real>
class SurfaceTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SurfaceTest, Reals);

// A box that slides from 5 m/s on a floor stops after v^2 / (2 mu g), which tells mu. Semi-implicit Euler in
// substeps h adds at most v h / 2.
template <class Real>
double measured_friction(MixRule world_rule, MixRule rule_floor, MixRule rule_box) {
  WorldDef def;
  def.friction_rule = world_rule;
  auto world = test::make_world<Real>(def);
  ShapeDef floor = test::half_space();
  floor.friction = 0.8;
  floor.friction_rule = rule_floor;
  test::add(world, BodyType::kStatic, floor, at(0, 0, 0));
  ShapeDef shape = test::box(0.5, 0.1, 0.5);
  shape.friction = 0.2;
  shape.friction_rule = rule_box;
  BodyDef box = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.1, 0));
  box.linear_velocity_m_s = {5, 0, 0};
  BodyId const id = test::add(world, box);
  test::run(world, 240);
  double const displacement = test::metres(world.pose(id).position).x;
  return 25.0 / (2.0 * kG * displacement);
}

TYPED_TEST(SurfaceTest, FrictionMixesByTheRuleThatWins) {
  using M = MixRule;
  auto const expect = [](M world, M floor, M box, double friction) {
    // 5 m/s x 1/240 s / 2 of at most 8 m, and the contact's give as the box tips: 1 %.
    EXPECT_NEAR(measured_friction<TypeParam>(world, floor, box), friction, 0.01 * friction);
  };
  expect(M::kGeometricMean, M::kWorld, M::kWorld, 0.4);
  expect(M::kAverage, M::kWorld, M::kWorld, 0.5);
  expect(M::kMinimum, M::kWorld, M::kWorld, 0.2);
  expect(M::kMultiply, M::kWorld, M::kWorld, 0.16);
  expect(M::kMaximum, M::kWorld, M::kWorld, 0.8);
  expect(M::kMinimum, M::kAverage, M::kWorld, 0.5);      // a shape's own rule before the world's
  expect(M::kMinimum, M::kAverage, M::kMultiply, 0.16);  // the later of two
  expect(M::kMinimum, M::kMaximum, M::kMultiply, 0.8);
  expect(M::kMaximum, M::kMinimum, M::kGeometricMean, 0.2);
}

TYPED_TEST(SurfaceTest, RestitutionMixesByItsOwnRule) {
  using M = MixRule;
  auto const height = [](M world_rule, M rule) {
    WorldDef def;
    def.restitution_rule = world_rule;
    auto world = test::make_world<TypeParam>(def);
    ShapeDef floor = test::half_space();
    floor.restitution = 0.9;
    test::add(world, BodyType::kStatic, floor, at(0, 0, 0));
    ShapeDef ball = test::sphere(0.5);
    ball.restitution = 0.4;
    ball.restitution_rule = rule;
    BodyId const id = test::add(world, BodyType::kDynamic, ball, at(0, 5.5, 0));
    double top = 0;
    bool down = true;
    for (int i = 0; i < 240; ++i) {
      (void)world.step();
      if (down && world.linear_velocity(id).y > TypeParam(0)) down = false;
      if (!down) top = std::max(top, test::metres(world.pose(id).position).y - 0.5);
    }
    return top;
  };
  // e^2 H with H = 5 m, less what the rebound would rise in the rest of its first tick: restitution acts at
  // the tick's end.
  auto const expect = [&](M world_rule, M rule, double e) {
    EXPECT_NEAR(height(world_rule, rule), 5 * e * e, e * std::sqrt(2 * kG * 5) / 60) << "restitution " << e;
  };
  expect(M::kMaximum, M::kWorld, 0.9);
  expect(M::kMinimum, M::kWorld, 0.4);
  expect(M::kMaximum, M::kAverage, 0.65);
  expect(M::kMaximum, M::kMultiply, 0.36);
  expect(M::kMaximum, M::kGeometricMean, 0.6);
}

struct Rolled {
  double displacement_m;
  double spin_rad_s;
  bool asleep;
};

// Rolls `shape` (its axis across) at 3 m/s, without slip, over a floor for ten seconds.
template <class Real>
Rolled roll(ShapeDef shape, double radius_m, double resistance_of_floor) {
  auto world = test::make_world<Real>();
  ShapeDef floor = test::half_space();
  floor.friction = 1;
  floor.rolling_resistance = resistance_of_floor;
  test::add(world, BodyType::kStatic, floor, at(0, 0, 0));
  shape.friction = 1;
  bool const is_ball = shape.kind == ShapeKind::kSphere;
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, radius_m, 0),
                           is_ball ? Quat<double>{} : test::about_x(90 * test::kDegree));
  def.linear_velocity_m_s = {3, 0, 0};
  def.angular_velocity_rad_s = {0, 0, -3 / radius_m};
  BodyId const id = test::add(world, def);
  test::run(world, 600);
  return {test::metres(world.pose(id).position).x, to_double(world.angular_velocity(id).z),
          world.is_asleep(id)};
}

// Torque c R N against rolling: (I / R + m R) a = c R m g, so a = c g / (1 + k) with I = k m R^2, and the way
// to rest is v^2 / (2 a).
TYPED_TEST(SurfaceTest, RollingResistanceStopsWhatRollsWhereItShould) {
  constexpr double kC = 0.06;
  auto const displacement = [](double k) { return 9.0 / (2.0 * kC * kG / (1.0 + k)); };
  auto const with = [](ShapeDef shape) {
    shape.rolling_resistance = kC;
    return shape;
  };
  // Equal tolerance as for sliding: 1 %, of which v h / 2 = 6 mm is the integrator's.
  Rolled const ball = roll<TypeParam>(with(test::sphere(0.5)), 0.5, 0);
  EXPECT_NEAR(ball.displacement_m, displacement(0.4), 0.01 * displacement(0.4));
  EXPECT_TRUE(ball.asleep);
  Rolled const small = roll<TypeParam>(with(test::sphere(0.1)), 0.1, 0);
  EXPECT_NEAR(small.displacement_m, displacement(0.4), 0.01 * displacement(0.4))
      << "the same way for every radius";
  Rolled const on_grass = roll<TypeParam>(test::sphere(0.5), 0.5, kC);
  EXPECT_NEAR(on_grass.displacement_m, displacement(0.4), 0.01 * displacement(0.4))
      << "the floor's counts as well";
  Rolled const drum = roll<TypeParam>(with(test::cylinder(0.4, 0.5)), 0.4, 0);
  EXPECT_NEAR(drum.displacement_m, displacement(0.5), 0.01 * displacement(0.5));
  Rolled const free = roll<TypeParam>(test::sphere(0.5), 0.5, 0);
  EXPECT_NEAR(free.displacement_m, 30.0, 0.3) << "without it nothing stops";
}

// A ball that spins about the vertical has no lever for friction; the resistance stops it after I w / (c R m
// g).
TYPED_TEST(SurfaceTest, RollingResistanceStopsASpinningBall) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef shape = test::sphere(0.5);
  shape.rolling_resistance = 0.1;
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.5, 0));
  def.angular_velocity_rad_s = {0, 10, 0};
  BodyId const id = test::add(world, def);
  test::run(world, 60);
  double const rate = 0.1 * kG / (0.4 * 0.5);  // rad/s^2
  EXPECT_NEAR(to_double(world.angular_velocity(id).y), 10 - rate, 0.02 * rate);
  test::run(world, 120);
  EXPECT_EQ(to_double(world.angular_velocity(id).y), 0) << "asleep";
}

// A ball held by the resistance on a slope: it starts to roll when tan(slope) exceeds c.
TYPED_TEST(SurfaceTest, ABallStaysOnASlopeBelowItsResistance) {
  auto const runs = [](double slope) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world, test::about_z(slope), {}, 1.0);
    ShapeDef shape = test::sphere(0.5);
    shape.friction = 1;
    shape.rolling_resistance = 0.1;
    BodyId const id =
        test::add(world, BodyType::kDynamic, shape, at(-0.5 * std::sin(slope), 0.5 * std::cos(slope), 0));
    test::run(world, 180);
    return test::length_of(
        test::displacement(at(-0.5 * std::sin(slope), 0.5 * std::cos(slope), 0), world.pose(id).position));
  };
  EXPECT_LT(runs(std::atan(0.1 * 0.98)), 0.005);
  double const beyond = std::atan(0.1 * 1.1);
  double const expected = 0.5 * kG * (std::sin(beyond) - 0.1 * std::cos(beyond)) / 1.4 * 9.0;
  // The difference of two nearly equal forces: 1 % of the resistance.
  EXPECT_NEAR(runs(beyond), expected, 0.01 * 0.5 * kG * 0.1 * std::cos(beyond) / 1.4 * 9.0);
}

// A box dropped on a belt reaches the belt's speed after v / (mu g) and rides along; it does not fall asleep
// on the way.
TYPED_TEST(SurfaceTest, ABeltCarriesABoxAtItsSpeed) {
  auto world = test::make_world<TypeParam>();
  ShapeDef belt = test::box(50, 0.5, 2);
  belt.friction = 0.5;
  belt.surface_velocity_m_s = {2, 0, 0};
  // Turned about the vertical: the velocity is in the shape's frame.
  BodyId const id =
      test::add(world, BodyType::kStatic, belt, at(0, -0.5, 0), test::about_y(90 * test::kDegree));
  ShapeDef shape = test::box(0.3, 0.3, 0.3);
  shape.friction = 0.5;
  BodyId const box = test::add(world, BodyType::kDynamic, shape, at(0, 0.3, 0));
  test::run(world, 12);  // v / (mu g) = 0.41 s
  double const part = 0.2 * 0.5 * kG;
  EXPECT_NEAR(to_double(world.linear_velocity(box).z), -part, 0.03 * part);
  test::run(world, 48);
  EXPECT_NEAR(to_double(world.linear_velocity(box).z), -2.0, 0.01);
  EXPECT_NEAR(to_double(world.linear_velocity(box).x), 0.0, 0.01);
  double const before = test::metres(world.pose(box).position).z;
  test::run(world, 120);
  EXPECT_NEAR(test::metres(world.pose(box).position).z - before, -4.0, 0.02);
  // Belts that stop let it sleep; belts that start again wake it.
  ShapeId const surface = world.shapes(id)[0];
  ASSERT_TRUE(world.set_surface_velocity(surface, {}).ok());
  test::run(world, 90);
  EXPECT_TRUE(world.is_asleep(box));
  ASSERT_TRUE(world.set_surface_velocity(surface, {-1, 0, 0}).ok());
  EXPECT_FALSE(world.is_asleep(box));
  test::run(world, 60);
  EXPECT_NEAR(to_double(world.linear_velocity(box).z), 1.0, 0.01);
  EXPECT_EQ(world.set_surface_velocity(surface, {1001, 0, 0}).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_surface_velocity(ShapeId{}, {}).error(), PhysicsError::kUnknownShape);
}

// A jammed box on a belt slips in place for ever: it must stay awake, so that it goes on when the way is
// free.
TYPED_TEST(SurfaceTest, WhatABeltCannotMoveStaysAwake) {
  auto world = test::make_world<TypeParam>();
  ShapeDef belt = test::box(50, 0.5, 2);
  belt.surface_velocity_m_s = {1, 0, 0};
  test::add(world, BodyType::kStatic, belt, at(0, -0.5, 0));
  BodyId const gate = test::add(world, BodyType::kStatic, test::box(0.5, 1, 2), at(1.5, 1, 0));
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.3, 0.3, 0.3), at(0.69, 0.3, 0));
  test::run(world, 180);
  EXPECT_FALSE(world.is_asleep(box));
  EXPECT_NEAR(test::metres(world.pose(box).position).x, 0.7, 0.01);
  ASSERT_TRUE(world.destroy_body(gate).ok());
  test::run(world, 60);
  EXPECT_GT(test::metres(world.pose(box).position).x, 1.4);
}

// Momentum: a free cart with a belt on its deck is pushed back by what the belt speeds up, to rounding (and
// to the kept manifold's arms: none turn here).
TYPED_TEST(SurfaceTest, ABeltOnAFreeCartPushesTheCartBack) {
  WorldDef none;
  none.gravity_m_s2 = {0, -5, 0};
  auto world = test::make_world<TypeParam>(none);
  test::add_ground(world, {}, {}, 0.0);
  ShapeDef deck = test::box(4, 0.2, 1);
  deck.friction = 1;
  deck.friction_rule = MixRule::kMinimum;
  deck.surface_velocity_m_s = {1, 0, 0};
  BodyId const cart = test::add(world, BodyType::kDynamic, deck, at(0, 0.2, 0));
  ShapeDef crate = test::box(0.3, 0.3, 0.3);
  crate.friction = 1;
  BodyId const load = test::add(world, BodyType::kDynamic, crate, at(-2, 0.7, 0));
  test::run(world, 60);
  double const pushed = world.mass_kg(load) * to_double(world.linear_velocity(load).x);
  EXPECT_GT(pushed, 0.5 * world.mass_kg(load));
  double const sum = pushed + world.mass_kg(cart) * to_double(world.linear_velocity(cart).x);
  // 240 substeps, two passes, each rounding a velocity of about 0.04 m/s of 6,400 kg.
  EXPECT_NEAR(sum, 0.0, 480 * world.mass_kg(cart) * 0.1 * test::kRounding<TypeParam>);
}

}  // namespace
}  // namespace takt
