#include "physics/joints/joint_ordering.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

struct JointOrderingTest : testing::Test {
  JointScene scene;
  JointOrdering<float> ordering;
  std::vector<BatchedPointJoint> batched;
  BodyId ground = scene.add_body({}, 0.0);
  BodyId a = scene.add_body({1, 0, 0}, 1.0);
  BodyId b = scene.add_body({2, 0, 0}, 1.0);

  void build() { ordering.build(scene.state, scene.bodies(), scene.tick.substep_s, batched); }
};

TEST_F(JointOrderingTest, AGearComesAfterTheJointsThatItCouples) {
  JointId const first = scene.add_joint(revolute_joint(ground, a, {}, {}));
  JointId const second = scene.add_joint(revolute_joint(ground, b, {}, {}));
  scene.add_joint(gear_joint(a, b, first, JointAxis::kAngularX, second, JointAxis::kAngularX, 2.0));
  JointId const last = scene.add_joint(revolute_joint(a, b, {}, {}));
  build();
  ASSERT_EQ(ordering.joints().size(), 4u);
  EXPECT_EQ(ordering.joints()[2].index, last.index);
  EXPECT_EQ(ordering.joints()[3].kind, JointKind::kGear);
  EXPECT_NE(ordering.joints()[3].coupling, kNoIndex);
  EXPECT_EQ(ordering.coupling_count(), 1u);
}

TEST_F(JointOrderingTest, DisabledBrokenAndImmovableJointsDoNotAct) {
  JointId const disabled = scene.add_joint(point_joint(a, b, {}, {}));
  JointId const broken = scene.add_joint(point_joint(a, b, {}, {}));
  JointId const acting = scene.add_joint(point_joint(ground, b, {}, {}));
  JointId const gear =
      scene.add_joint(gear_joint(a, b, disabled, JointAxis::kLinearX, acting, JointAxis::kLinearX, 1.0));
  scene.state.joints[disabled.index].enabled = false;
  scene.state.joints[broken.index].broken = true;
  build();
  EXPECT_FALSE(ordering.acts(disabled.index));
  EXPECT_FALSE(ordering.acts(broken.index));
  EXPECT_FALSE(ordering.acts(gear.index));
  EXPECT_TRUE(ordering.acts(acting.index));
  scene.moving[scene.index_of(b)].dynamic = false;
  build();
  EXPECT_TRUE(ordering.empty());
}

TEST_F(JointOrderingTest, RowsAreContiguousInTheOrderOfElimination) {
  scene.add_joint(weld_joint(ground, a, {}, {}));
  scene.add_joint(revolute_joint(a, b, {}, {}).limit(JointAxis::kAngularX, -1.0, 1.0));
  scene.add_joint(point_joint(ground, b, {}, {}));  // closes a loop over the ground, but not of moving bodies
  build();
  std::uint32_t next = 0;
  for (std::uint32_t const index : ordering.nodes()) {
    EXPECT_EQ(ordering.joints()[index].first_row, next);
    next += ordering.joints()[index].row_count;
  }
  EXPECT_EQ(next, 6u + 5u + 3u);
  EXPECT_EQ(ordering.row_count(), next);
  EXPECT_EQ(ordering.limit_count(), 1u);
}

TEST_F(JointOrderingTest, SpringsAndGearsAreNotSteady) {
  scene.add_joint(point_joint(ground, a, {}, {}));
  scene.add_joint(point_joint(a, b, {}, {}).drive(JointAxis::kAngularX, 0.0, Softness::frequency(2.0, 1.0)));
  build();
  ASSERT_EQ(ordering.joints().size(), 2u);
  EXPECT_TRUE(ordering.joints()[0].is_steady);
  EXPECT_TRUE(ordering.joints()[0].is_point);
  EXPECT_FALSE(ordering.joints()[1].is_steady);
  EXPECT_FALSE(ordering.joints()[1].is_point);
}

TEST_F(JointOrderingTest, AJointWithAMaximumForceStaysOutsideTheTrees) {
  scene.add_joint(target_joint(ground, a, {}, {}, Softness::rigid(), 10.0));
  scene.add_joint(weld_joint(a, b, {}, {}));
  build();
  EXPECT_TRUE(ordering.joints()[0].loop_closing);
  EXPECT_FALSE(ordering.joints()[1].loop_closing);
  EXPECT_EQ(ordering.joints()[1].node, 0u);
}

}  // namespace
}  // namespace takt
