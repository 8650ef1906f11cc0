// Each kind of joint: what is free is free, what is locked stays, limits, motors, reactions, momentum,
// breaking.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "joint_kinds.h"

namespace takt::test {
namespace {

template <class Real>
class JointKindsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointKindsTest, Reals);

constexpr JointAxis kSix[] = {JointAxis::kLinearX,  JointAxis::kLinearY,  JointAxis::kLinearZ,
                              JointAxis::kAngularX, JointAxis::kAngularY, JointAxis::kAngularZ};

TYPED_TEST(JointKindsTest, WhatIsLockedStaysForAMinuteUnderLoad) {
  for (std::size_t k = 0; k < kinds({}, {}).size(); ++k) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId const a = add_anchor(world);
    BodyId const b = add_mass(world, 3.0, {0.2, 0.3, 0.4}, at(1, 0, 0));
    Kind const kind = kinds(a, b)[k];
    JointId const joint = add_joint(world, kind.def);
    bool const rigid = kind.def.linear.is_rigid() && kind.def.max_force_n == kUnbounded;
    double metres_off = 0.0;
    double radians_off = 0.0;
    for (int i = 0; i < 3600; ++i) {
      if (i % 60 == 0) {
        ASSERT_TRUE(world.apply_impulse_at(b, {0.3, -0.2, 0.5}, world.pose(b).position).ok());
      }
      (void)world.step();
      for (unsigned c = 0; c < 6; ++c) {
        if ((kind.def.locked & lock_of(kSix[c])) == 0) continue;
        (c < 3 ? metres_off : radians_off) =
            std::max(c < 3 ? metres_off : radians_off, std::abs(world.joint_coordinate(joint, kSix[c])));
      }
    }
    if (rigid) {
      EXPECT_LT(metres_off, 1e-3) << kind.name;
    }
    if (rigid && kind.def.angular.is_rigid()) {
      EXPECT_LT(radians_off, 0.1 * kDegree) << kind.name;
    }
    ASSERT_FALSE(world.is_quarantined(b)) << kind.name;
  }
}

TYPED_TEST(JointKindsTest, MomentumIsKeptToRounding) {
  for (std::size_t k = 0; k < kinds({}, {}).size(); ++k) {
    World<TypeParam> world = make_world<TypeParam>(without_gravity());
    // Round bodies: their angular momentum is inertia x spin.
    BodyId const a = add_mass(world, 2.0, {0.5, 0.5, 0.5}, at(0, 0, 0));
    BodyId const b = add_mass(world, 3.0, {0.7, 0.7, 0.7}, at(1, 0, 0));
    Kind const kind = kinds(a, b)[k];
    (void)add_joint(world, kind.def);
    ASSERT_TRUE(world.set_velocity(a, {0.3, -0.4, 0.1}, {0.5, 1.0, -0.7}).ok());
    ASSERT_TRUE(world.set_velocity(b, {-0.2, 0.6, 0.2}, {-1.5, 0.4, 0.9}).ok());
    auto const momentum = [&](Vec3<double>& linear, Vec3<double>& angular) {
      linear = to_double(world.linear_velocity(a)) * 2.0 + to_double(world.linear_velocity(b)) * 3.0;
      angular = cross(metres(world.center_of_mass(a)), to_double(world.linear_velocity(a)) * 2.0) +
                cross(metres(world.center_of_mass(b)), to_double(world.linear_velocity(b)) * 3.0) +
                to_double(world.angular_velocity(a)) * 0.5 + to_double(world.angular_velocity(b)) * 0.7;
    };
    Vec3<double> linear, angular;
    momentum(linear, angular);
    run(world, 300);
    Vec3<double> linear_after, angular_after;
    momentum(linear_after, angular_after);
    // 1,200 substeps with three roundings of speeds below 4 m/s each, at random: 60 x 4 x 3 kg x 2^-24 (a
    // Q31.32 unit for Fixed). Angular: an impulse acts at arms of the substep's start while the centres move
    // on, which turns momentum only along itself: no more than that.
    double const max = 2000.0 * kRounding<TypeParam>;
    EXPECT_LT(length_of(linear_after - linear), max) << kind.name;
    EXPECT_LT(length_of(angular_after - angular), 5.0 * max) << kind.name;
  }
}

