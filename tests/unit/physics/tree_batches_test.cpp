// Batched trees against the scalar solver: both solve equal scenes, and every number of them is compared.
#include "physics/joints/tree_batches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "joint_scene.h"
#include "physics/joints/inertia_conditioning.h"
#include "physics/joints/joint_reactions.h"

namespace takt {
namespace {

enum class Form { kWhole, kShort, kSpring, kDistance, kLoop };

/// Trees of bodies a, b and c below a static ground, tree after tree.
struct Trees : ScalarJoints {
  TreeBatches<float> batches;
  std::vector<NodeRange> others;
  std::vector<std::uint8_t> mixed;
  JointReactions<float> reactions;
  JointPartition<float> scalar;
  TreeBatches<float> no_batches;
  BodyId ground = scene.add_body({}, 0.0);

  /// A driven and limited hinge, a ball with a cone and a driven slide with friction; numbers differ by
  /// `index`. A looped tree has rigid joints without limits, so that nothing but the loop tells it from the
  /// others.
  std::vector<BodyId> add(int index, Form form = Form::kWhole) {
    double const x = 10.0 * index;
    std::vector<BodyId> bodies;
    for (int i = 0; i < (form == Form::kShort ? 2 : 3); ++i)
      bodies.push_back(add_body({x + i, 0, 0}, 1.0 + 0.25 * index, index + 3 * i));
    if (form == Form::kLoop) return close_loop(bodies, index);
    JointDef hinge = revolute_joint(ground, bodies[0], frame_at({x, 0, 0}), frame_at({-0.1, 0, 0}));
    hinge.motor(JointAxis::kAngularX, 2.0 + index, 3.0).limit(JointAxis::kAngularX, -0.8, 0.02);
    if (form == Form::kSpring) hinge.drive(JointAxis::kAngularX, 0.1, Softness::frequency(2.0, 1.0));
    add_joint(hinge, index);
    JointDef ball = point_joint(bodies[0], bodies[1], frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0}));
    ball.limit(JointAxis::kSwing, -kUnbounded, 0.01).friction(JointAxis::kAngularX, 0.3);
    if (form == Form::kDistance) ball.limit(JointAxis::kDistance, -kUnbounded, 0.5);
    add_joint(ball, index);
    if (form == Form::kShort) return bodies;
    JointDef slide = prismatic_joint(bodies[1], bodies[2], frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0}));
    add_joint(slide.friction(JointAxis::kLinearX, 0.5).motor(JointAxis::kLinearX, 0.4, 1.5), index);
    return bodies;
  }
  void arrange(std::uint32_t lanes) {
    build();
    reactions.begin_tick(ordering.joints().size(), scene.tick.substeps);
    mixed.resize(scene.solver.size(), 0);
    batches.arrange(source(), lanes, mixed, others);
  }
  TreeSource source() {
    return {ordering.forest(), equality.pattern(), ordering.joints(), equality.joints(),
            equality.rows(),   limits.rows(),      reactions.sums()};
  }
  /// Rows and matrices of all blocks.
  void begin() {
    JointBodies<float> const bodies = scene.bodies();
    batches.compute_rows(source(), bodies, inertias.stale(), true);
    batches.fill(bodies, inertias.inverse(), inertias.stale(), false);
  }
  void batched_substep(bool last) {
    JointBodies<float> const bodies = scene.bodies();
    batches.warm_start(bodies);
    batches.solve(bodies, constants, true);
    batches.solve(bodies, constants, false);
    batches.react(source(), bodies, last);
  }
  /// The order is that of JointSolver for joints in no batch.
  void scalar_substep() {
    JointBodies<float> const bodies = scene.bodies();
    JointPass<float> const warm{bodies, inertias.inverse(), constants, changes, false};
    equality.begin_warm_start(scalar.nodes(), warm);
    for (std::uint32_t const joint : scalar.limited())
      limits.warm_start(ordering.joints()[joint], equality, warm);
    equality.end_warm_start(scalar.nodes(), warm);
    for (std::uint32_t const body : inertias.bodies()) changes.apply(bodies, body);
    for (bool const use_bias : {true, false}) {
      solve_limits(use_bias);
      solve_equality(use_bias);
    }
    reactions.end_substep(ordering, scalar, equality, limits, couplings);
  }
  void arrange_scalar() {
    arrange(1);
    scalar.build(scene.state, ordering, inertias, {}, source(), 1, {}, no_batches);
  }
  /// Velocities, impulses, revolutions and reactions: all that a solver writes.
  std::vector<double> results() {
    std::vector<double> values;
    auto const append = [&](const Vec3<double>& v) { values.insert(values.end(), {v.x, v.y, v.z}); };
    for (std::uint32_t body = 0; body < scene.solver.size(); ++body) {
      append(scene.bodies().velocity_of(body).linear);
      append(scene.bodies().velocity_of(body).angular);
    }
    for (const EqualityRow& row : equality.rows()) values.push_back(row.impulse);
    for (const LimitRow& row : limits.rows()) values.push_back(row.impulse);
    for (const JointReaction& sum : reactions.sums()) {
      append(sum.force_sum);
      append(sum.torque_sum);
    }
    for (const PreparedJoint& joint : ordering.joints())
      values.insert(values.end(), {joint.revolutions.last, joint.revolutions.first});
    return values;
  }
  [[nodiscard]] std::size_t batched_count() const {
    return static_cast<std::size_t>(std::count_if(equality.joints().begin(), equality.joints().end(),
                                                  [](const EqualityJoint& j) { return j.in_batch; }));
  }
  /// True if every node is either in a batch or in one of the other trees.
  [[nodiscard]] bool divides_all_nodes() const {
    std::vector<int> found(equality.joints().size(), 0);
    for (std::size_t node = 0; node < found.size(); ++node) found[node] = equality.joints()[node].in_batch;
    for (const NodeRange& tree : others) {
      for (std::uint32_t node = tree.first; node < tree.end; ++node) ++found[node];
    }
    return std::all_of(found.begin(), found.end(), [](int times) { return times == 1; });
  }

 private:
  std::vector<BodyId> close_loop(const std::vector<BodyId>& bodies, int index) {
    double const x = 10.0 * index;
    add_joint(weld_joint(ground, bodies[0], frame_at({x, 0, 0}), {}), index);
    for (int i = 0; i < 2; ++i)
      add_joint(weld_joint(bodies[0], bodies[1], frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0})), index);
    add_joint(weld_joint(bodies[1], bodies[2], frame_at({0.5, 0, 0}), frame_at({-0.5, 0, 0})), index);
    return bodies;
  }
  BodyId add_body(Vec3<double> center_m, double mass_kg, int index) {
    BodyId const id = scene.add_body(center_m, mass_kg, 0.4 * mass_kg);
    float const tilt = 0.01f * static_cast<float>(index);
    Quat<float> const rotation = normalise(Quat<float>{tilt, 2 * tilt, -tilt, 1.0f});
    std::uint32_t const body = scene.index_of(id);
    scene.state.bodies[id.index].motion.rotation = rotation;
    scene.moving[body].rotation = rotation;
    set_row(scene.solver[body].delta_position, Vec3<float>{0.1f * tilt, -0.2f * tilt, 0.001f});
    scene.set_velocity(id, {0.3 * index, 1.0, -0.2 * index}, {2.0, 0.5 * index, -3.0});
    return id;
  }
  void add_joint(const JointDef& def, int index) {
    JointId const id = scene.add_joint(def);
    for (std::size_t i = 0; i < 6; ++i)
      scene.state.joints[id.index].impulses[i] = 0.01 * (index + 1) * (static_cast<double>(i) - 2.5);
  }
};

