// Gears as ties between bodies that their own joints do not tie: what sleeps, wakes and falls with them, and
// what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointGearsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointGearsTest, Reals);

/// Two bars of 1 m, hinged to a post each; one would fall to the right and the other to the left, and a gear
/// holds them against each other.
template <class Real>
struct Scales {
  World<Real> world;
  BodyId left;
  BodyId right;
  JointId left_hinge;
  JointId right_hinge;
  JointId gear;

  [[nodiscard]] double left_m() const { return metres(world.center_of_mass(left)).y; }
  [[nodiscard]] double right_m() const { return metres(world.center_of_mass(right)).y; }
};
/// `by_habit`: the gear's own bodies are those that turn; else the left one and its post.
template <class Real>
Scales<Real> make_scales(bool by_habit) {
  Scales<Real> scales{make_world<Real>(), {}, {}, {}, {}, {}};
  World<Real>& world = scales.world;
  double const inertia = 1.0 / 12.0;
  auto const bar = [&](double hinge_x, double centre_x, BodyId& body, JointId& joint) {
    BodyId const post = add_anchor(world, at(hinge_x, 0, 0));
    body = add_mass(world, 1.0, {inertia, inertia, inertia}, at(centre_x, 0, 0));
    Position const hinge = at(hinge_x, 0, 0);
    joint = add_joint(world, revolute_joint(post, body, world.joint_frame(post, hinge, kXToZ),
                                            world.joint_frame(body, hinge, kXToZ)));
    return post;
  };
  BodyId const left_post = bar(-1.0, -1.5, scales.left, scales.left_hinge);
  bar(1.0, 1.5, scales.right, scales.right_hinge);
  scales.gear =
      add_joint(world, gear_joint(scales.left, by_habit ? scales.right : left_post, scales.left_hinge,
                                  JointAxis::kAngularX, scales.right_hinge, JointAxis::kAngularX, -1.0));
  run(world, 120);
  EXPECT_TRUE(world.is_asleep(scales.left));
  EXPECT_TRUE(world.is_asleep(scales.right));
  EXPECT_NEAR(scales.left_m(), 0.0, 1e-3);
  EXPECT_NEAR(scales.right_m(), 0.0, 1e-3);
  return scales;
}

TYPED_TEST(JointGearsTest, BothEndsOfAGearSleepAndWakeTogether) {
  for (bool const by_habit : {true, false}) {
    for (bool const push_left : {true, false}) {
      Scales<TypeParam> scales = make_scales<TypeParam>(by_habit);
      ASSERT_TRUE(scales.world.apply_impulse(push_left ? scales.left : scales.right, {0, -0.5, 0}).ok());
      run(scales.world, 10);
      double const pushed = push_left ? scales.left_m() : scales.right_m();
      double const lifted = push_left ? scales.right_m() : scales.left_m();
      EXPECT_FALSE(scales.world.is_asleep(scales.left));
      EXPECT_FALSE(scales.world.is_asleep(scales.right));
      EXPECT_LT(pushed, -0.02);
      EXPECT_NEAR(lifted, -pushed, 0.01) << by_habit << push_left;
    }
  }
}

TYPED_TEST(JointGearsTest, WhatAGearHeldFallsWhenTheTieGoes) {
  using Cut = void (*)(Scales<TypeParam>&);
  Cut const cuts[] = {
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.destroy_joint(s.left_hinge).ok()); },
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.set_joint_enabled(s.left_hinge, false).ok()); },
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.destroy_joint(s.gear).ok()); },
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.set_joint_enabled(s.gear, false).ok()); },
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.set_enabled(s.left, false).ok()); },
      [](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.destroy_body(s.left).ok()); }};
  for (bool const by_habit : {true, false}) {
    for (std::size_t i = 0; i < std::size(cuts); ++i) {
      Scales<TypeParam> scales = make_scales<TypeParam>(by_habit);
      cuts[i](scales);
      run(scales.world, 20);
      EXPECT_LT(scales.right_m(), -0.1)
          << "cut " << i << (by_habit ? "" : ", the gear's own bodies are others");
    }
  }
}

/// Two wheels on a frame: the first is driven, a gear ties the second to it.
template <class Real>
struct Gearbox {
  World<Real> world;
  BodyId driven;
  BodyId follower;
  JointId first;
  JointId second;
  JointId gear;

