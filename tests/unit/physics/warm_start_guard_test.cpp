// The guard of the warm start: what it leaves alone, what it lowers, and how far.
#include "physics/contact_solver/warm_start_guard.h"

#include <gtest/gtest.h>

#include "mass_ratio_test_scene.h"
#include "physics/base/solver_constants.h"

namespace takt {
namespace {

class WarmStartGuardTest : public testing::Test {
 protected:
  void guard() {
    MassRatioInput<float> const input = scene.input();
    ASSERT_TRUE(loads.find(input));
    WarmStartGuard<float> guard;
    guard.guard(input, loads, scene.masses);
  }
  double weights(std::size_t contact) const {
    return static_cast<double>(scene.contacts[contact].impulses[0]) / test::MassRatioScene::kWeightMS;
  }

  test::MassRatioScene scene;
  ContactLoads loads;
  static constexpr Vec3<float> kUp = test::MassRatioScene::kUp;
};

TEST_F(WarmStartGuardTest, BalancedImpulsesStay) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 1001);
  scene.touch(light, heavy, kUp, 1000);
  guard();
  EXPECT_NEAR(weights(0), 1001, 1e-3);
  EXPECT_NEAR(weights(1), 1000, 1e-3);
}

TEST_F(WarmStartGuardTest, AnUnbalancedBodyGetsNoMoreThanItsLimit) {
  // The floor's contact is gone: the heavy body's impulse would shoot the light one down.
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(light, heavy, kUp, 1000);
  scene.contacts[0].twist_impulse = 0.5f;
  guard();
  EXPECT_NEAR(weights(0), kStillWeights, 0.01);
  EXPECT_NEAR(scene.contacts[0].twist_impulse, 0.5 * kStillWeights / 1000, 1e-4) << "the cone is kept";
}

TEST_F(WarmStartGuardTest, StrongForcesRaiseTheLimit) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(light, heavy, kUp, 100);
  scene.moving[light].linear.change.y *= 20.0f;
  guard();
  EXPECT_NEAR(weights(0), 100, 1e-3);
}

TEST_F(WarmStartGuardTest, JointsBalanceTheirBodies) {
  std::uint32_t const wheel = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(wheel, heavy, kUp, 1000);
  scene.external.resize(3);
  scene.external[wheel] = {{0, 1000 * test::MassRatioScene::kWeightMS, 0}, LoadSource::kJoints};
  guard();
  EXPECT_NEAR(weights(0), 1000, 1e-2);
  scene.external[wheel].impulse.y *= 0.5;  // the joint carries half of it
  guard();
  EXPECT_NEAR(weights(0), 500 + kStillWeights, 0.1);
}

TEST_F(WarmStartGuardTest, ARopesBodyIsLeftAlone) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(light, heavy, kUp, 1000);
  scene.external.resize(3);
  scene.external[light].source = LoadSource::kUnknown;
  guard();
  EXPECT_NEAR(weights(0), 1000, 1e-2);
}

TEST_F(WarmStartGuardTest, AHighRatioElsewhereChangesNothing) {
  std::uint32_t const a = scene.add_body(1);
  std::uint32_t const b = scene.add_body(2);
  scene.touch(a, b, kUp, 2.5 * kStillWeights);
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 1001);
  scene.touch(light, heavy, kUp, 1000);
  guard();
  EXPECT_NEAR(weights(0), 2.5 * kStillWeights, 1e-3);
}

TEST_F(WarmStartGuardTest, ALightBodyLosesTheImpulseOfAHeavyOneThatLeft) {
  std::uint32_t const light = scene.add_body(1);
  scene.add_body(1000);
  scene.touch(0, light, kUp, 1001);
  guard();
  EXPECT_NEAR(weights(0), kStillWeights, 0.01);
}

}  // namespace
}  // namespace takt