TEST(TreeBatchesPartTest, NoJointsMakeNoBlocks) {
  Trees trees;
  trees.others.push_back({0, 1});
  trees.arrange(4);
  EXPECT_TRUE(trees.batches.empty());
  EXPECT_TRUE(trees.others.empty());
}

TEST(TreeBatchesPartTest, IsomorphicTreesGoSideBySideAndAnOddTreeStaysScalar) {
  Trees trees;
  for (int i = 0; i < 3; ++i) trees.add(i);
  trees.add(3, Form::kShort);
  trees.arrange(4);
  EXPECT_FALSE(trees.batches.empty());
  EXPECT_EQ(trees.batched_count(), 9u);
  ASSERT_EQ(trees.others.size(), 1u);
  EXPECT_EQ(trees.others[0].end - trees.others[0].first, 2u);
  EXPECT_TRUE(trees.divides_all_nodes());
}

TEST(TreeBatchesPartTest, EachKindOfTreesHasItsOwnBlocks) {
  Trees trees;
  for (int i = 0; i < 6; ++i) trees.add(i, i % 2 == 0 ? Form::kWhole : Form::kShort);
  trees.arrange(16);
  EXPECT_EQ(trees.batched_count(), 15u);
  EXPECT_TRUE(trees.others.empty());
}