TYPED_TEST(JointKindsTest, FreeAxesAreFree) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  BodyId const a = add_anchor(world);
  BodyId const b = add_mass(world, 2.0, {0.5, 0.5, 0.5}, {});
  (void)add_joint(world, revolute_joint(a, b, {}, {}));
  ASSERT_TRUE(world.set_velocity(b, {}, {2.0, 0, 0}).ok());
  run(world, 600);
  // 2,400 substeps, each rounding the spin once at most: 50 x 2^-24 x 2.
  EXPECT_NEAR(to_double(world.angular_velocity(b).x), 2.0, 1e-5);
  World<TypeParam> sliding = make_world<TypeParam>(without_gravity());
  BodyId const c = add_anchor(sliding);
  BodyId const d = add_mass(sliding, 2.0, {0.5, 0.5, 0.5}, {});
  JointId const slider = add_joint(sliding, prismatic_joint(c, d, {}, {}));
  ASSERT_TRUE(sliding.set_velocity(d, {1.5, 0, 0}, {}).ok());
  run(sliding, 600);
  EXPECT_NEAR(sliding.joint_coordinate(slider, JointAxis::kLinearX), 15.0, 1e-4);
  EXPECT_NEAR(sliding.joint_rate(slider, JointAxis::kLinearX), 1.5, 1e-5);
}

TYPED_TEST(JointKindsTest, AHingeCountsTurns) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  BodyId const a = add_anchor(world);
  BodyId const b = add_mass(world, 2.0, {0.5, 0.5, 0.5}, {});
  JointId const joint = add_joint(world, revolute_joint(a, b, {}, {}));
  ASSERT_TRUE(world.set_velocity(b, {}, {-10.0, 0, 0}).ok());
  run(world, 300);
  // The pose is turned by atan of half the step each substep: (10 / 240)^2 / 12 short of 50 rad.
  EXPECT_NEAR(world.joint_coordinate(joint, JointAxis::kAngularX), -50.0, 50.0 * 2e-4);
}

TYPED_TEST(JointKindsTest, LimitsStopWithinATenthOfADegreeAndAMillimetre) {
  // A rod falls from level on a hinge with a bound 60 degrees down, and a weight on a slider with a bound.
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const a = add_anchor(world);
  BodyId const rod = add_mass(world, 3.0, {0.02, 0.25, 0.25}, at(0.5, 0, 0));
  JointFrame fa;
  fa.rotation = kXToZ;
  JointFrame fb = fa;
  fb.position_m = {-0.5, 0, 0};
  JointId const hinge = add_joint(
      world, revolute_joint(a, rod, fa, fb).limit(JointAxis::kAngularX, -60 * kDegree, 60 * kDegree));
  BodyId const weight = add_mass(world, 50.0, {1, 1, 1}, at(5, 0, 0));
  JointFrame sa;
  sa.position_m = {5, 0, 0};
  sa.rotation = kXToY;
  JointFrame sb;
  sb.rotation = kXToY;
  JointId const slider =
      add_joint(world, prismatic_joint(a, weight, sa, sb).limit(JointAxis::kLinearX, -1.0, 0.5));
  double min_angle = 0.0;
  double min_height = 0.0;
  for (int i = 0; i < 600; ++i) {
    (void)world.step();
    min_angle = std::min(min_angle, world.joint_coordinate(hinge, JointAxis::kAngularX));
    min_height = std::min(min_height, world.joint_coordinate(slider, JointAxis::kLinearX));
  }
  EXPECT_LT(min_angle, -59.9 * kDegree);  // it got there
  EXPECT_GT(min_angle, -60.1 * kDegree);
  EXPECT_LT(min_height, -0.999);
  EXPECT_GT(min_height, -1.001);
  EXPECT_NEAR(world.joint(slider).force_n.y, 50 * 9.81, 0.01 * 50 * 9.81);
}

