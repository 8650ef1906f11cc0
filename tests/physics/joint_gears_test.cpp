// Gears as ties between bodies that their own joints do not tie: what sleeps, wakes and falls with them, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointGearsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointGearsTest, Reals);

/// Two bars of 1 m, hinged to a post each; one would fall to the right and the other to the left, and a gear holds them against each other.
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
    joint = add_joint(world, revolute_joint(post, body, world.joint_frame(post, hinge, kXToZ), world.joint_frame(body, hinge, kXToZ)));
    return post;
  };
  BodyId const left_post = bar(-1.0, -1.5, scales.left, scales.left_hinge);
  bar(1.0, 1.5, scales.right, scales.right_hinge);
  scales.gear = add_joint(world, gear_joint(scales.left, by_habit ? scales.right : left_post, scales.left_hinge, JointAxis::kAngularX,
                                            scales.right_hinge, JointAxis::kAngularX, -1.0));
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
  Cut const cuts[] = {[](Scales<TypeParam>& s) { ASSERT_TRUE(s.world.destroy_joint(s.left_hinge).ok()); },
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
      EXPECT_LT(scales.right_m(), -0.1) << "cut " << i << (by_habit ? "" : ", the gear's own bodies are others");
    }
  }
}

}  // namespace
}  // namespace takt::test
