// Joints that are changed at run time: what they count, remember and show afterwards.
#include <gtest/gtest.h>

#include <cmath>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointChangesTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointChangesTest, Reals);

template <class Real>
struct Wheel {
  World<Real> world;
  BodyId body;
  JointId hinge;
};
template <class Real>
Wheel<Real> make_wheel(const WorldDef& def = without_gravity()) {
  Wheel<Real> wheel{make_world<Real>(def), {}, {}};
  BodyId const frame = add_anchor(wheel.world);
  wheel.body = add_mass(wheel.world, 2.0, {0.3, 0.3, 0.3}, {});
  wheel.hinge = add_joint(wheel.world, revolute_joint(frame, wheel.body, {}, {}));
  return wheel;
}
template <class Real>
void change(Wheel<Real>& wheel, auto how) {
  JointDef def = wheel.world.joint_def(wheel.hinge);
  how(def);
  ASSERT_TRUE(wheel.world.change_joint(wheel.hinge, def).ok());
}

TYPED_TEST(JointChangesTest, AnotherAngleDoesNotInheritTheTurnsOfTheLast) {
  Wheel<TypeParam> wheel = make_wheel<TypeParam>();
  change(wheel, [](JointDef& def) { def.motor(JointAxis::kAngularX, 6.0, 100.0); });
  run(wheel.world, 600);
  double const rotated = wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX);
  EXPECT_NEAR(rotated, 60.0, 0.5);
  // Another place of the same angle goes on counting.
  change(wheel, [](JointDef& def) { def.frame_b.rotation = about_x(1.0); });
  EXPECT_NEAR(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX), rotated + 1.0, 1e-6);
  change(wheel, [](JointDef& def) { def.frame_b.rotation = {}; });
  EXPECT_NEAR(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX), rotated, 1e-6);
  // Free of its hinge, and then a hinge about y: that has not turned yet.
  change(wheel, [](JointDef& def) {
    def.axis_count = 0;
    def.locked = kLockLinear | lock_of(JointAxis::kAngularX) | lock_of(JointAxis::kAngularZ);
  });
  EXPECT_LE(std::abs(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularY)), 3.15);
  change(wheel, [](JointDef& def) { def.locked = kLockLinear; });
  change(wheel, [](JointDef& def) {
    def.locked = kLockLinear | lock_of(JointAxis::kAngularY) | lock_of(JointAxis::kAngularZ);
  });
  EXPECT_LE(std::abs(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX)), 3.15);
  run(wheel.world, 1);
  EXPECT_LE(std::abs(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX)), 3.15);
}

TYPED_TEST(JointChangesTest, AFrameThatIsWrittenAgainCountsAsManyTurnsAsItsOwnAngleHas) {
  // A limit of ten turns that is set while the frame turns: the wheel stops at ten turns, not at the next one
  // of them.
  Wheel<TypeParam> wheel = make_wheel<TypeParam>();
  change(wheel, [](JointDef& def) { def.motor(JointAxis::kAngularX, 10.0, 100.0); });
  run(wheel.world, 120);
  change(wheel, [](JointDef& def) {
    def.frame_a.rotation = about_x(-1.5);
    def.limit(JointAxis::kAngularX, -kUnbounded, 62.8);
  });
  run(wheel.world, 600);
  EXPECT_NEAR(wheel.world.joint_coordinate(wheel.hinge, JointAxis::kAngularX), 62.8, 0.05);
}

/// Parts that press for a second against each other, and are then taken away again.
template <class Real>
void expect_forgotten(auto press, auto let_go) {
  auto const hash_after = [&](bool pressed) {
    Wheel<Real> wheel = make_wheel<Real>();
    change(wheel, [&](JointDef& def) { press(def, pressed ? 20.0 : 1e-12); });
    run(wheel.world, 60);
    change(wheel, let_go);
    EXPECT_TRUE(wheel.world.set_pose(wheel.body, {}, {}).ok());
    EXPECT_TRUE(wheel.world.set_velocity(wheel.body, {}, {}).ok());
    run(wheel.world, 60);
    // An equal definition again, so that nothing but the stored impulses could differ.
    change(wheel, [](JointDef& def) {
      def.enabled = true;
      def.axis_count = 0;
      def.axes = {};
      def.motor(JointAxis::kAngularX, 1.0, 3.0)
          .friction(JointAxis::kAngularX, 0.1)
          .limit(JointAxis::kAngularX, -0.5, 0.5);
    });
    run(wheel.world, 1);
    return wheel.world.hash();
  };
  EXPECT_EQ(hash_after(true), hash_after(false));
}

