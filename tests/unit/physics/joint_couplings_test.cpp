#include "physics/joints/joint_couplings.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace takt
