#include "physics/joints/inertia_conditioning.h"

#include <gtest/gtest.h>

#include "joint_scene.h"
#include "physics/base/solver_constants.h"

namespace takt {
namespace {

/// A light link (inertia 0.001 kg m^2) with an anchor 0.1 m from its centre.
struct InertiaConditioningPartTest : testing::Test, ScalarJoints {
  InertiaConditioning<float> conditioning;
  BodyId ground = scene.add_body({}, 0.0);
  BodyId link = scene.add_body({}, 0.1, 0.001);
  std::uint32_t body = scene.index_of(link);

  void SetUp() override {
    scene.add_joint(point_joint(ground, link, {}, frame_at({0.1, 0, 0})));
    build();
  }
  /// Raises inertias for an impulse of `tension` N s along the arm, outward for positive values.
  void pull(double tension) {
    JointBodies<float> const bodies = scene.bodies();
    conditioning.begin(bodies, inertias);
    conditioning.add_impulse(bodies, {0, false, {0.1, 0, 0}}, {body, true, {0.1, 0, 0}}, {tension, 0, 0});
    conditioning.raise(inertias, scene.tick.substep_s, 1);
  }
};

TEST_F(InertiaConditioningPartTest, WeakTensionAndPressureRaiseNothing) {
  SymMat64 const own = inertias.inverse()[body];
  pull(0.001);
  EXPECT_TRUE(conditioning.empty());
  pull(-100.0);
  EXPECT_TRUE(conditioning.empty());
  EXPECT_EQ(inertias.inverse()[body], own);
}

TEST_F(InertiaConditioningPartTest, StrongTensionRaisesTheInertiaAcrossTheArmToTheBound) {
  pull(100.0);
  ASSERT_FALSE(conditioning.empty());
  EXPECT_TRUE(inertias.is_raised(body));
  const SymMat64& raised = inertias.inverse()[body];
  // h G = r P across the arm and 0 about it; the bound is h (h G) I^-1 <= kMaxSwingRate^2.
  double const stiffness = 0.1 * 100.0;
  EXPECT_NEAR(scene.tick.substep_s * stiffness * raised[1], kMaxSwingRate * kMaxSwingRate, 1e-6);
  EXPECT_NEAR(scene.tick.substep_s * stiffness * raised[2], kMaxSwingRate * kMaxSwingRate, 1e-6);
  EXPECT_NEAR(raised[0], 1000.0, 1e-2);
}

TEST_F(InertiaConditioningPartTest, AnAngularImpulseOfOthersKeepsItsMomentum) {
  pull(100.0);
  JointBodies<float> const bodies = scene.bodies();
  conditioning.store_angular_velocities(bodies);
  scene.set_velocity(link, {}, {0, 0, 8});
  conditioning.scale_angular_velocities(bodies, inertias);
  double const conditioned_inertia = 1.0 / inertias.inverse()[body][2];
  EXPECT_GT(conditioned_inertia, 0.002);
  EXPECT_NEAR(velocity_of(link).angular.z * conditioned_inertia, 8.0 * 0.001, 1e-6);
}

TEST_F(InertiaConditioningPartTest, BodiesAreConditionedAnewInEachSubstep) {
  pull(100.0);
  ASSERT_FALSE(conditioning.empty());
  inertias.update(scene.bodies(), false, false);
  pull(0.0);
  EXPECT_TRUE(conditioning.empty());
  EXPECT_FALSE(inertias.is_raised(body));
}

}  // namespace
}  // namespace takt