TYPED_TEST(JointKindsTest, AConeAndATwistBoundAPoint) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const a = add_anchor(world);
  BodyId const arm = add_mass(world, 2.0, {0.05, 0.2, 0.2}, at(0.5, 0, 0));
  JointFrame fb;
  fb.position_m = {-0.5, 0, 0};
  JointId const joint = add_joint(world, point_joint(a, arm, {}, fb)
                                             .limit(JointAxis::kSwing, 0.0, 30 * kDegree)
                                             .limit(JointAxis::kAngularX, -20 * kDegree, 20 * kDegree));
  ASSERT_TRUE(world.set_velocity(arm, {}, {3.0, 0, 0}).ok());
  double max_swing = 0.0;
  double max_twist = 0.0;
  for (int i = 0; i < 600; ++i) {
    (void)world.step();
    max_swing = std::max(max_swing, world.joint_coordinate(joint, JointAxis::kSwing));
    max_twist = std::max(max_twist, std::abs(world.joint_coordinate(joint, JointAxis::kAngularX)));
  }
  EXPECT_GT(max_swing, 29.9 * kDegree);
  EXPECT_LT(max_swing, 30.1 * kDegree);
  EXPECT_LT(max_twist, 20.1 * kDegree);
  EXPECT_GT(max_twist, 15.0 * kDegree);
}

TYPED_TEST(JointKindsTest, AMotorReachesItsSpeedWithNoMoreThanItsTorque) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  BodyId const a = add_anchor(world);
  BodyId const wheel = add_mass(world, 2.0, {0.5, 0.4, 0.4}, {});
  JointId const joint =
      add_joint(world, revolute_joint(a, wheel, {}, {}).motor(JointAxis::kAngularX, 6.0, 1.5));
  double before = 0.0;
  for (int i = 0; i < 240; ++i) {
    (void)world.step();
    double const spin = to_double(world.angular_velocity(wheel).x);
    EXPECT_LE(spin - before, 1.5 / 0.5 / 60.0 * (1.0 + 1e-5));  // torque / inertia x tick
    EXPECT_LE(std::abs(world.joint(joint).torque_n_m.x), 1.5 * (1.0 + 1e-6));
    before = spin;
  }
  EXPECT_NEAR(before, 6.0, 1e-5);
}

TYPED_TEST(JointKindsTest, AMotorOnASliderLiftsItsLoadWithNoMoreThanItsForce) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const a = add_anchor(world);
  BodyId const cage = add_mass(world, 20.0, {1, 1, 1}, {});
  JointFrame up;
  up.rotation = kXToY;
  JointId const joint =
      add_joint(world, prismatic_joint(a, cage, up, up).motor(JointAxis::kLinearX, 2.0, 250.0));
  double before = 0.0;
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    double const speed = to_double(world.linear_velocity(cage).y);
    EXPECT_LE(speed - before,
              (250.0 / 20.0 - 9.81) / 60.0 * (1.0 + 1e-4));  // what the weight leaves of the force
    EXPECT_LE(std::abs(world.joint(joint).force_n.y), 250.0 * (1.0 + 1e-6));
    before = speed;
  }
  EXPECT_NEAR(before, 2.0, 1e-5);
  EXPECT_NEAR(world.joint(joint).force_n.y, 20.0 * 9.81, 0.01 * 20.0 * 9.81);
  // One that is too weak for the weight lets it down by what is missing.
  JointDef weak = world.joint_def(joint);
  ASSERT_TRUE(world.change_joint(joint, weak.motor(JointAxis::kLinearX, 2.0, 150.0)).ok());
  run(world, 60);
  EXPECT_NEAR(to_double(world.linear_velocity(cage).y), 2.0 + 150.0 / 20.0 - 9.81, 0.01);
}

TYPED_TEST(JointKindsTest, ReactionsAreTheLoad) {
  // A beam welded to a wall carries its weight and the moment of it.
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const wall = add_anchor(world);
  BodyId const beam = add_mass(world, 4.0, {0.1, 1.0, 1.0}, at(1, 0, 0));
  JointFrame fb;
  fb.position_m = {-1, 0, 0};
  JointId const weld = add_joint(world, weld_joint(wall, beam, {}, fb));
  run(world, 60);
  JointView const view = world.joint(weld);
  EXPECT_NEAR(view.force_n.y, 4.0 * 9.81, 0.004 * 9.81);
  EXPECT_NEAR(view.torque_n_m.z, 4.0 * 9.81 * 1.0, 0.01 * 4.0 * 9.81);
  EXPECT_NEAR(view.force_n.x, 0.0, 0.05);
}