TEST(TreeBatchesPartTest, SpringsDistancesAndLoopsStayScalar) {
  for (Form const form : {Form::kSpring, Form::kDistance, Form::kLoop}) {
    Trees trees;
    trees.add(0);
    trees.add(1, form);
    trees.add(2);
    trees.add(3, form);
    trees.arrange(4);
    EXPECT_EQ(trees.batched_count(), 6u) << static_cast<int>(form);
    EXPECT_EQ(trees.others.size(), 2u) << static_cast<int>(form);
  }
}

TEST(TreeBatchesPartTest, ATreeOfAMixedGroupStaysScalar) {
  Trees trees;
  trees.add(0);
  std::vector<BodyId> const bodies = trees.add(1);
  trees.add(2);
  trees.mixed.resize(trees.scene.solver.size(), 0);
  trees.mixed[trees.scene.index_of(bodies[0])] = 1;  // the lowest body of its group
  trees.arrange(4);
  EXPECT_EQ(trees.batched_count(), 6u);
  ASSERT_EQ(trees.others.size(), 1u);
  std::uint32_t const node = trees.others[0].first;
  std::uint32_t const pivot = trees.ordering.forest().pivot(node);
  EXPECT_EQ(trees.ordering.forest().group_of(pivot), trees.scene.index_of(bodies[0]));
  EXPECT_TRUE(trees.divides_all_nodes());
}

TEST(TreeBatchesPartTest, OneLaneBatchesNothing) {
  Trees trees;
  for (int i = 0; i < 4; ++i) trees.add(i);
  trees.arrange(1);
  EXPECT_TRUE(trees.batches.empty());
  EXPECT_EQ(trees.batched_count(), 0u);
  EXPECT_EQ(trees.others.size(), 4u);
  EXPECT_TRUE(trees.divides_all_nodes());
}

TEST(TreeBatchesPartTest, FixedModeBatchesNothing) {
  JointSceneOf<Fixed> scene;
  BodyId const ground = scene.add_body({}, 0.0);
  for (int i = 0; i < 4; ++i)
    scene.add_joint(revolute_joint(ground, scene.add_body({1.0 * i, 0, 0}, 1.0), frame_at({1.0 * i, 0, 0}),
                                   frame_at({})));
  JointOrdering<Fixed> ordering;
  JointEquality<Fixed> equality;
  JointLimits<Fixed> limits;
  std::vector<BatchedPointJoint> point_joints;
  std::vector<JointReaction> sums;
  ordering.build(scene.state, scene.bodies(), scene.tick.substep_s, point_joints);
  equality.prepare(scene.state, ordering);
  limits.prepare(scene.state, ordering, JointConstants::of(scene.tick));
  sums.resize(ordering.joints().size());
  TreeBatches<Fixed> batches;
  std::vector<NodeRange> others;
  batches.arrange({ordering.forest(), equality.pattern(), ordering.joints(), equality.joints(),
                   equality.rows(), limits.rows(), sums},
                  8, std::vector<std::uint8_t>(scene.solver.size(), 0), others);
  EXPECT_TRUE(batches.empty());
  EXPECT_EQ(others.size(), 4u);
}