  [[nodiscard]] double angle(JointId joint) const {
    return world.joint_coordinate(joint, JointAxis::kAngularX);
  }
  [[nodiscard]] double rate(JointId joint) const { return world.joint_rate(joint, JointAxis::kAngularX); }
};
template <class Real>
Gearbox<Real> make_gearbox(double ratio, Softness softness = {}, double max = kUnbounded) {
  Gearbox<Real> box{make_world<Real>(without_gravity()), {}, {}, {}, {}, {}};
  World<Real>& world = box.world;
  BodyId const frame = add_anchor(world);
  box.driven = add_mass(world, 1.0, {0.5, 0.5, 0.5}, at(0, 0, 0));
  box.follower = add_mass(world, 1.0, {0.2, 0.2, 0.2}, at(2, 0, 0));
  JointFrame there;
  there.position_m = {2, 0, 0};
  box.first =
      add_joint(world, revolute_joint(frame, box.driven, {}, {}).motor(JointAxis::kAngularX, 3.0, 100.0));
  box.second = add_joint(world, revolute_joint(frame, box.follower, there, {}));
  JointDef gear = gear_joint(box.driven, box.follower, box.first, JointAxis::kAngularX, box.second,
                             JointAxis::kAngularX, ratio);
  gear.angular = softness;
  gear.max_torque_n_m = max;
  box.gear = add_joint(world, gear);
  return box;
}

TYPED_TEST(JointGearsTest, WhatIsChangedGoesOnFromWhereTheWheelsAre) {
  using Change = void (*)(Gearbox<TypeParam>&);
  Change const changes[] = {
      [](Gearbox<TypeParam>& b) {  // the frame that the second angle is measured from turns by 90 degrees
        JointDef def = b.world.joint_def(b.second);
        def.frame_b.rotation = about_x(90.0 * kDegree);
        ASSERT_TRUE(b.world.change_joint(b.second, def).ok());
      },
      [](Gearbox<TypeParam>& b) {  // another ratio
        JointDef def = b.world.joint_def(b.gear);
        def.coupling.ratio = -4.0;
        ASSERT_TRUE(b.world.change_joint(b.gear, def).ok());
      },
      [](Gearbox<TypeParam>& b) {  // other coordinates: those of the wheels' positions, which do not move
        JointDef slide = b.world.joint_def(b.second);
        slide.locked = static_cast<std::uint8_t>(slide.locked & ~lock_of(JointAxis::kLinearX));
        ASSERT_TRUE(b.world.change_joint(b.second, slide).ok());
        JointDef def = b.world.joint_def(b.gear);
        def.coupling.axis_2 = JointAxis::kLinearX;
        def.coupling.ratio = 0.5;
        ASSERT_TRUE(b.world.change_joint(b.gear, def).ok());
      },
      [](Gearbox<TypeParam>&
             b) {  // a clutch: the first wheel has turned on for a second when it closes again
        ASSERT_TRUE(b.world.set_joint_enabled(b.gear, false).ok());
        run(b.world, 60);
        ASSERT_TRUE(b.world.set_joint_enabled(b.gear, true).ok());
      }};
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    Gearbox<TypeParam> box = make_gearbox<TypeParam>(-2.0);
    run(box.world, 300);
    // At rest, so that nothing but a stored error could move the wheels.
    JointDef still = box.world.joint_def(box.first);
    still.motor(JointAxis::kAngularX, 0.0, 100.0);
    if (i != 3) {
      ASSERT_TRUE(box.world.change_joint(box.first, still).ok());
    }
    run(box.world, 30);
    changes[i](box);
    ASSERT_TRUE(box.world.change_joint(box.first, still).ok());
    ASSERT_TRUE(box.world.set_velocity(box.driven, {}, {}).ok());
    ASSERT_TRUE(box.world.set_velocity(box.follower, {}, {}).ok());
    double const before = box.angle(box.second);
    double const driven_before = box.angle(box.first);
    double fastest = 0.0;
    for (int tick = 0; tick < 30; ++tick) {
      (void)box.world.step();
      fastest = std::max(fastest, std::max(std::abs(box.rate(box.second)),
                                           length_of(to_double(box.world.linear_velocity(box.follower)))));
    }
    EXPECT_LT(fastest, 0.02) << "change " << i;
    EXPECT_NEAR(box.angle(box.second), before, 1e-3) << "change " << i;
    EXPECT_NEAR(box.angle(box.first), driven_before, 1e-3) << "change " << i;
  }
}

