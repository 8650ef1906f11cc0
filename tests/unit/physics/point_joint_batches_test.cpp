// Batched point joints: joints and bodies made by hand, without the joint solver around them.
#include "physics/joints/point_joint_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "joint_scene.h"
#include "physics/joints/joint_solver.h"

namespace takt {
namespace {

template <class Real>
struct PointJoints {
  JointSceneOf<Real> scene;
  PointJointBatches<Real> batches;
  std::vector<SymMat64> inverse_inertias;  ///< by solver index, as JointInertias has them

  /// A point joint between the bodies, at an anchor of each.
  std::uint32_t add(BodyId a, BodyId b, Vec3<double> anchor_a, Vec3<double> anchor_b) {
    JointId const joint = scene.add_joint(point_joint(a, b, frame_at(anchor_a), frame_at(anchor_b)));
    std::uint32_t const body_a = scene.index_of(a);
    std::uint32_t const body_b = scene.index_of(b);
    auto const moving = [&](std::uint32_t body) { return scene.moving[body].dynamic ? body : 0u; };
    batches.joints().push_back({joint.index, body_a, body_b, moving(body_a), moving(body_b)});
    return static_cast<std::uint32_t>(batches.joints().size() - 1);
  }
  void set_inverse_inertia(BodyId body, const SymMat64& inverse) {
    scene.state.bodies[body.index].inverse_inertia = to_sym_mat<Real>(inverse);
    scene.masses[scene.index_of(body)].inverse_inertia = to_sym_mat<Real>(inverse);
  }
  void prepare(std::uint32_t lanes = 1, std::span<const std::uint32_t> other_bodies = {}) {
    scene.tick.lanes = lanes;
    inverse_inertias.clear();
    for (const SolverMass<Real>& mass : scene.masses)
      inverse_inertias.push_back(to_sym_mat64(mass.inverse_inertia));
    batches.prepare(scene.state, scene.bodies(), scene.tick, other_bodies);
    batches.set_tensors(inverse_inertias);
    batches.compute_rows(scene.bodies(), false);
  }
  VelocityOf<double> velocity_of(BodyId body) { return scene.bodies().velocity_of(scene.index_of(body)); }
  /// Velocity of a point of a body, `arm` from its centre.
  Vec3<double> velocity_at(BodyId body, Vec3<double> arm) {
    VelocityOf<double> const velocity = velocity_of(body);
    return velocity.linear + cross(velocity.angular, arm);
  }
};

/// A net of 7 x 7 bodies with an immovable corner, a body with locked axes, a brick and a moving kinematic
/// one.
template <class Real>
struct Net : PointJoints<Real> {
  static constexpr int kWidth = 7;
  std::vector<BodyId> bodies;
  std::vector<std::uint32_t> joints;

  Net() {
    for (int i = 0; i < kWidth * kWidth; ++i) {
      double const mass_kg = i == 0 ? 0.0 : 0.5 + 0.125 * (i % 5);
      bodies.push_back(
          this->scene.add_body({1.0 * (i % kWidth), 1.0 * (i / kWidth), 0}, mass_kg, 0.25 * mass_kg + 0.1));
      if (i == 0) continue;
      this->scene.set_velocity(bodies.back(), {0.1 * (i % 3), -0.5, 0.05 * i}, {0.2, 0, -0.1 * (i % 4)});
      // Up to 3 mm off, so that the biased pass has a drift to correct.
      set_row(this->scene.solver.back().delta_position,
              Vec3<Real>{to_real<Real>(0.001 * (i % 4)), Real(0), to_real<Real>(-0.0005 * (i % 3))});
    }
    this->set_inverse_inertia(bodies[10], {1.0, 2.0, 4.0, 0.0, 0.0, 0.0});
    SolverMass<Real>& locked = this->scene.masses[this->scene.index_of(bodies[20])];
    locked.locked_axes = kLockLinearX;
    this->scene.moving[this->scene.index_of(bodies[30])].dynamic = false;
    for (int i = 0; i < kWidth * kWidth; ++i) {
      if (i % kWidth > 0) add_between(i - 1, i, {0.5, 0, 0});
      if (i >= kWidth) add_between(i - kWidth, i, {0, 0.5, 0});
    }
  }
  /// Velocities of all bodies and reactions of all joints after one substep.
  std::vector<double> substep() {
    JointBodies<Real> const at = this->scene.bodies();
    this->batches.warm_start(at);
    this->batches.solve(at);
    this->batches.relax(at);
    std::vector<double> values;
    auto const append = [&](const Vec3<double>& v) { values.insert(values.end(), {v.x, v.y, v.z}); };
    for (std::uint32_t body = 0; body < this->scene.solver.size(); ++body) {
      append(at.velocity_of(body).linear);
      append(at.velocity_of(body).angular);
    }
    for (std::uint32_t const joint : joints) {
      append(this->batches.reaction_of(joint).impulse);
      append(this->batches.reaction_of(joint).force_sum);
      append(this->batches.tension_of(joint).r_a);
      append(this->batches.tension_of(joint).r_b);
      append(this->batches.tension_of(joint).impulse);
    }
    return values;
  }