// The last block has one tree, several trees, all but one tree, or all lanes full.
TEST(TreeBatchesPartTest, EveryWidthAndRemainderHasTheBitsOfTheScalarWay) {
  for (int const count : {2, 3, 5, 7, 8, 11}) {
    Trees reference;
    for (int i = 0; i < count; ++i) reference.add(i);
    reference.arrange_scalar();
    for (int i = 0; i < 3; ++i) reference.scalar_substep();
    for (std::uint32_t const lanes : {4u, 8u, 16u, 0u}) {
      Trees trees;
      for (int i = 0; i < count; ++i) trees.add(i);
      std::vector<double> const before = trees.results();
      trees.arrange(lanes);
      ASSERT_EQ(trees.batched_count(), 3u * static_cast<std::size_t>(count));
      trees.begin();
      for (int i = 0; i < 3; ++i) trees.batched_substep(i == 2);
      EXPECT_EQ(trees.results(), reference.results()) << count << " trees, " << lanes << " lanes";
      EXPECT_NE(trees.results(), before);
    }
  }
}

TEST(TreeBatchesPartTest, TensionsAreThoseOfTheScalarWay) {
  Trees trees;
  for (int i = 0; i < 5; ++i) trees.add(i);
  trees.arrange(4);
  JointBodies<float> const bodies = trees.scene.bodies();
  InertiaConditioning<float> conditioning;
  conditioning.begin(bodies, trees.inertias);
  for (const PreparedJoint& joint : trees.ordering.joints())
    conditioning.add_joint(bodies, joint, trees.equality, trees.limits, trees.couplings);
  trees.batches.compute_rows(trees.source(), bodies, trees.inertias.stale(), true);
  std::vector<GeometricStiffness> tensions(trees.scene.solver.size());
  trees.batches.sum_tensions(bodies, tensions);
  for (std::uint32_t const body : trees.inertias.bodies()) {
    const TensionOf<double>& sums = tensions[body].sums;
    const TensionOf<double>& expected = conditioning.tensions()[body].sums;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(sums.stiffness[i], expected.stiffness[i]) << body;
    EXPECT_EQ(sums.turning, expected.turning) << body;
    EXPECT_EQ(sums.weight, expected.weight) << body;
    EXPECT_NE(sums.stiffness[0], 0.0) << body;
  }
}

TEST(TreeBatchesPartTest, OnlyBlocksWithStaleBodiesFollowTheirBodies) {
  auto const solve = [](bool moves, bool stale) {
    Trees trees;
    std::vector<BodyId> bodies;
    for (int i = 0; i < 4; ++i) bodies = trees.add(i);
    trees.arrange(4);
    trees.begin();
    std::vector<std::uint8_t> marks(trees.scene.solver.size(), 0);
    std::uint32_t const last = trees.scene.index_of(bodies[2]);
    if (moves) trees.scene.moving[last].rotation = normalise(Quat<float>{0.3f, -0.2f, 0.1f, 1.0f});
    if (stale) marks[last] = 1;
    JointBodies<float> const at = trees.scene.bodies();
    trees.batches.compute_rows(trees.source(), at, marks, false);
    trees.batches.fill(at, trees.inertias.inverse(), marks, false);
    trees.batched_substep(true);
    return trees.results();
  };
  std::vector<double> const at_rest = solve(false, false);
  EXPECT_EQ(solve(true, false), at_rest);
  EXPECT_NE(solve(true, true), at_rest);
  EXPECT_EQ(solve(false, true), at_rest);
}

