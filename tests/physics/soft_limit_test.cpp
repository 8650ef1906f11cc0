// Limits that are springs: a body that arrives at one, at any speed, is braked by the spring and damper and
// by nothing else.
#include <gtest/gtest.h>

#include "joint_world.h"
#include "one_sided_spring.h"

namespace takt::test {
namespace {

template <class Real>
class JointSoftLimitTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointSoftLimitTest, Reals);

/// A body on a vertical slider above a bumper at height 0, or hanging upside down below one.
template <class Real>
struct Bumper {
  World<Real> world;
  BodyId body;
  JointId joint;
  double sign;

  Bumper(const WorldDef& def, double height_m, double speed_m_s, const Softness& softness, bool upper = false)
      : world(make_world<Real>(def)), sign(upper ? -1.0 : 1.0) {
    BodyId const anchor = add_anchor(world);
    body = add_mass(world, kMassKg, {0.1, 0.1, 0.1}, at(0, sign * height_m, 0));
    EXPECT_TRUE(world.set_velocity(body, {0.0, -sign * speed_m_s, 0.0}, {}).ok());
    JointFrame frame;
    frame.rotation = kXToY;
    JointDef def_of_joint = prismatic_joint(anchor, body, frame, frame);
    def_of_joint.limit(JointAxis::kLinearX, upper ? -kUnbounded : 0.0, upper ? 0.0 : kUnbounded, softness);
    joint = add_joint(world, def_of_joint);
  }
  [[nodiscard]] double height() const { return sign * metres(world.center_of_mass(body)).y; }
};

TYPED_TEST(JointSoftLimitTest, ABumperFollowsTheImplicitRecurrenceAtAnySpeed) {
  for (std::uint32_t const substeps : {4u, 16u}) {
    for (double const speed : {0.125, 1.0, 5.0, 20.0}) {
      for (double const hertz : {1.0, 4.0, 15.0}) {
        for (double const ratio : {0.0, 0.3, 1.0, 4.0}) {
          for (bool const upper : {false, true}) {
            double const w = kTwoPi * hertz;
            // By frequency the row's mass is the body's; as a spring nothing asks for it.
            Softness const softness = upper ? Softness::spring(kMassKg * w * w, 2.0 * kMassKg * ratio * w)
                                            : Softness::frequency(hertz, ratio);
            Bumper<TypeParam> bumper(exact_in_flight(substeps, upper ? 8.0 : -8.0), 0.3125, speed, softness,
                                     upper);
            OneSidedSpring expected{
                kMassKg, kMassKg * w * w, 2.0 * kMassKg * ratio * w, 1.0 / (64.0 * substeps), -8.0,
                0.3125,  -speed};
            double const max = rounding_m<TypeParam>(substeps, speed, w);
            for (int tick = 0; tick < 64; ++tick) {
              (void)bumper.world.step();
              expected.tick(static_cast<int>(substeps));
              ASSERT_NEAR(bumper.height(), expected.x_m, max)
                  << substeps << " substeps, " << speed << " m/s, " << hertz << " Hz, ratio " << ratio
                  << (upper ? ", upper" : ", lower") << ", tick " << tick;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(JointSoftLimitTest, WithManySubstepsABumperGivesAsFarAsTheExactMotion) {
  WorldDef def = without_gravity();
  def.tick_rate_hz = 1000;
  def.substeps = 64;
  for (double const speed : {0.5, 5.0, 20.0}) {
    for (double const ratio : {0.0, 0.25, 1.0, 2.0}) {
      double const w = kTwoPi * 4.0;
      Bumper<TypeParam> bumper(def, 0.01, speed, Softness::frequency(4.0, ratio));
      double lowest = 0.0;
      for (int tick = 0; tick < 200; ++tick) {
        (void)bumper.world.step();
        lowest = std::min(lowest, bumper.height());
      }
      // Implicit Euler is of first order: what it is off by is a small multiple of h w (1 + 2 x ratio).
      // Between two ticks T the turn is deeper by (w T)^2 / 8.
      double const h_w = w / 64000.0;
      double const share = 2.0 * h_w * (1.0 + 2.0 * ratio) + (w / 1000.0) * (w / 1000.0) / 8.0;
      EXPECT_NEAR(-lowest / deepest(speed, w, ratio), 1.0, share) << speed << " m/s, ratio " << ratio;
    }
  }
}

TYPED_TEST(JointSoftLimitTest, NoArrivalAtABumperGainsEnergy) {
  // Without a damper, at rates from slow to far above the substep's: it never leaves faster than it came.
  for (double const hertz : {0.5, 5.0, 30.0, 200.0, 2000.0}) {
    for (double const height : {0.25, 0.2625, 0.28125, 0.3125}) {
      Bumper<TypeParam> bumper(exact_in_flight(4, 0.0), height, 12.0, Softness::frequency(hertz, 0.0));
      run(bumper.world, 128);
      double const left = to_double(bumper.world.linear_velocity(bumper.body).y);
      EXPECT_LE(left, 12.0 * (1.0 + 1e-6)) << hertz << " Hz from " << height;
      EXPECT_GE(left, 0.0);
      if (hertz < 1.0) {
        EXPECT_GT(left, 0.9 * 12.0);  // h w = 0.01: half a swing of implicit Euler keeps e^(-pi h w / 2)
      }
    }
  }
}

TYPED_TEST(JointSoftLimitTest, ABodySettlesOnABumperByItsWeightOverTheStiffness) {
  Bumper<TypeParam> bumper(exact_in_flight(4, -8.0), 0.25, 2.0, Softness::spring(400.0, 30.0));
  run(bumper.world, 64 * 10);
  EXPECT_NEAR(bumper.height() / (-kMassKg * 8.0 / 400.0), 1.0, 1e-4);
  EXPECT_NEAR(bumper.world.joint(bumper.joint).force_n.y, kMassKg * 8.0, 1e-3 * kMassKg * 8.0);
}

TYPED_TEST(JointSoftLimitTest, ALimitWithoutStiffnessAndDampingIsNone) {
  Bumper<TypeParam> bumper(exact_in_flight(4, 0.0), 0.25, 2.0, Softness::spring(0.0, 0.0));
  run(bumper.world, 64);
  EXPECT_NEAR(bumper.height(), 0.25 - 2.0, 1e-6);
}

TYPED_TEST(JointSoftLimitTest, AHingeFallsOnASoftStopAsABodyOnASpring) {
  // A wheel about a fixed axle, 2 kg m^2, against a stop of 300 N m/rad: the same recurrence, turned.
  for (double const speed : {0.5, 3.0}) {
    World<TypeParam> world = make_world<TypeParam>(exact_in_flight(4, 0.0));
    BodyId const anchor = add_anchor(world);
    BodyId const wheel = add_mass(world, 1.0, {2.0, 2.0, 2.0}, Position{});
    ASSERT_TRUE(world.set_velocity(wheel, {}, {0.0, 0.0, -speed}).ok());
    JointFrame frame;
    frame.rotation = kXToZ;
    (void)add_joint(world, revolute_joint(anchor, wheel, frame, frame)
                               .limit(JointAxis::kAngularX, -0.3, kUnbounded, Softness::spring(300.0, 2.0)));
    OneSidedSpring expected{2.0, 300.0, 2.0, 1.0 / 256.0, 0.0, 0.3, -speed};
    double const sense = dot(rotate(kXToZ, Vec3<double>{1.0, 0.0, 0.0}), Vec3<double>{0.0, 0.0, 1.0});
    ASSERT_NEAR(sense, 1.0, 1e-12);
    for (int tick = 0; tick < 64; ++tick) {
      (void)world.step();
      expected.tick(4);
      // A substep turns by 2 atan(h speed / 2), which is short by (h speed)^3 / 12; 256 of them, and sqrt(300
      // / 2) rad/s times as much in speed. Beside it what the quaternion's rounding makes: a walk of 256 x 4
      // x 2^-24 rad.
      double const turn = 256.0 * std::pow(speed / 256.0, 3.0) / 12.0 + 16.0 * 4.0 / 16777216.0;
      ASSERT_NEAR(to_double(world.angular_velocity(wheel).z), expected.speed_m_s, turn * std::sqrt(150.0))
          << speed << " rad/s, tick " << tick;
    }
  }
}

}  // namespace
}  // namespace takt::test