 private:
  void add_between(int a, int b, Vec3<double> half) {
    std::uint32_t const joint =
        this->add(bodies[static_cast<std::size_t>(a)], bodies[static_cast<std::size_t>(b)], half, -half);
    std::array<double, 6>& impulses = this->scene.state.joints[this->batches.joints()[joint].index].impulses;
    impulses[1] = 0.001 * (joint % 7);
    joints.push_back(joint);
  }
};

TEST(PointJointBatchesTest, ClearForgetsTheJointsOfTheLastTick) {
  PointJoints<float> points;
  EXPECT_TRUE(points.batches.empty());
  BodyId const a = points.scene.add_body({}, 1.0);
  BodyId const b = points.scene.add_body({1, 0, 0}, 1.0);
  points.set_inverse_inertia(a, {1, 2, 3, 0, 0, 0});
  points.add(a, b, {0.5, 0, 0}, {-0.5, 0, 0});
  points.prepare();
  EXPECT_FALSE(points.batches.empty());
  EXPECT_EQ(points.batches.special().size(), 1u);
  points.batches.clear();
  EXPECT_TRUE(points.batches.empty());
  EXPECT_TRUE(points.batches.special().empty());
}

// The guard of contacts took the load of a sheet's joints for unbalanced.
TEST(PointJointBatchesTest, TheSolverReportsTheLoadsOfBatchedJoints) {
  JointSceneOf<float> scene;
  constexpr int kWidth = 10;
  std::vector<BodyId> nodes;
  for (int i = 0; i < kWidth * kWidth; ++i)
    nodes.push_back(scene.add_body({1.0 * (i / kWidth), 0, 1.0 * (i % kWidth)}, 1.0));
  auto const join = [&](int a, int b, Vec3<double> way) {
    JointId const joint =
        scene.add_joint(point_joint(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)],
                                    frame_at(way * 0.5), frame_at(way * -0.5)));
    scene.state.joints[joint.index].force = {240, 0, 0};
  };
  for (int i = 0; i < kWidth * kWidth; ++i) {
    if (i / kWidth + 1 < kWidth) join(i, i + kWidth, {1, 0, 0});
    if (i % kWidth + 1 < kWidth) join(i, i + 1, {0, 0, 1});
  }
  JointSolver<float> solver;
  solver.prepare(scene.state, scene.bodies(), scene.tick, {});
  std::vector<ExternalLoad> external(scene.solver.size());
  solver.add_external_loads(scene.state, 1.0 / 240.0, external);
  // The first node is a of two joints, the last b of two.
  EXPECT_EQ(external[1].source, LoadSource::kJoints);
  EXPECT_NEAR(external[1].impulse.x, -2.0, 1e-6);
  EXPECT_NEAR(external.back().impulse.x, 2.0, 1e-6);
}

TEST(PointJointBatchesTest, NoJointsMoveNoBody) {
  PointJoints<float> points;
  BodyId const body = points.scene.add_body({}, 1.0);
  points.scene.set_velocity(body, {1, 2, 3}, {4, 5, 6});
  points.prepare(8);
  points.batches.warm_start(points.scene.bodies());
  points.batches.solve(points.scene.bodies());
  points.batches.relax(points.scene.bodies());
  EXPECT_EQ(points.velocity_of(body).linear, (Vec3<double>{1, 2, 3}));
  EXPECT_EQ(points.velocity_of(body).angular, (Vec3<double>{4, 5, 6}));
}

