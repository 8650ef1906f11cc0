#include "physics/joints/joint_equality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "joint_scene.h"
#include "physics/base/solver_constants.h"
#include "takt/core/random.h"

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

/// Two bodies between two posts, with one joint more than a chain needs; impulses of the last tick and
/// velocities are random.
struct WarmStartOfALoopTest : JointEqualityTest {
  BodyId bodies[2];
  void make(std::uint64_t seed, bool looped, double impulse_n_s) {
    Random random(seed);
    auto const draw = [&random](double size) {
      double const x = random.next_between(-size, size);
      double const y = random.next_between(-size, size);
      double const z = random.next_between(-size, size);
      return Vec3<double>{x, y, z};
    };
    BodyId const post = scene.add_body({0, 0, 0}, 0.0);
    bodies[0] = scene.add_body({1, 0, 0}, 2.0, kInertia);
    bodies[1] = scene.add_body({2, 0, 0}, 0.1, kInertia);
    auto const join = [&](const JointDef& def) {
      JointRecord& record = scene.state.joints[scene.add_joint(def).index];
      for (double& impulse : record.impulses) impulse = random.next_between(-impulse_n_s, impulse_n_s);
    };
    join(point_joint(post, bodies[0], frame_at({0.5, 0.1, 0}), frame_at({-0.5, 0.1, 0})));
    join(weld_joint(bodies[0], bodies[1], frame_at({0.5, 0, 0.2}), frame_at({-0.5, 0, 0.2})));
    if (looped) join(revolute_joint(bodies[0], bodies[1], frame_at({0.5, 0.3, 0}), frame_at({-0.5, 0.3, 0})));
    for (BodyId const body : bodies) {
      Vec3<double> const linear = draw(1.0);
      scene.set_velocity(body, linear, draw(1.0));
    }
    build();
  }
  double energy_j() {
    auto const of = [&](BodyId body, double mass_kg) {
      VelocityOf<double> const v = velocity_of(body);
      return 0.5 * (mass_kg * dot(v.linear, v.linear) + kInertia * dot(v.angular, v.angular));
    };
    return of(bodies[0], 2.0) + of(bodies[1], 0.1);
  }
  /// Returns the energy before the guard, J.
  double warm_start() {
    JointBodies<float> const at = scene.bodies();
    JointPass<float> const pass{at, inertias.inverse(), constants, changes, false};
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < equality.joints().size(); ++i) nodes.push_back(i);
    equality.begin_warm_start(nodes, pass);
    equality.end_warm_start(nodes, pass);
    for (std::uint32_t const body : inertias.bodies()) changes.apply(at, body);
    double const peak_j = energy_j();
    equality.guard_warm_start(nodes, pass, {});
    return peak_j;
  }
  std::vector<double> impulses() {
    std::vector<double> values;
    for (const EqualityJoint& joint : equality.joints()) {
      if (joint.is_point) {
        values.insert(values.end(), {joint.point.impulse.x, joint.point.impulse.y, joint.point.impulse.z});
      } else {
        for (const EqualityRow& row : equality.rows_of(ordering.joints()[joint.joint]))
          values.push_back(row.impulse);
      }
    }
    return values;
  }
  static constexpr double kInertia = 0.02;
};

class WarmStartSeedsTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WarmStartSeedsTest, RaisesNoEnergyAndScalesAllImpulsesAlike) {
  int reduced = 0;
  for (double const impulse_n_s : {0.01, 1.0, 100.0}) {
    struct Case : WarmStartOfALoopTest {
      void TestBody() override {}
    } of;
    of.make(GetParam(), true, impulse_n_s);
    double const before_j = of.energy_j();
    std::vector<double> const old = of.impulses();
    double const peak_j = of.warm_start();
    // Velocities are rounded to binary32 with the impulses that are taken back.
    EXPECT_LE(of.energy_j(), before_j + 0x1p-22 * std::sqrt(before_j * peak_j) + 0x1p-44 * peak_j);
    std::vector<double> const kept = of.impulses();
    double const factor = kept[0] / old[0];
    EXPECT_TRUE(factor == 1.0 || (factor >= 0.0 && factor < 0.5)) << factor;
    for (std::size_t i = 0; i < old.size(); ++i) EXPECT_NEAR(kept[i], old[i] * factor, 1e-12 * impulse_n_s);
    reduced += factor < 1.0;
  }
  EXPECT_GT(reduced, 0);
}
INSTANTIATE_TEST_SUITE_P(Random, WarmStartSeedsTest, testing::Range<std::uint64_t>(1, 41));

TEST_F(WarmStartOfALoopTest, IsNotReducedWithoutALoop) {
  make(1, false, 100.0);
  double const before_j = energy_j();
  std::vector<double> const old = impulses();
  (void)warm_start();
  EXPECT_GT(energy_j(), 10.0 * before_j);
  EXPECT_EQ(impulses(), old);
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
