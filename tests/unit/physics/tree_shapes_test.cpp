#include "physics/joints/tree_shapes.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

struct TreeShapesTest : testing::Test, ScalarJoints {
  TreeShapes shapes;
  std::vector<JointReaction> sums;

  void add_pair(double x, const JointDef& hinge) {
    BodyId const a = scene.add_body({x, 0, 0}, 1.0 + x);
    BodyId const b = scene.add_body({x, 1, 0}, 2.0);
    JointDef def = hinge;
    def.body_a = a;
    def.body_b = b;
    scene.add_joint(def);
  }
  void sort_all() {
    build();
    TreeSource const source{ordering.forest(),
                            equality.pattern(),
                            ordering.joints(),
                            equality.joints(),
                            equality.rows(),
                            limits.rows(),
                            sums};
    shapes.clear(scene.solver.size());
    for (const NodeRange& tree : trees) shapes.add(source, tree);
    shapes.sort();
  }
  /// Sizes of the runs of isomorphic trees, ascending.
  std::vector<std::uint32_t> run_sizes() {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t run = 0, end = 0; run < shapes.count(); run = end) {
      end = shapes.end_of_run(run);
      sizes.push_back(end - run);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }
};

TEST_F(TreeShapesTest, TreesOfEqualStructureAreOneRunWhateverTheirNumbers) {
  JointDef const hinge = revolute_joint({}, {}, {}, {});
  add_pair(0, hinge);
  add_pair(5, revolute_joint({}, {}, frame_at({0, 0.5, 0}), {}));
  add_pair(10, hinge);
  sort_all();
  EXPECT_EQ(run_sizes(), (std::vector<std::uint32_t>{3}));
}

TEST_F(TreeShapesTest, LocksLimitsAndTheirKindsTellTreesApart) {
  JointDef const hinge = revolute_joint({}, {}, {}, {});
  add_pair(0, hinge);
  add_pair(1, prismatic_joint({}, {}, {}, {}));
  add_pair(2, JointDef(hinge).limit(JointAxis::kAngularX, -1.0, 1.0));
  add_pair(3, JointDef(hinge).motor(JointAxis::kAngularX, 1.0, 5.0));
  add_pair(4, JointDef(hinge).motor(JointAxis::kAngularX, 2.0, 7.0));
  sort_all();
  EXPECT_EQ(run_sizes(), (std::vector<std::uint32_t>{1, 1, 1, 2}));
}

TEST_F(TreeShapesTest, TreesStayInOrderWithinARun) {
  for (int i = 0; i < 6; ++i) add_pair(i, revolute_joint({}, {}, {}, {}));
  sort_all();
  for (std::uint32_t i = 1; i < shapes.count(); ++i)
    EXPECT_LT(shapes.nodes(i - 1).first, shapes.nodes(i).first);
}

}  // namespace
}  // namespace takt