TEST(PointJointBatchesTest, TheRelaxPassStopsTheAnchorsAndKeepsMomentum) {
  PointJoints<float> points;
  BodyId const a = points.scene.add_body({}, 2.0);
  BodyId const b = points.scene.add_body({1, 0, 0}, 0.5);
  std::uint32_t const joint = points.add(a, b, {0.5, 0.25, 0}, {-0.5, 0.25, 0});
  points.scene.set_velocity(a, {1, -2, 0.5}, {0, 3, 0});
  points.scene.set_velocity(b, {0, 4, 1}, {1, 0, -2});
  points.prepare();
  points.batches.relax(points.scene.bodies());
  // float: eleven additions of numbers below 8, each off by at most 2^-22.
  EXPECT_NEAR(length(points.velocity_at(b, {-0.5, 0.25, 0}) - points.velocity_at(a, {0.5, 0.25, 0})), 0.0,
              1e-5);
  Vec3<double> const momentum = points.velocity_of(a).linear * 2.0 + points.velocity_of(b).linear * 0.5;
  EXPECT_NEAR(length(momentum - Vec3<double>{2, -2, 1.5}), 0.0, 1e-5);
  // The impulse acts on b.
  Vec3<double> const gained = (points.velocity_of(b).linear - Vec3<double>{0, 4, 1}) * 0.5;
  EXPECT_NEAR(length(points.batches.reaction_of(joint).impulse - gained), 0.0, 1e-5);
  EXPECT_GT(length(gained), 0.1);
}

TEST(PointJointBatchesTest, TheRelaxPassUsesThePosesOfItsTime) {
  PointJoints<float> points;
  BodyId const ground = points.scene.add_body({}, 0.0);
  BodyId const body = points.scene.add_body({1, 0, 0}, 1.0);
  std::uint32_t const joint = points.add(ground, body, {}, {-1, 0, 0});
  points.scene.set_velocity(body, {1, 2, 3}, {3, 0, 0});
  points.prepare();
  float const half = std::sqrt(0.5f);
  points.scene.moving[points.scene.index_of(body)].rotation = {0, 0, half, half};  // x of the body is y
  set_row(points.scene.solver[points.scene.index_of(body)].delta_position, Vec3<float>{-1, 1, 0});
  points.batches.relax(points.scene.bodies());
  EXPECT_NEAR(length(points.batches.tension_of(joint).r_b - Vec3<double>{0, -1, 0}), 0.0, 1e-6);
  EXPECT_NEAR(length(points.velocity_at(body, {0, -1, 0})), 0.0, 1e-5);
}

TEST(PointJointBatchesTest, TheBiasedPassClosesAGapAndTheRelaxPassDoesNot) {
  PointJoints<float> points;
  BodyId const ground = points.scene.add_body({}, 0.0);
  BodyId const body = points.scene.add_body({0.01, 0, 0}, 1.0);
  points.add(ground, body, {}, {});
  points.prepare();
  points.batches.solve(points.scene.bodies());
  EXPECT_LT(points.velocity_of(body).linear.x, -0.1);
  EXPECT_GT(points.velocity_of(body).linear.x, -0.01 / points.scene.tick.substep_s);  // not past the anchor
  points.batches.relax(points.scene.bodies());
  EXPECT_NEAR(points.velocity_of(body).linear.x, 0.0, 1e-6);
}

