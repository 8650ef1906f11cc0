#include "physics/joints/joint_equality.h"

#include <gtest/gtest.h>

#include "joint_scene.h"
#include "physics/base/solver_constants.h"

namespace takt {
namespace {

struct JointEqualityTest : testing::Test, ScalarJoints {
  /// Velocity of the anchor at `arm` from the body's centre.
  [[nodiscard]] Vec3<double> velocity_at(BodyId id, Vec3<double> arm) {
    return velocity_of(id).linear + cross(velocity_of(id).angular, arm);
  }
};

TEST_F(JointEqualityTest, OnePassOverAChainStopsAllAnchors) {
  constexpr int kLinks = 30;
  BodyId const ground = scene.add_body({0, 0, 0}, 0.0);
  std::vector<BodyId> links;
  for (int i = 0; i < kLinks; ++i) {
    links.push_back(scene.add_body({1.0 + i, 0, 0}, i % 2 == 0 ? 1.0 : 50.0, 0.1));
    scene.add_joint(point_joint(i == 0 ? ground : links[static_cast<std::size_t>(i) - 1], links.back(),
                                frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0})));
    scene.set_velocity(links.back(), {0.1 * i, -1.0, 0.3}, {0.0, 0.2, 1.0});
  }
  build();
  ASSERT_EQ(trees.size(), 1u);
  solve_equality(false);
  EXPECT_LT(length(velocity_at(links[0], {-0.5, 0, 0})), 1e-5);
  for (std::size_t i = 1; i < links.size(); ++i) {
    EXPECT_LT(length(velocity_at(links[i], {-0.5, 0, 0}) - velocity_at(links[i - 1], {0.5, 0, 0})), 1e-5)
        << i;
  }
  EXPECT_GT(length(velocity_at(links.back(), {0.5, 0, 0})), 0.1);  // the free end still moves
}

TEST_F(JointEqualityTest, PointRowsAndGeneralRowsGiveTheSameVelocities) {
  BodyId bodies[2][2];
  for (int pair = 0; pair < 2; ++pair) {
    for (int i = 0; i < 2; ++i) {
      bodies[pair][i] = scene.add_body({1.0 * i, 10.0 * pair, 0}, 1.0 + i, 0.5);
      scene.set_velocity(bodies[pair][i], {0.5, 2.0 * i, -1.0}, {0.1, 0.2 * i, 0.3});
    }
    JointDef def =
        point_joint(bodies[pair][0], bodies[pair][1], frame_at({0.5, 0.2, 0}), frame_at({-0.5, 0.2, 0}));
    if (pair == 1) def.max_force_n = 1e9;  // a general joint outside the trees; never reached
    scene.add_joint(def);
  }
  build();
  ASSERT_TRUE(ordering.joints()[0].is_point);
  ASSERT_FALSE(ordering.joints()[1].is_point);
  solve_equality(false);
  for (int i = 0; i < 2; ++i) {
    VelocityOf<double> const point = velocity_of(bodies[0][i]);
    VelocityOf<double> const general = velocity_of(bodies[1][i]);
    EXPECT_LT(length(point.linear - general.linear), 1e-6);
    EXPECT_LT(length(point.angular - general.angular), 1e-6);
    EXPECT_NE(point.linear.y, 2.0 * i);
  }
}

TEST_F(JointEqualityTest, AWeldKeepsMomentum) {
  BodyId const a = scene.add_body({0, 0, 0}, 2.0, 0.5);
  BodyId const b = scene.add_body({1, 0, 0}, 5.0, 1.5);
  scene.add_joint(weld_joint(a, b, frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0})));
  scene.set_velocity(a, {0, 3, 1}, {1, 2, 0});
  scene.set_velocity(b, {-1, 0, 0}, {0, -1, 4});
  build();
  auto const momentum = [&] {
    VelocityOf<double> const va = velocity_of(a);
    VelocityOf<double> const vb = velocity_of(b);
    return std::pair(va.linear * 2.0 + vb.linear * 5.0,
                     va.angular * 0.5 + vb.angular * 1.5 + cross(Vec3<double>{1, 0, 0}, vb.linear * 5.0));
  };
  auto const before = momentum();
  solve_equality(false);
  auto const after = momentum();
  EXPECT_LT(length(after.first - before.first), 1e-5);
  EXPECT_LT(length(after.second - before.second), 1e-5);
  VelocityOf<double> const va = velocity_of(a);
  VelocityOf<double> const vb = velocity_of(b);
  EXPECT_LT(length(va.angular - vb.angular), 1e-5);
}

TEST_F(JointEqualityTest, DriftCorrectionSpeedsNoBodyUpBeyondTheMaximum) {
  BodyId const ground = scene.add_body({0, 0, 0}, 0.0);
  BodyId const a = scene.add_body({100, 0, 0}, 1.0);
  scene.add_joint(point_joint(ground, a, {}, {}));
  build();
  solve_equality(true);
  double const speed = length(velocity_of(a).linear);
  EXPECT_GT(speed, 1.0);
  EXPECT_LE(speed, kJointPushMax * 1.0001);
}

TEST_F(JointEqualityTest, AMaximumForceLimitsTheImpulse) {
  BodyId const ground = scene.add_body({0, 0, 0}, 0.0);
  BodyId const a = scene.add_body({0, 0, 0}, 1.0);
  scene.add_joint(target_joint(ground, a, {}, {}, Softness::rigid(), 24.0));
  scene.set_velocity(a, {10, 0, 0}, {});
  build();
  solve_equality(false);
  // 24 N for 1/240 s on 1 kg.
  EXPECT_NEAR(velocity_of(a).linear.x, 9.9, 1e-5);
}

}  // namespace
}  // namespace takt
