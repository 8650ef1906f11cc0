// Softness in the engine: one oscillator through every constructor against the implicit recurrence that
// CONSTRAINTS 1.6 says it is.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "joint_world.h"

namespace takt::test {
namespace {

constexpr double kSoftMassKg = 2.0;
constexpr double kStiffness = 300.0;  // N/m
constexpr double kDamping = 1.5;      // N s/m
constexpr double kSubstepS = 1.0 / 240.0;

std::array<Softness, 5> one_spring_five_ways() {
  Softness const spring = Softness::spring(kStiffness, kDamping);
  double const k = 1.0 / kSoftMassKg;
  return {spring, spring.as_beta_gamma(kSubstepS, k), spring.as_erp_cfm(kSubstepS, k),
          spring.as_frequency(kSubstepS, k), spring.as_frequency(kSubstepS, k).as_spring(kSubstepS, k)};
}

/// x of a mass on the spring, from x0, a tick of four substeps at a time: implicit Euler.
struct Recurrence {
  double x;
  double v = 0.0;
  double pull = 0.0;  ///< m/s^2
  void tick() {
    for (int i = 0; i < 4; ++i) {
      double const h = kSubstepS;
      v = (v + h * pull - h * kStiffness / kSoftMassKg * x) /
          (1.0 + h * kDamping / kSoftMassKg + h * h * kStiffness / kSoftMassKg);
      x += h * v;
    }
  }
};

template <class Real>
class JointSoftnessTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointSoftnessTest, Reals);

template <class Real>
JointId add_slider(World<Real>& world, BodyId& body, double at_m, Softness softness, Quat<double> axis = {}) {
  BodyId const anchor = add_anchor(world);
  Vec3<double> const along = rotate(axis, Vec3<double>{at_m, 0.0, 0.0});
  body = add_mass(world, kSoftMassKg, {0.1, 0.1, 0.1}, moved(Position{}, along));
  JointFrame frame;
  frame.rotation = axis;
  return add_joint(world,
                   prismatic_joint(anchor, body, frame, frame).drive(JointAxis::kLinearX, 0.0, softness));
}

TYPED_TEST(JointSoftnessTest, OneOscillatorFiveWaysFollowsTheImplicitRecurrence) {
  // Amplitude 0.5 m at 12 rad/s: speeds up to 6 m/s. Each of 240 substeps rounds the velocity and the shift
  // once: errors walk at random, 15 x 6 x 2^-24 = 5e-6 m for binary32 over one period's memory, and 1e-8 is
  // asked of Q31.32.
  double const max = std::is_same_v<TypeParam, Fixed> ? 1e-8 : 5e-6;
  for (Softness const& softness : one_spring_five_ways()) {
    World<TypeParam> world = make_world<TypeParam>(without_gravity());
    BodyId body;
    (void)add_slider(world, body, 0.5, softness);
    Recurrence expected{0.5};
    for (int tick = 0; tick < 60; ++tick) {
      (void)world.step();
      expected.tick();
      ASSERT_NEAR(metres(world.center_of_mass(body)).x, expected.x, max)
          << "form " << static_cast<int>(softness.form()) << " tick " << tick;
    }
  }
}

TYPED_TEST(JointSoftnessTest, AHangingMassStretchesItsSpringByItsWeightOverItsStiffness) {
  for (Softness const& softness : one_spring_five_ways()) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId body;
    JointId const joint = add_slider(world, body, 0.0, softness, kXToY);
    run(world, 60 * 40);  // damping 0.375 1/s: e^-15
    double const expected = -kSoftMassKg * 9.81 / kStiffness;
    EXPECT_NEAR(metres(world.center_of_mass(body)).y / expected, 1.0, 1e-4);
    EXPECT_NEAR(world.joint(joint).force_n.y, kSoftMassKg * 9.81, 0.01 * kSoftMassKg * 9.81);
  }
}

