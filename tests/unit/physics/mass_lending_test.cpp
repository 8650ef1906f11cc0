// Mass lending: who borrows, from whom, how much, and that no mass is lost.
#include "physics/contact_solver/mass_lending.h"

#include <gtest/gtest.h>

#include <vector>

#include "mass_ratio_test_scene.h"
#include "physics/base/solver_constants.h"

namespace takt {
namespace {

class MassLendingTest : public testing::Test {
 protected:
  /// Factors by body; empty when no touching bodies have a high mass ratio.
  std::vector<double> factors() {
    MassRatioInput<float> const input = scene.input();
    if (!loads.find(input)) return {};
    lending.lend(input, loads);
    return {lending.factors().begin(), lending.factors().end()};
  }
  /// The change of the sum of the masses by lending, kg.
  double surplus_kg(std::span<const double> factor) {
    double sum = 0.0;
    for (std::size_t i = 1; i < factor.size(); ++i) sum += loads.masses_kg()[i] * (factor[i] - 1.0);
    return sum;
  }

  test::MassRatioScene scene;
  ContactLoads loads;
  MassLending<float> lending;
  static constexpr Vec3<float> kUp = test::MassRatioScene::kUp;
};

TEST_F(MassLendingTest, EqualBodiesHaveNoLoads) {
  std::uint32_t const a = scene.add_body(1);
  std::uint32_t const b = scene.add_body(static_cast<float>(kLendingMassRatio) * 0.99f);
  scene.touch(0, a, kUp, 9);
  scene.touch(a, b, kUp, 8);
  EXPECT_TRUE(factors().empty());
}

TEST_F(MassLendingTest, APressedBodyBorrowsFromTheOneOnIt) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 1001);
  scene.touch(light, heavy, kUp, 1000);
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  // The squeeze is 1,000 weights: 500 kg are wanted, less what a body at the threshold has.
  EXPECT_NEAR(factor[light], 1.0 + 500 - kPressedWeights / 2, 0.01);
  EXPECT_NEAR(factor[heavy], 1.0 - (500 - kPressedWeights / 2) / 1000, 1e-5);
  EXPECT_NEAR(surplus_kg(factor), 0, 1e-9);
  EXPECT_NEAR(1.0 / lending.masses()[light].inverse_mass, factor[light], 0.01);
  EXPECT_NEAR(scene.masses[light].inverse_inertia.m[0] / lending.masses()[light].inverse_inertia.m[0],
              factor[light], 0.01);
}

TEST_F(MassLendingTest, ATowerOfSmallStepsBorrowsToo) {
  std::uint32_t bodies[5]{};
  float mass_kg = 1;
  for (std::uint32_t& body : bodies) {
    body = scene.add_body(mass_kg);
    mass_kg *= 4;
  }
  scene.touch(0, bodies[0], kUp, 341);
  scene.touch(bodies[0], bodies[1], kUp, 340);
  scene.touch(bodies[1], bodies[2], kUp, 336);
  scene.touch(bodies[2], bodies[3], kUp, 320);
  scene.touch(bodies[3], bodies[4], kUp, 256);
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 6u);
  // The two lowest bear 85 and 21 times their weight. The body of 64 kg bears less than its limit and lends.
  EXPECT_NEAR(factor[bodies[0]], 1 + 0.5 * kMaxLentFraction * 64, 0.01);
  EXPECT_NEAR(factor[bodies[1]], 1 + 0.5 * kMaxLentFraction * 64 / 4, 0.01);
  EXPECT_NEAR(factor[bodies[3]], 1 - kMaxLentFraction, 1e-6);
  EXPECT_NEAR(surplus_kg(factor), 0, 1e-9);
}

TEST_F(MassLendingTest, ALightBodyThatFliesAtAHeavyOneBringsItsOwnMass) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 0);
  scene.touch(light, heavy, kUp, 0);
  scene.bodies[light].linear_velocity[1] = 5.0f;
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  EXPECT_LT(factor[light], 3) << "with 581 kg it would throw the heavy body";
}

TEST_F(MassLendingTest, ATowerSharesEquallyAndTheLenderKeepsItsPart) {
  std::uint32_t below = 0;
  for (int i = 0; i < 9; ++i) {
    std::uint32_t const body = scene.add_body(1);
    scene.touch(below, body, kUp, 1009 - i);
    below = body;
  }
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(below, heavy, kUp, 1000);
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 11u);
  for (std::uint32_t body = 1; body < heavy; ++body)
    EXPECT_NEAR(factor[body], 1.0 + 1000 * kMaxLentFraction / 9, 1e-3) << body;
  EXPECT_NEAR(factor[heavy], 1.0 - kMaxLentFraction, 1e-9);
  EXPECT_NEAR(surplus_kg(factor), 0, 1e-9);
}

TEST_F(MassLendingTest, ABodyThatLiesOnAHeavyOneBorrowsNothing) {
  std::uint32_t const heavy = scene.add_body(1000);
  std::uint32_t const light = scene.add_body(1);
  scene.touch(0, heavy, kUp, 1001);
  scene.touch(heavy, light, kUp, 1);
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  EXPECT_EQ(factor[heavy], 1.0);
  EXPECT_EQ(factor[light], 1.0);
}

TEST_F(MassLendingTest, BodiesInFlightKeepTheirMasses) {
  std::uint32_t const left = scene.add_body(1000);
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const right = scene.add_body(1000);
  scene.touch(left, light, test::MassRatioScene::kAside, 1000);
  scene.touch(light, right, test::MassRatioScene::kAside, 1000);
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 4u);
  EXPECT_EQ(factor[light], 1.0);
}

TEST_F(MassLendingTest, AnArrivingBodyLendsBeforeItIsCarried) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 1);
  scene.touch(light, heavy, kUp, 0);
  scene.bodies[heavy].linear_velocity[1] = -3.0f;
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  EXPECT_GT(factor[light], 10.0);
  EXPECT_NEAR(surplus_kg(factor), 0, 1e-9);
}

TEST_F(MassLendingTest, ASoftBodyKeepsTheMassThatItsFrequencyRefersTo) {
  std::uint32_t const light = scene.add_body(1);
  std::uint32_t const heavy = scene.add_body(1000);
  scene.touch(0, light, kUp, 1001);
  scene.touch(light, heavy, kUp, 1000);
  Softness const soft;
  scene.contacts[1].soft_a = &soft;
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  EXPECT_EQ(factor[light], 1.0);
}

TEST_F(MassLendingTest, ABodyOnASpringLendsNothing) {
  std::uint32_t const prop = scene.add_body(1);
  std::uint32_t const beam = scene.add_body(1000);
  scene.touch(0, prop, kUp, 501);
  scene.touch(prop, beam, kUp, 500);
  scene.touch(0, beam, kUp, 500);
  Softness const soft;
  scene.contacts[2].soft_a = &soft;
  std::vector<double> const factor = factors();
  ASSERT_EQ(factor.size(), 3u);
  EXPECT_EQ(factor[beam], 1.0);
  EXPECT_EQ(factor[prop], 1.0);
}

}  // namespace
}  // namespace takt