TEST(PointJointBatchesTest, ImpulsesOfTheLastTickTurnWithTheFrameOfA) {
  PointJoints<float> points;
  BodyId const a = points.scene.add_body({}, 2.0);
  BodyId const b = points.scene.add_body({1, 0, 0}, 4.0);
  std::uint32_t const joint = points.add(a, b, {1, 0, 0}, {});
  JointRecord& record = points.scene.state.joints[points.batches.joints()[joint].index];
  double const half = std::sqrt(0.5);
  record.frame_a.rotation = {0, 0, half, half};  // x of the frame is y of the world
  record.impulses = {2, 0, 0, 0, 0, 0};
  points.prepare();
  EXPECT_NEAR(length(points.batches.tension_of(joint).impulse - Vec3<double>{0, 2, 0}), 0.0, 1e-6);
  EXPECT_EQ(points.batches.tension_of(joint).r_a, (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(points.batches.tension_of(joint).r_b, Vec3<double>{});
  points.batches.warm_start(points.scene.bodies());
  EXPECT_NEAR(points.velocity_of(a).linear.y, -1.0, 1e-6);
  EXPECT_NEAR(points.velocity_of(a).angular.z, -2.0, 1e-6);
  EXPECT_NEAR(points.velocity_of(b).linear.y, 0.5, 1e-6);
  EXPECT_EQ(points.velocity_of(b).angular, Vec3<double>{});
}

TEST(PointJointBatchesTest, ReactionsAddUpOverTheSubstepsOfATick) {
  constexpr double kFallMS = 0.25;
  PointJoints<float> points;
  BodyId const ground = points.scene.add_body({}, 0.0);
  BodyId const body = points.scene.add_body({0, -1, 0}, 2.0);
  std::uint32_t const joint = points.add(ground, body, {0, -1, 0}, {});
  points.prepare();
  for (int substep = 1; substep <= 3; ++substep) {
    points.scene.set_velocity(body, {0, -kFallMS, 0}, {});
    points.batches.warm_start(points.scene.bodies());
    points.batches.relax(points.scene.bodies());
    EXPECT_NEAR(points.batches.reaction_of(joint).impulse.y, 2.0 * kFallMS, 1e-6);
    EXPECT_NEAR(points.batches.reaction_of(joint).force_sum.y, substep * 2.0 * kFallMS, 1e-6);
  }
  points.prepare();
  EXPECT_EQ(points.batches.reaction_of(joint).force_sum, Vec3<double>{});
  EXPECT_EQ(points.batches.reaction_of(joint).impulse, Vec3<double>{});  // the record has none
}

TEST(PointJointBatchesTest, BodiesThatDoNotMoveUnderImpulsesKeepTheirVelocity) {
  PointJoints<float> points;
  BodyId const kinematic = points.scene.add_body({}, 1.0);
  BodyId const body = points.scene.add_body({1, 0, 0}, 1.0);
  points.scene.moving[points.scene.index_of(kinematic)].dynamic = false;
  points.scene.set_velocity(kinematic, {0, 2, 0}, {});
  points.add(kinematic, body, {1, 0, 0}, {});
  points.prepare(4);
  points.batches.solve(points.scene.bodies());
  points.batches.relax(points.scene.bodies());
  EXPECT_EQ(points.velocity_of(kinematic).linear, (Vec3<double>{0, 2, 0}));
  EXPECT_NEAR(points.velocity_of(body).linear.y, 2.0, 1e-5);
  EXPECT_EQ(points.scene.bodies().velocity_of(0).linear, Vec3<double>{});
}

TEST(PointJointBatchesTest, TensorsLocksTensionAndOtherJointsMakeAJointSpecial) {
  PointJoints<float> points;
  std::vector<BodyId> bodies;
  for (int i = 0; i < 12; ++i) bodies.push_back(points.scene.add_body({1.0 * i, 0, 0}, 1.0));
  for (std::size_t i = 0; i < bodies.size(); i += 2)
    points.add(bodies[i], bodies[i + 1], {0.5, 0, 0}, {-0.5, 0, 0});
  points.set_inverse_inertia(bodies[2], {1, 1, 1, 0, 0.125, 0});                     // joint 1
  points.scene.masses[points.scene.index_of(bodies[5])].locked_axes = kLockLinearZ;  // joint 2
  points.scene.state.joints[points.batches.joints()[3].index].impulses = {1e3, 0, 0, 0, 0, 0};
  std::array<std::uint32_t, 2> const other{0, points.scene.index_of(bodies[9])};  // joint 4
  BodyId const ground = points.scene.add_body({}, 0.0);
  points.add(ground, bodies[11], {11, 0, 0}, {});  // joint 6: body 0 makes nothing special
  points.prepare(1, other);
  EXPECT_EQ(points.batches.special(), (std::vector<std::uint32_t>{1, 2, 3, 4}));
  // The bound is h |r| |P| / I = 1: 480 N s at an arm of 0.5 m, a substep of 1/240 s and 1 kg m^2.
  points.scene.state.joints[points.batches.joints()[3].index].impulses = {470, 0, 0, 0, 0, 0};
  points.prepare(1, {});
  EXPECT_EQ(points.batches.special(), (std::vector<std::uint32_t>{1, 2}));
}

TEST(PointJointBatchesTest, ASpecialJointUsesTheTensorAndTheLocksOfItsBodies) {
  PointJoints<float> points;
  BodyId const ground = points.scene.add_body({}, 0.0);
  BodyId const body = points.scene.add_body({1, 0, 0}, 1.0);
  SymMat64 const inverse{1, 2, 4, 0.5, 0, 0};
  points.set_inverse_inertia(body, inverse);
  points.scene.masses[points.scene.index_of(body)].locked_axes = kLockLinearY;
  Vec3<double> const arm{-1, 0.5, 0.25};
  std::uint32_t const joint = points.add(ground, body, {0, 0.5, 0.25}, arm);
  points.scene.set_velocity(body, {1, 0, 0.5}, {});
  points.prepare();
  points.batches.relax(points.scene.bodies());
  Vec3<double> const impulse = points.batches.reaction_of(joint).impulse;
  EXPECT_NEAR(length(points.velocity_at(body, arm)), 0.0, 1e-5);
  EXPECT_EQ(points.velocity_of(body).linear.y, 0.0);
  EXPECT_NEAR(points.velocity_of(body).linear.x, 1.0 + impulse.x, 1e-5);
  EXPECT_NEAR(length(points.velocity_of(body).angular - multiply(inverse, cross(arm, impulse))), 0.0, 1e-5);
  EXPECT_GT(absolute(impulse.y), 1e-3);
}

TEST(PointJointBatchesTest, RowsOfTheSpecialJointsAloneCanBeComputedAgain) {
  Net<float> net;
  net.prepare(4);
  ASSERT_FALSE(net.batches.special().empty());
  std::vector<Vec3<double>> before;
  for (std::uint32_t const joint : net.joints) before.push_back(net.batches.tension_of(joint).r_b);
  for (std::size_t body = 1; body < net.scene.moving.size(); ++body)
    net.scene.moving[body].rotation = normalise(Quat<float>{0.1f, 0.2f, 0.3f, 1.0f});
  net.batches.compute_rows(net.scene.bodies(), true);
  for (std::uint32_t const joint : net.joints) {
    const std::vector<std::uint32_t>& special = net.batches.special();
    bool const is_special = std::binary_search(special.begin(), special.end(), joint);
    EXPECT_EQ(net.batches.tension_of(joint).r_b != before[joint], is_special) << joint;
  }
  net.batches.compute_rows(net.scene.bodies(), false);
  for (std::uint32_t const joint : net.joints) EXPECT_NE(net.batches.tension_of(joint).r_b, before[joint]);
}

// Colours of a net have about 20 joints: no width divides all of them.
TEST(PointJointBatchesTest, EveryWidthHasTheSameBits) {
  Net<float> scalar;
  scalar.prepare(1);
  std::vector<double> const first = scalar.substep();
  std::vector<double> const second = scalar.substep();
  EXPECT_NE(first, second);
  for (std::uint32_t const lanes : {4u, 8u, 16u, 0u}) {
    Net<float> wide;
    wide.prepare(lanes);
    EXPECT_EQ(wide.batches.special(), scalar.batches.special());
    EXPECT_EQ(wide.substep(), first) << lanes << " lanes";
    EXPECT_EQ(wide.substep(), second) << lanes << " lanes";
  }
}

TEST(PointJointBatchesTest, FixedModeComputesOneByOneAndAgreesWithFloat) {
  Net<float> single;
  single.prepare(1);
  std::vector<double> const expected = single.substep();
  Net<Fixed> fixed;
  fixed.prepare(16);
  std::vector<double> const found = fixed.substep();
  ASSERT_EQ(found.size(), expected.size());
  // Rounding of float, 2^-24 of numbers below 4, in about 100 operations a body.
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 5e-5) << i;
}

TEST(PointJointBatchesTest, AnEarlierTickLeavesNoTrace) {
  Net<float> used;
  used.prepare(16);
  std::vector<SolverBody<float>> const solver = used.scene.solver;
  (void)used.substep();
  used.scene.solver = solver;
  used.batches.joints().resize(30);
  used.joints.resize(30);
  used.prepare(4);
  Net<float> fresh;
  fresh.batches.joints().resize(30);
  fresh.joints.resize(30);
  fresh.prepare(4);
  EXPECT_EQ(used.batches.special(), fresh.batches.special());
  EXPECT_EQ(used.substep(), fresh.substep());
}

}  // namespace
}  // namespace takt