TEST(SoftnessRowTest, WithoutTheAccumulatedImpulseAWarmStartedRowIsTooStiff) {
  // The scalar row of CONSTRAINTS 1.3 with and without the term of 1.4, both warm started, iterated to rest
  // under gravity.
  auto const settled = [](bool whole_impulse) {
    SoftRow const row = Softness::spring(kStiffness, kDamping).row(kSubstepS, 1.0 / kSoftMassKg);
    double x = 0.0;
    double v = 0.0;
    double impulse = 0.0;
    for (int i = 0; i < 240 * 60; ++i) {
      v -= kSubstepS * 9.81;
      v += impulse / kSoftMassKg;
      double const change = -(v + row.bias_rate * x + (whole_impulse ? row.gamma * impulse : 0.0)) /
                            (1.0 / kSoftMassKg + row.gamma);
      impulse += change;
      v += change / kSoftMassKg;
      x += kSubstepS * v;
    }
    return x / (-kSoftMassKg * 9.81 / kStiffness);
  };
  EXPECT_NEAR(settled(true), 1.0, 1e-4);
  EXPECT_FALSE(std::abs(settled(false) - 1.0) <
               0.5);  // nothing like it: each substep starts from an impulse that it does not count
}

TEST(SoftnessRowTest, FormsTurnIntoOneAnotherAndBack) {
  double const h = 1.0 / 480.0;
  double const k = 0.37;
  Softness const spring = Softness::spring(1234.5, 6.78);
  for (Softness const& said :
       {spring.as_beta_gamma(h, k), spring.as_erp_cfm(h, k), spring.as_frequency(h, k)}) {
    Softness const back = said.as_spring(h, k);
    EXPECT_NEAR(back.first() / spring.first(), 1.0, 1e-12);
    EXPECT_NEAR(back.second() / spring.second(), 1.0, 1e-12);
    EXPECT_NEAR(said.row(h, k).gamma / spring.row(h, k).gamma, 1.0, 1e-12);
    EXPECT_NEAR(said.row(h, k).bias_rate / spring.row(h, k).bias_rate, 1.0, 1e-12);
  }
  EXPECT_TRUE(Softness::rigid().as_spring(h, k).is_rigid());
  EXPECT_EQ(Softness::rigid().row(h, k).gamma, 0.0);
  EXPECT_TRUE(Softness::spring(0.0, 0.0).is_idle());
  // CONSTRAINTS 1.9: bias rate = w / (2 zeta + h w), and gamma K = 1 / a with a = h w (2 zeta + h w).
  double const w = 2.0 * 3.14159265358979323846 * 5.0;
  SoftRow const row = Softness::frequency(5.0, 0.7).row(h, k);
  EXPECT_NEAR(row.bias_rate, w / (1.4 + h * w), 1e-9);
  EXPECT_NEAR(row.gamma / k, 1.0 / (h * w * (1.4 + h * w)), 1e-9);
}

TEST(SoftnessRowTest, NumbersThatLeaveBinary64AreRefusedAndTheSmallestAreSound) {
  for (Softness const& bad :
       {Softness::spring(0.0, 1e-310), Softness::frequency(1e-170, 0.0), Softness::spring(1e-323, 0.0),
        Softness::spring(1e16, 0.0), Softness::erp_cfm(0.5, 1e-13)}) {
    EXPECT_FALSE(bad.is_valid());
  }
  for (Softness const& good : {Softness::spring(0.0, 1e-12), Softness::spring(1e-12, 0.0),
                               Softness::frequency(1e-12, 0.0), Softness::spring(1e15, 1e15)}) {
    ASSERT_TRUE(good.is_valid());
    for (double const inverse_mass : {1e-8, 1.0, 1e4}) {
      SoftRow const row = good.row(1.0 / 64000.0, inverse_mass);
      EXPECT_GT(row.gamma, 0.0);
      EXPECT_LT(row.gamma * 1e30, std::numeric_limits<double>::infinity());
      EXPECT_TRUE(std::isfinite(row.bias_rate));
    }
  }
}

}  // namespace
}  // namespace takt::test
