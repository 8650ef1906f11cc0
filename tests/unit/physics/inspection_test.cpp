// A look inside a world: where bodies touch, how hard, and what holds them; and that looking changes nothing.
#include "takt/physics/inspection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;
using test::metres;

template <class Real>
class InspectionTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(InspectionTest, Reals);

TYPED_TEST(InspectionTest, ARestingBoxStandsOnFourPointsThatCarryItsWeight) {
  auto world = test::make_world<TypeParam>();
  BodyId const ground = test::add_ground(world);
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(3, 0.5, -2));
  for (int i = 0; i < 300; ++i) world.step();
  std::uint64_t const hash = world.hash();
  std::vector<ContactView> contacts;
  world.list_contacts(contacts);
  ASSERT_EQ(contacts.size(), 4u);
  double impulse_n_s = 0;
  for (const ContactView& point : contacts) {
    EXPECT_EQ(point.body_a, ground);
    EXPECT_EQ(point.body_b, box);
    EXPECT_NEAR(point.normal.y, 1.0, 1e-6);
    Vec3<double> const position = metres(point.position);
    EXPECT_NEAR(std::abs(position.x - 3), 0.5, 1e-3);
    EXPECT_NEAR(std::abs(position.z + 2), 0.5, 1e-3);
    // Midway between surfaces that overlap by at most what a soft contact sinks, a millimetre or two.
    EXPECT_NEAR(position.y, 0.0, 5e-3);
    EXPECT_LE(std::abs(point.separation_m), 5e-3);
    EXPECT_GT(point.impulse_n_s, 0.0);
    impulse_n_s += point.impulse_n_s;
  }
  // At rest the contacts give in each substep what gravity takes: m g / (60 Hz x 4).
  double const expected_n_s = world.mass_kg(box) * 9.81 / 240;
  EXPECT_NEAR(impulse_n_s, expected_n_s, 0.01 * expected_n_s);
  EXPECT_EQ(world.hash(), hash);
}

TYPED_TEST(InspectionTest, AGrabShowsWhereItPullsAndWhereTo) {
  auto world = test::make_world<TypeParam>();
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(1, 2, 3),
                               test::about_z(90 * test::kDegree));
  ASSERT_TRUE(world.create_grab(box, {0.5, 0, 0}, at(1, 5, 3), 1e5).ok());
  std::vector<GrabView> grabs;
  world.list_grabs(grabs);
  ASSERT_EQ(grabs.size(), 1u);
  EXPECT_EQ(grabs[0].body, box);
  // Its own x points up.
  EXPECT_NEAR(metres(grabs[0].anchor).x, 1.0, 1e-6);
  EXPECT_NEAR(metres(grabs[0].anchor).y, 2.5, 1e-6);
  EXPECT_NEAR(metres(grabs[0].anchor).z, 3.0, 1e-6);
  EXPECT_EQ(grabs[0].target, at(1, 5, 3));
  EXPECT_NEAR(grabs[0].rotation.z, std::sin(45 * test::kDegree), 1e-6);
}

TYPED_TEST(InspectionTest, WhatIsGoneIsNotShown) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
  GrabId const grab = world.create_grab(box, {0, 0, 0}, at(0, 1, 0), 1.0).value();
  for (int i = 0; i < 5; ++i) world.step();
  std::vector<ContactView> contacts;
  std::vector<GrabView> grabs;
  world.list_contacts(contacts);
  world.list_grabs(grabs);
  EXPECT_EQ(contacts.size(), 4u);
  EXPECT_EQ(grabs.size(), 1u);
  ASSERT_TRUE(world.destroy_grab(grab).ok());
  ASSERT_TRUE(world.destroy_body(box).ok());
  world.list_contacts(contacts);
  world.list_grabs(grabs);
  EXPECT_TRUE(contacts.empty());
  EXPECT_TRUE(grabs.empty());
}

}  // namespace
}  // namespace takt
