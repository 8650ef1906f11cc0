#include "physics/joints/joint_partition.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

struct JointPartitionTest : testing::Test, ScalarJoints {
  JointPartition<float> partition;
  TreeBatches<float> batches;
  std::vector<JointReaction> sums;
  BodyId ground = scene.add_body({}, 0.0);

  /// Two bodies with two hinges: one tree.
  std::array<JointId, 2> add_tree(double x, bool limited) {
    BodyId const a = scene.add_body({x, 0, 0}, 1.0);
    BodyId const b = scene.add_body({x, 1, 0}, 1.0);
    JointDef hinge = revolute_joint(a, b, frame_at({0, 0.5, 0}), frame_at({0, -0.5, 0}));
    if (limited) hinge.limit(JointAxis::kAngularX, -1.0, 1.0);
    return {scene.add_joint(revolute_joint(ground, a, frame_at({x, 0, 0}), {})), scene.add_joint(hinge)};
  }
  void divide(std::uint32_t lanes) {
    build();
    sums.assign(ordering.joints().size(), {});
    TreeSource const source{ordering.forest(),
                            equality.pattern(),
                            ordering.joints(),
                            equality.joints(),
                            equality.rows(),
                            limits.rows(),
                            sums};
    partition.build(scene.state, ordering, inertias, {}, source, lanes, {}, batches);
  }
};

TEST_F(JointPartitionTest, IsomorphicTreesAreBatchedAndOthersAreNot) {
  add_tree(0, true);
  add_tree(10, true);
  add_tree(20, false);
  divide(4);
  EXPECT_FALSE(batches.empty());
  EXPECT_EQ(partition.trees().size(), 1u);
  EXPECT_EQ(partition.nodes().size(), 2u);
  EXPECT_EQ(partition.joints().size(), 2u);
  EXPECT_TRUE(partition.limited().empty());
  EXPECT_EQ(partition.bodies().size(), 2u);
}

TEST_F(JointPartitionTest, OneLaneBatchesNothing) {
  add_tree(0, true);
  add_tree(10, true);
  divide(1);
  EXPECT_TRUE(batches.empty());
  EXPECT_EQ(partition.trees().size(), 2u);
  EXPECT_EQ(partition.limited().size(), 2u);
}

TEST_F(JointPartitionTest, AGearKeepsTheTreesThatItReadsOutOfTheBatches) {
  std::array<JointId, 2> const first = add_tree(0, true);
  std::array<JointId, 2> const second = add_tree(10, true);
  add_tree(20, true);
  add_tree(30, true);
  BodyId const a = scene.state.bodies.id(scene.state.joints[first[0].index].body_b);
  BodyId const b = scene.state.bodies.id(scene.state.joints[second[0].index].body_b);
  scene.add_joint(gear_joint(a, b, first[0], JointAxis::kAngularX, second[0], JointAxis::kAngularX, 1.0));
  divide(4);
  EXPECT_FALSE(batches.empty());
  EXPECT_EQ(partition.trees().size(), 2u);
  EXPECT_EQ(partition.limited().size(), 3u);  // two limits and the gear
}

}  // namespace
}  // namespace takt