TYPED_TEST(JointGearsTest, ASettingThatIsReadBackAndWrittenAgainLosesNothing) {
  // The position error of a gear must survive every change of a motor's speed.
  Gearbox<TypeParam> box = make_gearbox<TypeParam>(-2.0);
  JointDef skewed = box.world.joint_def(box.first);
  skewed.frame_b.rotation = {0.1, 0.2, 0.3, 0.93};  // normalised on entry
  skewed.frame_a.rotation = skewed.frame_b.rotation;
  ASSERT_TRUE(box.world.change_joint(box.first, skewed).ok());
  double const sum = box.angle(box.first) - 2.0 * box.angle(box.second);
  for (int tick = 0; tick < 600; ++tick) {
    JointDef def = box.world.joint_def(box.first);
    def.motor(JointAxis::kAngularX, tick % 2 == 0 ? 6.0 : -4.0, 50.0);
    ASSERT_TRUE(box.world.change_joint(box.first, def).ok());
    ASSERT_EQ(box.world.joint_def(box.first).frame_b, def.frame_b);
    (void)box.world.step();
  }
  EXPECT_NEAR(box.angle(box.first) - 2.0 * box.angle(box.second), sum, 1e-3);
}

TYPED_TEST(JointGearsTest, AnAngleThatDoesNotCountTurnsCannotBeGeared) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  BodyId const frame = add_anchor(world);
  BodyId const ball = add_mass(world, 1.0, {1, 1, 1}, {});
  BodyId const wheel = add_mass(world, 1.0, {1, 1, 1}, {});
  JointId const socket = add_joint(world, point_joint(frame, ball, {}, {}));
  JointId const hinge = add_joint(world, revolute_joint(frame, wheel, {}, {}));
  for (JointAxis const axis : {JointAxis::kAngularX, JointAxis::kAngularY, JointAxis::kAngularZ}) {
    EXPECT_EQ(
        world.create_joint(gear_joint(ball, wheel, socket, axis, hinge, JointAxis::kAngularX, 1.0)).error(),
        PhysicsError::kJointBadCoupling);
    EXPECT_EQ(
        world.create_joint(gear_joint(wheel, ball, hinge, JointAxis::kAngularX, socket, axis, 1.0)).error(),
        PhysicsError::kJointBadCoupling);
  }
  BodyId const other = add_mass(world, 1.0, {1, 1, 1}, {});
  JointId const second = add_joint(world, revolute_joint(frame, other, {}, {}));
  JointId const gear = add_joint(
      world, gear_joint(wheel, other, hinge, JointAxis::kAngularX, second, JointAxis::kAngularX, 1.0));
  JointDef loose = world.joint_def(second);
  loose.locked = kLockLinear;
  EXPECT_EQ(world.change_joint(second, loose).error(), PhysicsError::kJointBadCoupling);
  JointDef along = world.joint_def(gear);
  along.coupling.joint_2 = second;
  along.coupling.axis_2 = JointAxis::kAngularY;
  EXPECT_EQ(world.change_joint(gear, along).error(), PhysicsError::kJointBadCoupling);
}

TYPED_TEST(JointGearsTest, BothAnglesOfAUniversalJointCountTurnsAndCanBeGeared) {
  // Locked about y: the turn about z on a's side comes before it, that about x on b's after it.
  for (JointAxis const axis : {JointAxis::kAngularX, JointAxis::kAngularZ}) {
    World<TypeParam> world = make_world<TypeParam>(without_gravity());
    BodyId const frame = add_anchor(world);
    BodyId const knuckle = add_mass(world, 1.0, {0.3, 0.3, 0.3}, {});
    BodyId const wheel = add_mass(world, 1.0, {0.3, 0.3, 0.3}, at(2, 0, 0));
    JointFrame there;
    there.position_m = {2, 0, 0};
    JointDef universal = point_joint(frame, knuckle, {}, {});
    universal.kind = JointKind::kGeneric;
    universal.locked = static_cast<std::uint8_t>(kLockLinear | lock_of(JointAxis::kAngularY));
    universal.motor(axis, 4.0, 50.0);
    universal.drive(axis == JointAxis::kAngularX ? JointAxis::kAngularZ : JointAxis::kAngularX, 0.0, {});
    JointId const first = add_joint(world, universal);
    JointId const second = add_joint(world, revolute_joint(frame, wheel, there, {}));
    add_joint(world, gear_joint(knuckle, wheel, first, axis, second, JointAxis::kAngularX, -0.5));
    double fastest = 0.0;
    for (int i = 0; i < 600; ++i) {
      (void)world.step();
      if (i > 60) fastest = std::max(fastest, std::abs(world.joint_rate(second, JointAxis::kAngularX) - 8.0));
    }
    EXPECT_NEAR(world.joint_coordinate(first, axis), 40.0, 0.5);
    EXPECT_NEAR(world.joint_coordinate(second, JointAxis::kAngularX), 80.0, 1.0);
    EXPECT_LT(fastest, 0.05) << "no jump where an angle wraps";
  }
}