TEST(TreeBatchesPartTest, FillCanComputeTheRowsItself) {
  auto const solve = [](bool recompute) {
    Trees trees;
    for (int i = 0; i < 3; ++i) trees.add(i);
    trees.arrange(4);
    trees.begin();
    for (std::size_t body = 1; body < trees.scene.moving.size(); ++body)
      trees.scene.moving[body].rotation = normalise(Quat<float>{0.3f, -0.2f, 0.1f, 1.0f});
    JointBodies<float> const at = trees.scene.bodies();
    if (!recompute) trees.batches.compute_rows(trees.source(), at, trees.inertias.stale(), false);
    trees.batches.fill(at, trees.inertias.inverse(), trees.inertias.stale(), recompute);
    trees.batched_substep(true);
    return trees.results();
  };
  EXPECT_EQ(solve(true), solve(false));
}

TEST(TreeBatchesPartTest, ReactionsAddUpUntilTheLastSubstepUnpacksThem) {
  // Two pendulums of 2 kg in all hang straight down; a substep adds 0.5 m/s of fall.
  constexpr double kFallMS = 0.5;
  struct Pendulums : Trees {
    std::vector<BodyId> bodies;
    JointId top;
    Pendulums() {
      for (int i = 0; i < 2; ++i) {
        double const x = 5.0 * i;
        BodyId const upper = scene.add_body({x, -1, 0}, 1.5);
        BodyId const lower = scene.add_body({x, -2, 0}, 0.5);
        top = scene.add_joint(revolute_joint(ground, upper, frame_at({x, -1, 0}), {}));
        scene.add_joint(revolute_joint(upper, lower, frame_at({0, -0.5, 0}), frame_at({0, 0.5, 0})));
        bodies.insert(bodies.end(), {upper, lower});
      }
    }
  } pendulums;
  pendulums.arrange(4);
  ASSERT_EQ(pendulums.batched_count(), 4u);
  pendulums.begin();
  std::uint32_t const index = static_cast<std::uint32_t>(&pendulums.ordering.prepared(pendulums.top.index) -
                                                         pendulums.ordering.joints().data());
  for (int substep = 0; substep < 3; ++substep) {
    for (BodyId const body : pendulums.bodies) pendulums.scene.set_velocity(body, {0, -kFallMS, 0}, {});
    EXPECT_EQ(pendulums.reactions.sums()[index].force_sum, Vec3<double>{});
    pendulums.batched_substep(substep == 2);
    for (BodyId const body : pendulums.bodies) EXPECT_NEAR(pendulums.velocity_of(body).linear.y, 0.0, 1e-6);
  }
  EXPECT_NEAR(pendulums.reactions.sums()[index].force_sum.y, 3 * 2.0 * kFallMS, 1e-5);
  EXPECT_NEAR(pendulums.reactions.sums()[index].force_sum.x, 0.0, 1e-9);
}

TEST(TreeBatchesPartTest, AnEarlierTickLeavesNoTrace) {
  Trees used;
  for (int i = 0; i < 9; ++i) used.add(i, i < 6 ? Form::kWhole : Form::kShort);
  used.arrange(16);
  used.begin();
  std::vector<SolverBody<float>> const solver = used.scene.solver;
  used.batched_substep(true);
  used.scene.solver = solver;
  for (std::uint32_t joint = 0; joint < used.scene.state.joints.capacity(); ++joint)
    used.scene.state.joints[joint].enabled = joint < 9;  // three whole trees
  used.arrange(4);
  EXPECT_EQ(used.batched_count(), 9u);
  EXPECT_TRUE(used.others.empty());
  used.begin();
  used.batched_substep(true);
  Trees fresh;
  for (int i = 0; i < 9; ++i) fresh.add(i, i < 6 ? Form::kWhole : Form::kShort);
  for (std::uint32_t joint = 9; joint < fresh.scene.state.joints.capacity(); ++joint)
    fresh.scene.state.joints[joint].enabled = false;
  fresh.arrange(4);
  fresh.begin();
  fresh.batched_substep(true);
  EXPECT_EQ(used.results(), fresh.results());
  used.batches.clear();
  EXPECT_TRUE(used.batches.empty());
  used.batched_substep(true);  // nothing is left to solve
  EXPECT_EQ(used.results(), fresh.results());
}

}  // namespace
}  // namespace takt