TYPED_TEST(JointChangesTest, APartThatIsSwitchedOffForgetsWhatItPressedWith) {
  // A motor against a limit.
  auto const press = [](JointDef& def, double max) {
    def.motor(JointAxis::kAngularX, 5.0, max).limit(JointAxis::kAngularX, 0.0, 0.0);
  };
  expect_forgotten<TypeParam>(press, [](JointDef& def) {
    def.motor(JointAxis::kAngularX, 0.0, 0.0);
    def.limit(JointAxis::kAngularX, -kUnbounded, kUnbounded);
  });
  expect_forgotten<TypeParam>(press, [](JointDef& def) { def.axis_count = 0; });
  expect_forgotten<TypeParam>(press, [](JointDef& def) { def.enabled = false; });
  // A spring against friction, and a bounded spring.
  for (double const max : {kUnbounded, 100.0}) {
    expect_forgotten<TypeParam>(
        [max](JointDef& def, double force) {
          def.drive(JointAxis::kAngularX, force / 20.0, Softness::spring(10.0, 1.0), max)
              .friction(JointAxis::kAngularX, 50.0);
        },
        [](JointDef& def) {
          def.axis(JointAxis::kAngularX).has_drive = false;
          def.friction(JointAxis::kAngularX, 0.0);
        });
  }
}

TYPED_TEST(JointChangesTest, WhatDoesNotActShowsNoForce) {
  using Stop = void (*)(Wheel<TypeParam>&);
  Stop const stops[] = {
      [](Wheel<TypeParam>& w) { ASSERT_TRUE(w.world.set_joint_enabled(w.hinge, false).ok()); },
      [](Wheel<TypeParam>& w) { change(w, [](JointDef& def) { def.enabled = false; }); },
      [](Wheel<TypeParam>& w) { ASSERT_TRUE(w.world.set_type(w.body, BodyType::kKinematic).ok()); },
      [](Wheel<TypeParam>& w) { ASSERT_TRUE(w.world.set_enabled(w.body, false).ok()); }};
  for (std::size_t i = 0; i < std::size(stops); ++i) {
    Wheel<TypeParam> wheel = make_wheel<TypeParam>(WorldDef{});
    run(wheel.world, 120);
    EXPECT_TRUE(wheel.world.is_asleep(wheel.body));
    EXPECT_NEAR(wheel.world.joint(wheel.hinge).force_n.y, 2.0 * 9.81, 0.01) << "asleep it is carried still";
    stops[i](wheel);
    if (i < 2) {
      EXPECT_EQ(wheel.world.joint(wheel.hinge).force_n, Vec3<double>{}) << i;
    }
    run(wheel.world, 1);
    EXPECT_EQ(wheel.world.joint(wheel.hinge).force_n, Vec3<double>{}) << i;
    EXPECT_EQ(wheel.world.joint(wheel.hinge).torque_n_m, Vec3<double>{}) << i;
  }
  // A joint that breaks shows what broke it, in that tick.
  Wheel<TypeParam> torn = make_wheel<TypeParam>(awake());
  run(torn.world, 10);
  change(torn, [](JointDef& def) { def.break_force_n = 10.0; });
  run(torn.world, 1);
  EXPECT_TRUE(torn.world.joint(torn.hinge).broken);
  EXPECT_NEAR(torn.world.joint(torn.hinge).force_n.y, 2.0 * 9.81, 0.01);
  run(torn.world, 1);
  EXPECT_EQ(torn.world.joint(torn.hinge).force_n, Vec3<double>{});
}

}  // namespace
}  // namespace takt::test