TYPED_TEST(JointKindsTest, BreaksAtItsThresholdAndSaysSo) {
  for (bool const strong : {false, true}) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId const a = add_anchor(world);
    BodyId const b = add_mass(world, 10.0, {1, 1, 1}, at(0, -1, 0));
    JointFrame fb;
    fb.position_m = {0, 1, 0};
    JointDef def = point_joint(a, b, {}, fb);
    def.break_force_n = strong ? 98.1 * 1.01 : 98.1 * 0.99;
    JointId const joint = add_joint(world, def);
    (void)world.step();
    EXPECT_EQ(world.events().broken_joints.size(), strong ? 0u : 1u);
    run(world, 60);
    EXPECT_EQ(world.joint(joint).broken, !strong);
    EXPECT_EQ(metres(world.center_of_mass(b)).y < -2.0, !strong);
    // Mended, it holds what is left of the way.
    if (strong) continue;
    def.break_force_n = kUnbounded;
    ASSERT_TRUE(world.change_joint(joint, def).ok());
    ASSERT_TRUE(world.set_joint_enabled(joint, true).ok());
    run(world, 600);
    EXPECT_LT(gap_m(world, joint), 1e-3);
  }
}

TYPED_TEST(JointKindsTest, APendulumSwingsAsTheEllipticIntegralSays) {
  // 1 m, released at 60 degrees: T = 4 sqrt(L / g) K(sin 30 deg), K = 1.68575035481.
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const a = add_anchor(world);
  BodyId const bob =
      add_mass(world, 1.0, {1e-4, 1e-4, 1e-4}, at(std::sin(60 * kDegree), -std::cos(60 * kDegree), 0));
  (void)add_joint(world, distance_joint(a, bob, {}, {}, 1.0));
  double const period = 4.0 * std::sqrt(1.0 / 9.81) * 1.68575035481;
  // Crossings of the lowest point over ten periods.
  double first = -1.0;
  double last = 0.0;
  int crossings = 0;
  double before = 1.0;
  for (int i = 1; i < 60 * 26; ++i) {
    (void)world.step();
    double const x = metres(world.center_of_mass(bob)).x;
    if (before > 0.0 && x <= 0.0) {
      double const when = (i - 1 + before / (before - x)) / 60.0;
      if (first < 0.0) first = when;
      last = when;
      ++crossings;
    }
    before = x;
  }
  EXPECT_NEAR((last - first) / (crossings - 1) / period, 1.0,
              2e-3);  // first order in a substep of 4 ms: 0.1 %
}

TYPED_TEST(JointKindsTest, ASteeredWheelRollsAndSteers) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  BodyId const car = add_anchor(world);
  BodyId const wheel = add_mass(world, 2.0, {0.2, 0.2, 0.3}, {});
  JointFrame up;
  up.rotation = kXToY;  // x is the suspension; z the axle
  JointDef def = wheel_joint(car, wheel, up, up, Softness::frequency(4.0, 0.7), true);
  def.motor(JointAxis::kAngularZ, 12.0, 4.0)
      .drive(JointAxis::kAngularX, 0.4, Softness::frequency(10.0, 1.0), 50.0);
  JointId const joint = add_joint(world, def);
  run(world, 300);
  EXPECT_NEAR(world.joint_rate(joint, JointAxis::kAngularZ), 12.0, 0.05);
  EXPECT_NEAR(world.joint_coordinate(joint, JointAxis::kAngularX), 0.4, 0.01);
  EXPECT_LT(std::abs(world.joint_coordinate(joint, JointAxis::kAngularY)), 0.1 * kDegree);
  EXPECT_GT(world.joint_coordinate(joint, JointAxis::kAngularZ), 40.0);  // it counts turns
}

}  // namespace
}  // namespace takt::test
