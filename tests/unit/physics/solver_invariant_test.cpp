// Planted faults of the solver rooms: each breaks one invariant between two stages of a step and must stop at
// its assertion. invariant_test.cpp has those of the lower rooms.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "joint_scene.h"
#include "physics/contact_solver/block_assignment.h"
#include "physics/contact_solver/contact_solver.h"
#include "physics/contact_solver/restitution_solver.h"
#include "physics/joints/grab_solver.h"
#include "physics/joints/point_joint_layout.h"
#include "physics/ropes/rope_solver.h"
#include "physics/simd/cpu_dispatch.h"
#include "physics/step/islands.h"
#include "physics/step/step_events.h"

namespace takt {
namespace {

/// Two bodies and two contacts between each and the ground, with impulses.
struct ContactStage {
  NarrowPhaseResults<float> results;
  SolverBodies<float> bodies;
  ContactParameters<float> parameters;
  ContactSolver<float> solver;

  ContactStage() {
    bodies.bodies.resize(3);
    bodies.masses.resize(3);
    bodies.moving.resize(3);
    for (std::uint32_t i = 1; i < 3; ++i) {
      bodies.masses[i].inverse_mass = 1.0f;
      bodies.moving[i].dynamic = true;
    }
    parameters.inverse_substep = 240.0f;
    for (std::uint32_t i = 0; i < 4; ++i) {
      PreparedContact<float> contact;
      contact.key = i / 2 + 1;
      contact.child = i % 2;
      contact.body_b = i / 2 + 1;
      contact.dynamic_b = true;
      contact.manifold.normal = {0, 1, 0};
      contact.manifold.point_count = 1;
      contact.impulses[0] = 1.0f;
      results.contacts.push_back(contact);
      results.contact_bodies.push_back(contact_bodies_of(contact));
    }
  }
  void prepare() { solver.prepare(results, bodies, parameters, {9.81 / 240.0, 1, nullptr, {}}); }
};

#if defined(TAKT_VALIDATION) && TAKT_VALIDATION

TEST(SolverInvariantDeathTest, ContactsReachTheSolverInTheOrderOfTheirKeys) {
  ContactStage stage;
  stage.prepare();
  std::swap(stage.results.contacts[1], stage.results.contacts[2]);
  EXPECT_DEATH(stage.prepare(), "assertion failed: keys_ascend");
}

TEST(SolverInvariantDeathTest, AContactReachesTheSolverOnce) {
  ContactStage stage;
  stage.results.contacts[2].key = stage.results.contacts[1].key;
  stage.results.contacts[2].child = stage.results.contacts[1].child;
  EXPECT_DEATH(stage.prepare(), "assertion failed: keys_ascend");
}

TEST(SolverInvariantDeathTest, ImpulsesOfTheLastTickAreFinite) {
  ContactStage stage;
  stage.results.contacts[3].impulses[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_DEATH(stage.prepare(), "assertion failed: impulses_are_finite");
  stage.results.contacts[3].impulses[0] = 1.0f;
  stage.results.contacts[3].friction_impulse.z = std::numeric_limits<float>::infinity();
  EXPECT_DEATH(stage.prepare(), "assertion failed: impulses_are_finite");
}

TEST(SolverInvariantDeathTest, NormalImpulsesDoNotPull) {
  ContactStage stage;
  stage.results.contacts[0].impulses[0] = -1.0f;
  EXPECT_DEATH(stage.prepare(), "assertion failed: impulses_are_feasible");
}

TEST(SolverInvariantDeathTest, ABodyIsOnceInAGraphColour) {
  BlockAssignment assignment;
  std::array<ContactBodies, 1> const with_itself{ContactBodies{{3, 3}, false, false}};
  EXPECT_DEATH(assignment.assign(with_itself, 4, 4), "assertion failed: are_disjoint\\(contacts");
}

TEST(SolverInvariantDeathTest, AColouredBodyExists) {
  BlockAssignment assignment;
  std::array<ContactBodies, 1> const missing{ContactBodies{{2, 9}, false, false}};
  EXPECT_DEATH(assignment.assign(missing, 4, 4),
               "assertion failed: pair.body_b == kNoBody \\|\\| pair.body_b < masks.size\\(\\)");
}

TEST(SolverInvariantDeathTest, APointJointConnectsTwoBodies) {
  PointJointLayout layout;
  std::array<BatchedPointJoint, 1> const with_itself{BatchedPointJoint{0, 3, 3, 3, 3}};
  EXPECT_DEATH(layout.build(with_itself, {}, 4, 4), "assertion failed: is_valid\\(joints\\)");
}

TEST(SolverInvariantDeathTest, SpecialPointJointsAscend) {
  PointJointLayout layout;
  std::array<BatchedPointJoint, 2> const joints{BatchedPointJoint{0, 1, 2, 1, 2},
                                                BatchedPointJoint{1, 2, 3, 2, 3}};
  std::array<std::uint32_t, 2> const descending{1, 0};
  EXPECT_DEATH(layout.build(joints, descending, 4, 4), "assertion failed: std::is_sorted\\(special.begin");
}

TEST(SolverInvariantDeathTest, AVelocityChangeIsThatOfABodyOfTheTick) {
  JointScene scene;
  scene.add_body({}, 1.0);
  VelocityChanges changes;
  changes.reset(scene.solver.size(), {});
  EXPECT_DEATH((void)changes[2], "assertion failed: body < changes_.size\\(\\)");
  EXPECT_DEATH(changes.apply(scene.bodies(), 2), "assertion failed: body < changes_.size\\(\\)");
}

TEST(SolverInvariantDeathTest, OnlyAJointedBodyGetsARaisedInertia) {
  JointScene scene;
  std::uint32_t const body = scene.index_of(scene.add_body({}, 1.0));
  scene.add_body({1, 0, 0}, 1.0);
  JointInertias<float> inertias;
  inertias.prepare(scene.state, scene.bodies(), std::array{body});
  EXPECT_DEATH(inertias.raise(body + 1, {}), "assertion failed: std::binary_search");
}

TEST(SolverInvariantDeathTest, OverlapsAreStoredInTheOrderOfTheirKeys) {
  WorldState<float> state;
  StepEvents events;
  std::array<OverlapRecord, 2> const descending{OverlapRecord{2, 1, 1, false}, OverlapRecord{1, 1, 1, false}};
  EXPECT_DEATH(store_overlaps<float>(state, descending, events), "assertion failed: std::is_sorted");
}

#endif

TEST(SolverInvariantDeathTest, EveryContactHasItsBodies) {
  ContactStage stage;
  stage.results.contact_bodies.pop_back();
  EXPECT_DEATH(stage.prepare(), "assertion failed: contacts.contact_bodies.size\\(\\) == contacts.contacts");
}

TEST(SolverInvariantDeathTest, AContactNamesABodyOfTheTick) {
  ContactStage stage;
  stage.results.contacts[1].body_a = 3;  // it does not move under impulses, so the colouring never meets it
  EXPECT_DEATH(stage.prepare(), "assertion failed: contact.body_a < task.bodies.size\\(\\)");
}

TEST(SolverInvariantDeathTest, AContactHasAPoint) {
  ContactStage stage;
  stage.results.contacts[1].manifold.point_count = 0;
  EXPECT_DEATH(stage.prepare(), "assertion failed: manifold.point_count >= 1");
}

TEST(SolverInvariantDeathTest, APassFollowsThePreparation) {
  ContactSolver<float> solver;
  EXPECT_DEATH(solver.warm_start(), "assertion failed: bodies_ != nullptr");
}

TEST(SolverInvariantDeathTest, ARestitutionProblemHasASubstep) {
  RestitutionSolver<float> solver;
  EXPECT_DEATH(solver.begin({}), "assertion failed: at_.substep_s > 0.0");
}

TEST(SolverInvariantDeathTest, TheOrderingHasOnlyJointsThatAct) {
  JointScene scene;
  BodyId const a = scene.add_body({}, 1.0);
  BodyId const b = scene.add_body({1, 0, 0}, 1.0);
  JointId const acting = scene.add_joint(weld_joint(a, b, {}, {}));
  JointId const disabled = scene.add_joint(point_joint(a, b, {}, {}));
  scene.state.joints[disabled.index].enabled = false;
  JointOrdering<float> ordering;
  std::vector<BatchedPointJoint> batched;
  ordering.build(scene.state, scene.bodies(), scene.tick.substep_s, batched);
  EXPECT_EQ(ordering.prepared(acting.index).index, acting.index);
  EXPECT_DEATH((void)ordering.prepared(disabled.index), "assertion failed: prepared_\\[index\\] - 1 <");
  EXPECT_DEATH((void)ordering.prepared(2), "assertion failed: index < prepared_.size\\(\\)");
}

TEST(SolverInvariantDeathTest, AForestJointNamesABodyOfTheTick) {
  EliminationForest forest;
  EXPECT_DEATH(forest.build({{1, 4, true, false}}, 3), "assertion failed: joint.body_a < body_count");
}

TEST(SolverInvariantDeathTest, ALoopClosingNodeHasNoLaterNodes) {
  EliminationForest forest;
  std::vector<std::uint32_t> upper;
  forest.build({{1, 2, true, false}, {1, 2, true, false}}, 3);
  forest.upper(0, upper);
  EXPECT_DEATH(forest.upper(1, upper), "assertion failed: index < first_loop_closing_");
}

TEST(SolverInvariantDeathTest, BodyZeroHasNoInertia) {
  JointScene scene;
  scene.add_body({}, 1.0);
  JointInertias<float> inertias;
  EXPECT_DEATH(inertias.prepare(scene.state, scene.bodies(), std::array{0u}),
               "assertion failed: bodies_.empty\\(\\) \\|\\| \\(bodies_.front\\(\\) != 0");
}

TEST(SolverInvariantDeathTest, AGrabHoldsABodyOfTheTick) {
  WorldState<float> state;
  std::array<MovingBody<float>, 1> const moving{};
  std::array<PreparedGrab<float>, 1> grabs{};
  grabs[0].body = 5;
  RopeSolver<float> const ropes;
  StepEvents events;
  Islands islands;
  EXPECT_DEATH((void)islands.fall_asleep<float>(state, {{}, moving, grabs, ropes}, events),
               "assertion failed: grab.body < solved.moving.size\\(\\)");
}

TEST(SolverInvariantDeathTest, AWidthIsFourEightOrSixteenLanes) {
  EXPECT_DEATH((void)widest_lanes(12), "assertion failed: max == 4 \\|\\| max == 8 \\|\\| max == 16");
}

}  // namespace
}  // namespace takt
