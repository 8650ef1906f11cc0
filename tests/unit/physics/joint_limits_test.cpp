#include "physics/joints/joint_limits.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

/// A hinge about the x axis between the ground and a body of 1 kg m^2.
struct JointLimitsTest : testing::Test, ScalarJoints {
  BodyId ground = scene.add_body({}, 0.0);
  BodyId wheel = scene.add_body({}, 1.0);
  double const h = scene.tick.substep_s;

  JointDef hinge() { return revolute_joint(ground, wheel, {}, {}); }
  void turn_wheel(double angle, double speed) {
    scene.moving[1].rotation = {static_cast<float>(__builtin_sin(angle / 2)), 0.0f, 0.0f,
                                static_cast<float>(__builtin_cos(angle / 2))};
    scene.set_velocity(wheel, {}, {speed, 0, 0});
  }
  double speed() { return velocity_of(wheel).angular.x; }
};

TEST_F(JointLimitsTest, AStrongMotorReachesItsSpeedInOnePass) {
  scene.add_joint(hinge().motor(JointAxis::kAngularX, 3.0, 1e6));
  build();
  solve_limits(false);
  EXPECT_NEAR(speed(), 3.0, 1e-5);
}

TEST_F(JointLimitsTest, AWeakMotorGivesItsMaximumOnceHoweverManyPasses) {
  scene.add_joint(hinge().motor(JointAxis::kAngularX, 3.0, 24.0));
  build();
  for (int i = 0; i < 5; ++i) solve_limits(false);
  EXPECT_NEAR(speed(), 24.0 * h, 1e-6);
  EXPECT_NEAR(limits.rows()[0].impulse, 24.0 * h, 1e-12);
}

TEST_F(JointLimitsTest, FrictionStopsButDoesNotReverse) {
  scene.add_joint(hinge().friction(JointAxis::kAngularX, 24.0));
  turn_wheel(0.0, 0.05);
  build();
  solve_limits(false);
  EXPECT_NEAR(speed(), 0.0, 1e-6);
}

TEST_F(JointLimitsTest, ALimitStopsTheApproachAtItsBoundOnly) {
  scene.add_joint(hinge().limit(JointAxis::kAngularX, -1.0, 0.5));
  turn_wheel(0.49, 10.0);
  build();
  solve_limits(false);
  EXPECT_NEAR(speed(), 0.01 / h, 1e-3);  // the remaining 0.01 rad within a substep
  EXPECT_LT(limits.rows()[0].impulse, 0.0);
}

TEST_F(JointLimitsTest, ALimitDoesNotPullBackWhatLeavesIt) {
  scene.add_joint(hinge().limit(JointAxis::kAngularX, -1.0, 0.5));
  turn_wheel(0.6, -2.0);
  build();
  solve_limits(false);
  EXPECT_NEAR(speed(), -2.0, 1e-6);
  EXPECT_EQ(limits.rows()[0].impulse, 0.0);
}

TEST_F(JointLimitsTest, TheBiasedPassPushesBackWhatHasPassedItsBound) {
  scene.add_joint(hinge().limit(JointAxis::kAngularX, -1.0, 0.5));
  turn_wheel(0.6, 0.0);
  build();
  solve_limits(true);
  EXPECT_LT(speed(), -0.1);
}

TEST_F(JointLimitsTest, ASoftLimitDoesNothingBeforeItsBound) {
  scene.add_joint(hinge().limit(JointAxis::kAngularX, -1.0, 0.5, Softness::spring(1000.0, 10.0)));
  turn_wheel(0.49, 10.0);
  build();
  solve_limits(true);
  EXPECT_NEAR(speed(), 10.0, 1e-5);
}

TEST_F(JointLimitsTest, ARowAlongALockedDirectionIsInactive) {
  JointDef def = weld_joint(ground, wheel, {}, {});
  def.motor(JointAxis::kDistance, 1.0, 100.0);
  scene.add_joint(def);
  build();
  ASSERT_EQ(limits.rows().size(), 1u);
  EXPECT_EQ(limits.rows()[0].mobility, 0.0);
  solve_limits(false);
  EXPECT_EQ(limits.rows()[0].impulse, 0.0);
}

}  // namespace
}  // namespace takt
