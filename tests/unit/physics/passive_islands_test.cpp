// Passive islands: contacts that add energy lose it, contacts that take energy do not, momentum in flight
// stays.
#include "physics/contact_solver/passive_islands.h"

#include <gtest/gtest.h>

#include "mass_ratio_test_scene.h"

namespace takt {
namespace {

class PassiveIslandsTest : public testing::Test {
 protected:
  /// One substep whose only pass changes velocities along x by `changes`, by body from 1 on.
  void pass(std::initializer_list<float> changes) {
    MassRatioInput<float> const input = scene.input();
    ContactLoads loads;
    ASSERT_TRUE(loads.find(input));
    PassiveIslands<float> islands;
    islands.find(input, loads);
    islands.begin_substep();
    islands.begin_pass(scene.bodies, nullptr);
    std::size_t body = 1;
    for (float const change : changes) scene.bodies[body++].linear_velocity[0] += change;
    islands.end_pass(scene.bodies, nullptr);
    islands.end_substep(scene.bodies, nullptr);
  }
  double speed(std::uint32_t body) const {
    return static_cast<double>(scene.bodies[body].linear_velocity[0]);
  }

  /// Connects the set of a body with one a hundred times as heavy, which makes it unequal.
  void make_unequal(std::uint32_t body) {
    scene.touch(body, scene.add_body(100.0f / scene.masses[body].inverse_mass), test::MassRatioScene::kUp, 0);
  }

  test::MassRatioScene scene;
};

TEST_F(PassiveIslandsTest, WorkThatIsTakenStays) {
  std::uint32_t const a = scene.add_body(1);
  std::uint32_t const b = scene.add_body(1);
  scene.touch(a, b, test::MassRatioScene::kAside, 1);
  scene.bodies[a].linear_velocity[0] = 2.0f;
  make_unequal(b);
  pass({-1.0f, 1.0f});
  EXPECT_EQ(speed(a), 1.0);
  EXPECT_EQ(speed(b), 1.0);
}

TEST_F(PassiveIslandsTest, InFlightTheEnergyAndTheMomentumAreThoseBefore) {
  std::uint32_t const a = scene.add_body(1);
  std::uint32_t const b = scene.add_body(3);
  scene.touch(a, b, test::MassRatioScene::kAside, 1);
  scene.bodies[a].linear_velocity[0] = 2.0f;
  make_unequal(b);
  pass({-6.0f, 2.0f});  // 2 J become 14 J
  EXPECT_NEAR(speed(a) * speed(a) + 3 * speed(b) * speed(b), 4.0, 1e-5);
  EXPECT_NEAR(speed(a) + 3 * speed(b), 2.0, 1e-6);
  EXPECT_LT(speed(a), speed(b)) << "they still part";
}

TEST_F(PassiveIslandsTest, OnTheGroundAllVelocitiesShrinkAlike) {
  std::uint32_t const a = scene.add_body(1);
  std::uint32_t const b = scene.add_body(1);
  scene.touch(0, a, test::MassRatioScene::kUp, 1);
  scene.touch(a, b, test::MassRatioScene::kAside, 1);
  scene.bodies[a].linear_velocity[0] = 1.0f;
  make_unequal(b);
  pass({-4.0f, 4.0f});
  EXPECT_NEAR(speed(a) * speed(a) + speed(b) * speed(b), 1.0, 1e-5);
  EXPECT_NEAR(speed(a) / speed(b), -3.0 / 4.0, 1e-6);
}

TEST_F(PassiveIslandsTest, ABeltMayDrive) {
  std::uint32_t const a = scene.add_body(1);
  scene.touch(0, a, test::MassRatioScene::kUp, 1);
  scene.contacts[0].slide = {1.0f, 0.0f, 0.0f};
  make_unequal(a);
  pass({1.0f});
  EXPECT_EQ(speed(a), 1.0);
}

TEST_F(PassiveIslandsTest, ARopeMayDrive) {
  std::uint32_t const a = scene.add_body(1);
  scene.touch(0, a, test::MassRatioScene::kUp, 1);
  make_unequal(a);
  scene.external.resize(3);
  scene.external[a].source = LoadSource::kUnknown;
  pass({1.0f});
  EXPECT_EQ(speed(a), 1.0);
}

TEST_F(PassiveIslandsTest, ContactsMayPayForWhatAJointTakes) {
  // The warm start pays 2 m/s, which a joint takes back before the biased pass; a ball beside it rolls on.
  std::uint32_t const plate = scene.add_body(1);
  std::uint32_t const ball = scene.add_body(1);
  scene.touch(0, plate, test::MassRatioScene::kUp, 1);
  scene.touch(plate, ball, test::MassRatioScene::kUp, 1);
  make_unequal(ball);
  scene.bodies[ball].linear_velocity[0] = 1.0f;
  MassRatioInput<float> const input = scene.input();
  ContactLoads loads;
  ASSERT_TRUE(loads.find(input));
  PassiveIslands<float> islands;
  islands.find(input, loads);
  islands.begin_substep();
  islands.begin_pass(scene.bodies, nullptr);
  scene.bodies[plate].linear_velocity[0] = 2.0f;
  islands.end_pass(scene.bodies, nullptr);
  scene.bodies[plate].linear_velocity[0] = 0.0f;
  islands.begin_pass(scene.bodies, nullptr);
  islands.end_pass(scene.bodies, nullptr);
  islands.end_substep(scene.bodies, nullptr);
  EXPECT_EQ(speed(ball), 1.0);
}

}  // namespace
}  // namespace takt