TYPED_TEST(JointGearsTest, AGearIsAsSoftAndAsWeakAsItIsTold) {
  // The follower on a spring of torsion: it lags behind a driven wheel that is held, and swings as an
  // oscillator of its inertia.
  Gearbox<TypeParam> soft = make_gearbox<TypeParam>(-1.0, Softness::spring(5.0, 0.0));
  JointDef held = soft.world.joint_def(soft.first);
  held.motor(JointAxis::kAngularX, 0.0, 1e6);
  ASSERT_TRUE(soft.world.change_joint(soft.first, held).ok());
  ASSERT_TRUE(soft.world.set_velocity(soft.follower, {}, {1.0, 0, 0}).ok());
  // Quarter of a period: pi / 2 sqrt(I / k) = 0.314 s = 18.8 ticks; amplitude w sqrt(I / k) = 0.2 rad.
  double max = 0.0;
  int at_most = 0;
  for (int i = 1; i < 40; ++i) {
    (void)soft.world.step();
    if (soft.angle(soft.second) > max) {
      max = soft.angle(soft.second);
      at_most = i;
    }
  }
  EXPECT_NEAR(max, 0.2, 0.01);
  EXPECT_NEAR(at_most, 18.8, 1.5);

  // A slipping clutch: 0.1 N m on 0.2 kg m^2.
  Gearbox<TypeParam> weak = make_gearbox<TypeParam>(-1.0, {}, 0.1);
  run(weak.world, 120);
  EXPECT_NEAR(weak.rate(weak.second), 1.0, 0.02);
  EXPECT_NEAR(weak.rate(weak.first), 3.0, 0.02);
  EXPECT_NEAR(length_of(weak.world.joint(weak.gear).torque_n_m), 0.1, 1e-3);

  // Properties without effect are refused.
  JointDef gear = weak.world.joint_def(weak.gear);
  gear.linear = Softness::spring(1.0, 1.0);
  EXPECT_EQ(weak.world.change_joint(weak.gear, gear).error(), PhysicsError::kJointBadCoupling);
  gear = weak.world.joint_def(weak.gear);
  gear.max_force_n = 1.0;
  EXPECT_EQ(weak.world.change_joint(weak.gear, gear).error(), PhysicsError::kJointBadCoupling);
}

TYPED_TEST(JointGearsTest, APulleyIsAsSoftAndAsWeakAsItIsTold) {
  auto const hung = [](Softness softness, double max) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId const post = add_anchor(world, at(-1, -2, 0));
    BodyId const load = add_mass(world, 2.0, {0.1, 0.1, 0.1}, at(1, -2, 0));
    JointDef def = pulley_joint(post, load, {}, {}, at(-1, 0, 0), at(1, 0, 0), 4.0);
    def.linear = softness;
    def.max_force_n = max;
    JointId const pulley = add_joint(world, def);
    run(world, 900);
    return std::pair{-2.0 - metres(world.center_of_mass(load)).y, world.joint(pulley).force_n.y};
  };
  auto const [stretch, force] = hung(Softness::spring(100.0, 30.0), kUnbounded);
  EXPECT_NEAR(stretch, 2.0 * 9.81 / 100.0, 2e-3);
  EXPECT_NEAR(force, 2.0 * 9.81, 0.05);
  auto const [fallen, slipping] = hung({}, 5.0);
  EXPECT_GT(fallen, 100.0);
  EXPECT_NEAR(slipping, 5.0, 0.05);
}

}  // namespace
}  // namespace takt::test
