// Sums of velocity changes by body (physics/joints/joint_bodies.h).
#include <gtest/gtest.h>

#include <array>

#include "joint_scene.h"

namespace takt {
namespace {

struct VelocityChangesTest : testing::Test {
  JointScene scene;
  VelocityChanges changes;
  std::uint32_t first = scene.index_of(scene.add_body({}, 1.0));
  std::uint32_t second = scene.index_of(scene.add_body({1, 0, 0}, 1.0));
  std::array<std::uint32_t, 2> used{first, second};

  VelocityChangesTest() { changes.reset(scene.solver.size(), used); }
  VelocityOf<double> velocity_of(std::uint32_t body) { return scene.bodies().velocity_of(body); }
};

TEST_F(VelocityChangesTest, ChangesOfOneBodyAddUp) {
  changes.add(first, {{1, 2, 3}, {4, 5, 6}});
  changes.add(first, {{10, 20, 30}, {40, 50, 60}});
  changes[first].linear -= Vec3<double>{1, 1, 1};
  EXPECT_EQ(changes[first].linear, (Vec3<double>{10, 21, 32}));
  EXPECT_EQ(changes[first].angular, (Vec3<double>{44, 55, 66}));
  EXPECT_EQ(changes[second].linear, Vec3<double>{});
  EXPECT_EQ(changes[second].angular, Vec3<double>{});
  // A sum does not move its body.
  EXPECT_EQ(velocity_of(first).linear, Vec3<double>{});
}

TEST_F(VelocityChangesTest, ASumMovesItsOwnBodyOnce) {
  scene.bodies().add_velocity(first, {{1, 0, 0}, {0, 1, 0}});
  changes.add(first, {{0.5, 0.25, 0}, {0, 0, 2}});
  changes.add(second, {{0, 0, 8}, {}});
  changes.apply(scene.bodies(), first);
  changes.apply(scene.bodies(), first);
  EXPECT_EQ(velocity_of(first).linear, (Vec3<double>{1.5, 0.25, 0}));
  EXPECT_EQ(velocity_of(first).angular, (Vec3<double>{0, 1, 2}));
  EXPECT_EQ(velocity_of(second).linear, Vec3<double>{});
  EXPECT_EQ(changes[second].linear, (Vec3<double>{0, 0, 8}));
}

TEST_F(VelocityChangesTest, AVelocityIsRoundedOnceForAllChanges) {
  // An ulp of 1 is 2^-23. Each change is a quarter of it and would be lost; three of them round up.
  scene.bodies().add_velocity(first, {{1, 0, 0}, {1, 0, 0}});
  scene.bodies().add_velocity(second, {{1, 0, 0}, {}});
  for (int i = 0; i < 3; ++i) {
    changes.add(first, {{0x1p-25, 0, 0}, {0x1p-25, 0, 0}});
    changes.add(second, {{0x1p-25, 0, 0}, {}});
    changes.apply(scene.bodies(), second);
  }
  changes.apply(scene.bodies(), first);
  EXPECT_EQ(velocity_of(first).linear.x, 1.0 + 0x1p-23);
  EXPECT_EQ(velocity_of(first).angular.x, 1.0 + 0x1p-23);
  EXPECT_EQ(velocity_of(second).linear.x, 1.0);
}

TEST_F(VelocityChangesTest, ChangesAreAddedInTheOrderOfTheCalls) {
  // 1 is less than half an ulp of 2^54: the order decides if it is lost.
  changes.add(first, {{0x1p54, 0, 0}, {}});
  changes.add(first, {{1, 0, 0}, {}});
  changes.add(first, {{-0x1p54, 0, 0}, {}});
  EXPECT_EQ(changes[first].linear.x, 0.0);
  changes.add(second, {{0x1p54, 0, 0}, {}});
  changes.add(second, {{-0x1p54, 0, 0}, {}});
  changes.add(second, {{1, 0, 0}, {}});
  EXPECT_EQ(changes[second].linear.x, 1.0);
}

TEST_F(VelocityChangesTest, ClearForgetsTheSumOfOneBody) {
  changes.add(first, {{1, 2, 3}, {4, 5, 6}});
  changes.add(second, {{1, 2, 3}, {4, 5, 6}});
  changes.clear(first);
  changes.apply(scene.bodies(), first);
  changes.apply(scene.bodies(), second);
  EXPECT_EQ(velocity_of(first).linear, Vec3<double>{});
  EXPECT_EQ(velocity_of(first).angular, Vec3<double>{});
  EXPECT_EQ(velocity_of(second).linear, (Vec3<double>{1, 2, 3}));
}

TEST_F(VelocityChangesTest, BodyZeroCollectsChangesAndNeverMoves) {
  changes.add(0, {{1, 2, 3}, {4, 5, 6}});
  changes.apply(scene.bodies(), 0);
  EXPECT_EQ(velocity_of(0).linear, Vec3<double>{});
  EXPECT_EQ(velocity_of(0).angular, Vec3<double>{});
  changes.reset(scene.solver.size(), used);
  EXPECT_EQ(changes[0].linear, Vec3<double>{});
  EXPECT_EQ(changes[0].angular, Vec3<double>{});
}

TEST_F(VelocityChangesTest, ResetForgetsTheLastTickAndMakesRoom) {
  changes.add(first, {{1, 2, 3}, {4, 5, 6}});
  changes.add(second, {{1, 2, 3}, {4, 5, 6}});
  std::uint32_t const third = scene.index_of(scene.add_body({2, 0, 0}, 1.0));
  changes.reset(scene.solver.size(), std::array{second, first, third});
  changes.add(third, {{0, 7, 0}, {}});
  for (std::uint32_t const body : {first, second, third}) changes.apply(scene.bodies(), body);
  EXPECT_EQ(velocity_of(first).linear, Vec3<double>{});
  EXPECT_EQ(velocity_of(second).angular, Vec3<double>{});
  EXPECT_EQ(velocity_of(third).linear, (Vec3<double>{0, 7, 0}));
}

TEST_F(VelocityChangesTest, FixedVelocitiesAreRoundedOnceToo) {
  // An ulp of Fixed is 2^-32.
  JointSceneOf<Fixed> fixed;
  std::uint32_t const body = fixed.index_of(fixed.add_body({}, 1.0));
  changes.reset(fixed.solver.size(), std::array{body});
  for (int i = 0; i < 3; ++i) changes.add(body, {{0x1p-34, 0, 0}, {0, -0x1p-34, 0}});
  changes.apply(fixed.bodies(), body);
  EXPECT_EQ(fixed.bodies().velocity_of(body).linear.x, 0x1p-32);
  EXPECT_EQ(fixed.bodies().velocity_of(body).angular.y, -0x1p-32);
}

}  // namespace
}  // namespace takt
