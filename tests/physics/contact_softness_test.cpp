// Contacts of soft materials: springs of the contact as a whole.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "simple_world.h"

namespace takt::test {
namespace {

template <class Real>
class ContactSoftnessTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ContactSoftnessTest, Reals);

constexpr double kGravity = 9.81;

/// A shape over a pad whose top is at y = 0; how far it has sunk in after `seconds`, m, from a start that
/// touches.
template <class Real>
double depth_after(ShapeDef shape, double half_height, const Softness& of_shape, const Softness& of_pad,
                   int seconds) {
  World<Real> world = make_world<Real>(WorldDef{});
  ShapeDef pad[] = {box(5, 1, 5)};
  pad[0].contact_softness = of_pad;
  add(world, body(BodyType::kStatic, pad, at(0, -1, 0)));
  ShapeDef shapes[] = {shape};
  shapes[0].contact_softness = of_shape;
  BodyId const id = add(world, body(BodyType::kDynamic, shapes, at(0, half_height, 0)));
  run(world, 60 * seconds);
  return half_height - metres(world.center_of_mass(id)).y;
}

TYPED_TEST(ContactSoftnessTest, ABodySinksByItsWeightOverTheStiffness) {
  Softness const spring = Softness::spring(20000.0, 800.0);
  double const ball = depth_after<TypeParam>(sphere(0.25), 0.25, {}, spring, 10);
  double const ball_kg = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.25 * 0.25 * 0.25;
  EXPECT_NEAR(ball, ball_kg * kGravity / 20000.0, 0.005 * ball);
  // A box rests on four points: they share the spring.
  double const crate = depth_after<TypeParam>(box(0.25, 0.25, 0.25), 0.25, {}, spring, 10);
  EXPECT_NEAR(crate, 125.0 * kGravity / 20000.0, 0.005 * crate);
  // A frequency is that of the body on the spring: g / w^2.
  double const tuned = depth_after<TypeParam>(sphere(0.25), 0.25, {}, Softness::frequency(3.0, 1.0), 10);
  EXPECT_NEAR(tuned, kGravity / std::pow(2.0 * 3.14159265358979 * 3.0, 2.0), 0.005 * tuned);
}

TYPED_TEST(ContactSoftnessTest, OfTwoTheSofterCounts) {
  Softness const soft = Softness::spring(20000.0, 800.0);
  Softness const hard = Softness::spring(80000.0, 1600.0);
  double const one = depth_after<TypeParam>(sphere(0.25), 0.25, soft, hard, 10);
  EXPECT_EQ(one, depth_after<TypeParam>(sphere(0.25), 0.25, hard, soft, 10));
  EXPECT_EQ(one, depth_after<TypeParam>(sphere(0.25), 0.25, {}, soft, 10));
  EXPECT_LT(depth_after<TypeParam>(sphere(0.25), 0.25, {}, hard, 10), 0.3 * one);
  EXPECT_LT(depth_after<TypeParam>(sphere(0.25), 0.25, {}, {}, 10), 0.005);
}

TYPED_TEST(ContactSoftnessTest, ABallSwingsOnAMattressAtItsFrequency) {
  WorldDef def;
  def.allow_sleep = false;
  World<TypeParam> world = make_world<TypeParam>(def);
  ShapeDef pad[] = {box(5, 1, 5)};
  pad[0].contact_softness = Softness::frequency(1.0, 0.0);
  add(world, body(BodyType::kStatic, pad, at(0, -1, 0)));
  ShapeDef ball[] = {sphere(0.5)};
  // Released above its rest depth, g / w^2 = 0.2485 m, by less than that depth: the body stays in touch.
  BodyId const id = add(world, body(BodyType::kDynamic, ball, at(0, 0.4, 0)));
  double before = 0.0;
  double first = 0.0;
  double last = 0.0;
  int crossings = 0;
  for (int tick = 1; tick <= 600; ++tick) {
    (void)world.step();
    double const speed = to_double(world.linear_velocity(id).y);
    if (before < 0.0 && speed >= 0.0) {  // the lowest point
      double const when = (tick - speed / (speed - before)) / 60.0;
      if (crossings == 0) first = when;
      last = when;
      ++crossings;
    }
    before = speed;
  }
  ASSERT_GE(crossings, 5);
  // Implicit Euler of a substep of 1/240 s damps it and slows it by (h w)^2 / 3 = 0.02 %.
  EXPECT_NEAR((last - first) / (crossings - 1), 1.0, 0.005);
}

TYPED_TEST(ContactSoftnessTest, LanesAndRestoringChangeNothing) {
  auto const build = [] {
    World<TypeParam> world = make_world<TypeParam>(WorldDef{});
    ShapeDef ground[] = {box(20, 1, 20)};
    add(world, body(BodyType::kStatic, ground, at(0, -1, 0)));
    for (int i = 0; i < 40; ++i) {
      ShapeDef shape[] = {i % 3 == 0 ? sphere(0.3) : box(0.3, 0.2, 0.25)};
      if (i % 2 == 0) shape[0].contact_softness = Softness::spring(30000.0, 300.0 + i);
      if (i % 5 == 0) shape[0].restitution = 0.4;
      add(world, body(BodyType::kDynamic, shape, at(0.35 * (i % 7), 0.5 + 0.4 * i, 0.2 * (i % 3))));
    }
    return world;
  };
  World<TypeParam> plain = build();
  World<TypeParam> wide = build();
  World<TypeParam> restored = build();
  StepOptions one;
  one.lanes = 1;
  StepOptions eight;
  eight.lanes = 8;
  for (int i = 0; i < 240; ++i) {
    (void)plain.step(one);
    (void)wide.step(eight);
    (void)restored.step();
    restored = World<TypeParam>::restore(restored.save()).value();
    ASSERT_EQ(plain.hash(), wide.hash()) << i;
    ASSERT_EQ(plain.hash(), restored.hash()) << i;
  }
}

TYPED_TEST(ContactSoftnessTest, BadSoftnessIsRefused) {
  World<TypeParam> world = make_world<TypeParam>(WorldDef{});
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (Softness const& bad :
       {Softness::spring(-1.0, 1.0), Softness::spring(0.0, 0.0), Softness::frequency(nan, 1.0),
        Softness::frequency(0.0, 1.0), Softness::beta_gamma(2.0, 0.0), Softness::erp_cfm(0.2, -1.0)}) {
    ShapeDef shape[] = {sphere(0.5)};
    shape[0].contact_softness = bad;
    auto const made = world.create_body(body(BodyType::kDynamic, shape, at(0, 0, 0)));
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error(), PhysicsError::kOutOfRange);
  }
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  EXPECT_TRUE(bodies.empty());
}

}  // namespace
}  // namespace takt::test
