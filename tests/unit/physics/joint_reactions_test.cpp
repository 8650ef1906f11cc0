#include "physics/joints/joint_reactions.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

struct JointReactionsPartTest : testing::Test, ScalarJoints {
  JointReactions<float> reactions;
  JointPartition<float> partition;
  TreeBatches<float> tree_batches;
  PointJointBatches<float> point_batches;
  std::vector<JointId> broken;
  BodyId ground = scene.add_body({}, 0.0);
  BodyId load = scene.add_body({0, -1, 0}, 2.0);

  /// Hangs the load on `def`, with gravity of 10 m/s^2 for one tick, and stores the reactions.
  JointId hang(JointDef def) {
    JointId const joint = scene.add_joint(def);
    build();
    reactions.begin_tick(ordering.joints().size(), scene.tick.substeps);
    partition.build(scene.state, ordering, inertias, {}, source(), 1, {}, tree_batches);
    for (std::uint32_t i = 0; i < scene.tick.substeps; ++i) {
      for (EqualityJoint& row : equality.joints()) row.point.impulse = {};
      for (EqualityRow& row : equality.rows()) row.impulse = 0.0;
      scene.set_velocity(load, {0, -10.0 * scene.tick.substep_s, 0}, {});
      solve_equality(false);
      bool const last = reactions.end_substep(ordering, partition, equality, limits, couplings);
      EXPECT_EQ(last, i + 1 == scene.tick.substeps);
    }
    reactions.store(scene.state, scene.tick.substep_s * scene.tick.substeps, ordering, equality, limits,
                    couplings, point_batches, broken);
    return joint;
  }
  TreeSource source() {
    return {ordering.forest(), equality.pattern(), ordering.joints(), equality.joints(),
            equality.rows(),   limits.rows(),      reactions.sums()};
  }
};

TEST_F(JointReactionsPartTest, APointJointReportsTheWeight) {
  JointId const joint = hang(point_joint(ground, load, frame_at({0, -1, 0}), {}));
  EXPECT_NEAR(scene.state.joints[joint.index].force.y, 20.0, 1e-3);
  EXPECT_NEAR(scene.state.joints[joint.index].force.x, 0.0, 1e-6);
  EXPECT_TRUE(broken.empty());
}

TEST_F(JointReactionsPartTest, AWeldReportsTheTorqueAboutTheAnchorOfB) {
  // The anchor is 1 m beside the centre of the load: 20 N at an arm of 1 m.
  JointId const joint = hang(weld_joint(ground, load, frame_at({1, -1, 0}), frame_at({1, 0, 0})));
  EXPECT_NEAR(scene.state.joints[joint.index].force.y, 20.0, 1e-3);
  EXPECT_NEAR(absolute(scene.state.joints[joint.index].torque.z), 20.0, 1e-3);
}

TEST_F(JointReactionsPartTest, AJointBreaksAboveItsForceAndForgetsItsImpulse) {
  JointDef def = point_joint(ground, load, frame_at({0, -1, 0}), {});
  def.break_force_n = 19.0;
  JointId const joint = hang(def);
  EXPECT_EQ(broken, std::vector<JointId>{joint});
  EXPECT_TRUE(scene.state.joints[joint.index].broken);
  EXPECT_EQ(scene.state.joints[joint.index].impulses, (std::array<double, 6>{}));
}

TEST_F(JointReactionsPartTest, AJointBelowItsBreakForceStaysWhole) {
  JointDef def = point_joint(ground, load, frame_at({0, -1, 0}), {});
  def.break_force_n = 21.0;
  JointId const joint = hang(def);
  EXPECT_TRUE(broken.empty());
  EXPECT_NE(scene.state.joints[joint.index].impulses, (std::array<double, 6>{}));
}

}  // namespace
}  // namespace takt
