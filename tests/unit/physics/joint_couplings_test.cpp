#include "physics/joints/joint_couplings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "joint_scene.h"

namespace takt {
namespace {

struct JointCouplingsTest : testing::Test, ScalarJoints {
  BodyId ground = scene.add_body({}, 0.0);
};

TEST_F(JointCouplingsTest, AGearTiesTheSpeedsOfTwoHinges) {
  BodyId const a = scene.add_body({0, 0, 0}, 1.0, 1.0);
  BodyId const b = scene.add_body({3, 0, 0}, 1.0, 4.0);
  JointId const first = scene.add_joint(revolute_joint(ground, a, {}, {}));
  JointId const second = scene.add_joint(revolute_joint(ground, b, frame_at({3, 0, 0}), {}));
  scene.add_joint(gear_joint(a, b, first, JointAxis::kAngularX, second, JointAxis::kAngularX, 2.0));
  scene.set_velocity(a, {}, {5, 0, 0});
  build();
  solve_limits(false);
  double const speed_a = velocity_of(a).angular.x;
  double const speed_b = velocity_of(b).angular.x;
  EXPECT_NEAR(speed_a + 2.0 * speed_b, 0.0, 1e-5);
  // The impulse on b is twice that on a: I_a dw_a = L and I_b dw_b = 2 L.
  EXPECT_NEAR(4.0 * speed_b, 2.0 * (speed_a - 5.0), 1e-4);
  EXPECT_LT(speed_b, -0.1);
}

TEST_F(JointCouplingsTest, SidesOfOneBodyAreAddedUp) {
  BodyId const carrier = scene.add_body({0, 0, 0}, 1.0);
  BodyId const a = scene.add_body({1, 0, 0}, 1.0);
  BodyId const b = scene.add_body({2, 0, 0}, 1.0);
  JointId const first = scene.add_joint(revolute_joint(carrier, a, {}, {}));
  JointId const second = scene.add_joint(revolute_joint(carrier, b, {}, {}));
  scene.add_joint(gear_joint(a, b, first, JointAxis::kAngularX, second, JointAxis::kAngularX, 1.0));
  build();
  EXPECT_EQ(couplings.row_of(ordering.joints().back()).side_count, 3u);
}

// Rounding left a mobility of 1e-17, and the gear a torque of 1e2 N m and more without any load.
TEST_F(JointCouplingsTest, PartsOfOneBodyThatCancelOutLeaveNoMobility) {
  BodyId const a = scene.add_body({0, 0, 0}, 1.0);
  BodyId const b = scene.add_body({2, 0, 0}, 1.0);
  double const angle = 0.3;
  JointFrame on_a = frame_at({1.2, 0.1, 0.3});
  on_a.rotation = {0, std::sin(angle / 2), 0, std::cos(angle / 2)};
  JointFrame on_b = frame_at({-0.8, 0.1, 0.3});
  on_b.rotation = on_a.rotation;
  JointId const there = scene.add_joint(revolute_joint(a, b, on_a, on_b));
  JointId const back = scene.add_joint(revolute_joint(b, a, on_b, on_a));
  scene.add_joint(gear_joint(a, b, there, JointAxis::kAngularX, back, JointAxis::kAngularX, 1.0 + 1e-12));
  scene.set_velocity(a, {}, {5, 0, 0});
  build();
  EXPECT_EQ(couplings.row_of(ordering.joints().back()).mobility, 0.0);
}

struct PulleyTest : JointCouplingsTest {
  BodyId a = scene.add_body({0, 0, 0}, 1.0);
  BodyId b = scene.add_body({2, 0, 0}, 1.0);
  void add_pulley(double length_m) {
    JointDef def = pulley_joint(a, b, {}, {}, Position::from_metres(0, 5, 0), Position::from_metres(2, 5, 0),
                                length_m, 1.0);
    scene.add_joint(def);
  }
};

TEST_F(PulleyTest, ATautPulleyLiftsOneBodyByTheFallOfTheOther) {
  add_pulley(10.0);
  scene.set_velocity(a, {0, -4, 0}, {});
  build();
  solve_limits(false);
  EXPECT_NEAR(velocity_of(a).linear.y, -2.0, 1e-5);
  EXPECT_NEAR(velocity_of(b).linear.y, 2.0, 1e-5);
}

TEST_F(PulleyTest, APulleyNeverPushes) {
  add_pulley(10.0);
  scene.set_velocity(a, {0, 4, 0}, {});
  build();
  solve_limits(false);
  EXPECT_NEAR(velocity_of(a).linear.y, 4.0, 1e-6);
  EXPECT_EQ(couplings.row_of(ordering.joints()[0]).impulse, 0.0);
}

TEST_F(PulleyTest, ASlackPulleyAllowsTheRopeToTighten) {
  add_pulley(10.01);
  scene.set_velocity(a, {0, -10, 0}, {});
  build();
  solve_limits(false);
  double const lengthening = -velocity_of(a).linear.y - velocity_of(b).linear.y;
  EXPECT_NEAR(lengthening, 0.01 / scene.tick.substep_s, 1e-3);
}

TEST_F(PulleyTest, AnEndThatReachesItsWheelLeavesTheLoadToTheOther) {
  JointDef const def = pulley_joint(a, b, {}, {}, Position::from_metres(0, 5, 0),
                                    Position::from_metres(2, 0.01, 0), 5.01, 1.0);
  scene.add_joint(def);
  scene.set_velocity(a, {0, -4, 0}, {});
  scene.set_velocity(b, {0, 4, 0}, {});  // 17 mm in this substep
  build();
  solve_limits(false);
  EXPECT_NEAR(velocity_of(a).linear.y, 0.0, 1e-5);
  EXPECT_NEAR(velocity_of(b).linear.y, 4.0, 1e-5);
}

}  // namespace
}  // namespace takt
