// Heavy loads on chains: the direct solver of joint trees. The bounds are the targets of the project;
// docs/JOINTS.md has the measurements.
#include <gtest/gtest.h>

#include <algorithm>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointChainTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointChainTest, Reals);

template <class Real>
double worst_stretch(int links, double load_kg, Vec3<double> direction, int ticks) {
  World<Real> world = make_world<Real>(awake());
  Chain const chain = add_chain(world, links, load_kg, direction);
  double worst = 0.0;
  for (int i = 0; i < ticks; ++i) {
    (void)world.step();
    worst = std::max(worst, stretch(world, chain));
  }
  EXPECT_FALSE(world.is_quarantined(chain.load));
  return worst;
}

TYPED_TEST(JointChainTest, TwentyLinksHangWithAThousandfoldLoad) {
  EXPECT_LT(worst_stretch<TypeParam>(20, 1000.0, {0, -1, 0}, 600), 1e-5);
}
TYPED_TEST(JointChainTest, TwentyLinksSwingWithAThousandfoldLoad) {
  EXPECT_LT(worst_stretch<TypeParam>(20, 1000.0, {1, 0, 0}, 1200), 1e-3);
}
TYPED_TEST(JointChainTest, TwentyLinksSwingWithATenThousandfoldLoadForAMinute) {
  EXPECT_LT(worst_stretch<TypeParam>(20, 10000.0, {1, 0, 0}, 3600), 1e-3);
}
TYPED_TEST(JointChainTest, AHundredLinksSwingWithAHundredfoldLoad) {
  EXPECT_LT(worst_stretch<TypeParam>(100, 100.0, {1, 0, 0}, 600), 2e-3);
}
TYPED_TEST(JointChainTest, AHundredLinksHangWithAHundredfoldLoad) {
  EXPECT_LT(worst_stretch<TypeParam>(100, 100.0, {0, -1, 0}, 300), 1e-5);
}

TYPED_TEST(JointChainTest, ABridgeFixedAtBothEndsIsSolvedDirectlyToo) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  Chain const chain = add_chain(world, 18, 1.0, {1, 0, 0});
  BodyId const post = add_anchor(world, at(18.5, 0, 0));
  JointFrame end;
  end.position_m = {0.5, 0, 0};
  JointId const last = add_joint(world, point_joint(chain.load, post, end, {}));
  run(world, 60 * 10);
  EXPECT_LT(gap_m(world, last), 1e-3);
  EXPECT_LT(stretch(world, chain), 1e-3);
  // Nothing damps it: in the mean over its swings the posts carry the weight of 19 rods together.
  double carried = 0.0;
  constexpr int kTicks = 60 * 60;
  for (int i = 0; i < kTicks; ++i) {
    (void)world.step();
    carried += (world.joint(chain.joints.front()).force_n.y - world.joint(last).force_n.y) / kTicks;
  }
  EXPECT_NEAR(carried, 19 * 9.81, 0.02 * 19 * 9.81);
}

TYPED_TEST(JointChainTest, ABallHitsATautChain) {
  for (double const density : {235.0, 15000.0}) {  // loads of 63 kg and 4,000 kg on links of 0.3 kg
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId previous = add_anchor(world, at(0, 10, 0));
    std::vector<JointId> joints;
    std::vector<BodyId> bodies;
    for (int i = 0; i <= 20; ++i) {
      ShapeDef shape[] = {i < 20 ? capsule(0.03, 0.02) : sphere(0.4)};
      shape[0].density_kg_m3 = i < 20 ? 1200.0 : density;
      BodyId const link =
          add(world, body(BodyType::kDynamic, shape, at(0, i < 20 ? 9.95 - 0.1 * i : 7.6, 0)));
      Position const joint = at(0, 10 - 0.1 * i, 0);
      joints.push_back(add_joint(world, point_joint(previous, link, world.joint_frame(previous, joint),
                                                    world.joint_frame(link, joint))));
      bodies.push_back(link);
      previous = link;
    }
    ShapeDef shape[] = {sphere(0.2)};
    shape[0].density_kg_m3 = 500.0;
    BodyId const ball = add(world, body(BodyType::kDynamic, shape, at(2, 9, 0)));
    ASSERT_TRUE(world.set_velocity(ball, {-4, 2, 0}, {}).ok());
    double fastest = 0.0;
    double gap = 0.0;
    for (int i = 0; i < 600; ++i) {
      (void)world.step();
      for (BodyId const link : bodies)
        fastest = std::max(fastest, length_of(to_double(world.linear_velocity(link))));
      for (JointId const joint : joints) gap = std::max(gap, gap_m(world, joint));
    }
    EXPECT_LT(fastest, 8.0) << density;  // twice the ball's, as a light body that a heavy one hits
    EXPECT_GT(fastest, 0.5) << density;
    EXPECT_LT(gap, 2e-3) << density;
  }
}

TYPED_TEST(JointChainTest, ATautBridgeOfPlanksCarriesCratesAtRest) {
  // Straight between two posts: in this pose no force of a plank's joints can carry a weight at all.
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const west = add_anchor(world, at(-9, 0, 0));
  BodyId const east = add_anchor(world, at(9, 0, 0));
  std::vector<JointId> joints;
  std::vector<BodyId> bodies;
  BodyId previous = west;
  for (int i = 0; i <= 20; ++i) {
    BodyId next = east;
    if (i < 20) {
      ShapeDef shape[] = {box(0.44, 0.075, 1.25)};
      shape[0].density_kg_m3 = 600.0;
      next = add(world, body(BodyType::kDynamic, shape, at(-9 + 0.9 * (i + 0.5), 0, 0)));
      bodies.push_back(next);
    }
    Position const hinge = at(-9 + 0.9 * i, 0, 0);
    joints.push_back(
        add_joint(world, revolute_joint(previous, next, world.joint_frame(previous, hinge, kXToZ),
                                        world.joint_frame(next, hinge, kXToZ))));
    previous = next;
  }
  for (double const x : {-3.0, 0.0, 3.0}) {
    ShapeDef shape[] = {box(0.5, 0.5, 0.5)};
    shape[0].density_kg_m3 = 400.0;
    bodies.push_back(add(world, body(BodyType::kDynamic, shape, at(x, 0.7, 0))));
  }
  run(world, 60 * 20);
  double gap = 0.0;
  double speed = 0.0;
  for (JointId const joint : joints) gap = std::max(gap, gap_m(world, joint));
  for (BodyId const id : bodies) speed = std::max(speed, length_of(to_double(world.linear_velocity(id))));
  EXPECT_LT(gap, 1e-3);
  EXPECT_LT(speed, 0.02);
  EXPECT_NEAR(metres(world.center_of_mass(bodies.back())).y, 0.575, 0.02);
}

TYPED_TEST(JointChainTest, ARingAndATreeHold) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const anchor = add_anchor(world);
  // A square of four rods hung at one corner: one of its joints closes a loop.
  Vec3<double> const corners[4] = {{0, 0, 0}, {0.5, -0.5, 0}, {0, -1, 0}, {-0.5, -0.5, 0}};
  BodyId rods[4];
  std::vector<JointId> joints;
  for (int i = 0; i < 4; ++i)
    rods[i] = add_mass(world, 1.0, {0.05, 0.05, 0.05},
                       moved(Position{}, (corners[i] + corners[(i + 1) % 4]) * 0.5));
  for (int i = 0; i < 4; ++i) {
    Position const corner = moved(Position{}, corners[i]);
    joints.push_back(
        add_joint(world, point_joint(rods[(i + 3) % 4], rods[i], world.joint_frame(rods[(i + 3) % 4], corner),
                                     world.joint_frame(rods[i], corner))));
  }
  joints.push_back(add_joint(world, point_joint(anchor, rods[0], {}, world.joint_frame(rods[0], {}))));
  // And a star of six arms on the lowest corner.
  for (int i = 0; i < 6; ++i) {
    BodyId const arm = add_mass(world, 2.0, {0.1, 0.1, 0.1}, at(0.1 * i, -1.5, 0.1 * i));
    joints.push_back(add_joint(world, point_joint(rods[1], arm, world.joint_frame(rods[1], at(0, -1, 0)),
                                                  world.joint_frame(arm, at(0, -1, 0)))));
  }
  double worst = 0.0;
  for (int i = 0; i < 60 * 20; ++i) {
    (void)world.step();
    for (JointId const joint : joints) worst = std::max(worst, gap_m(world, joint));
  }
  EXPECT_LT(worst, 0.02);  // while it swings; the joint that closes the loop is solved by itself
  double rest = 0.0;
  for (JointId const joint : joints) rest = std::max(rest, gap_m(world, joint));
  EXPECT_LT(rest, 5e-3);
}

// A level sheet that swings down: 812 loops, whose joints repeat each other while it is flat. Cones that
// nothing reaches keep it from being batched.
TYPED_TEST(JointChainTest, ASheetOfJointsSwingsDown) {
  constexpr int kWidth = 30;
  World<TypeParam> world = make_world<TypeParam>(awake());
  std::vector<BodyId> balls;
  std::vector<JointId> joints;
  auto const join = [&](std::size_t to, Vec3<double> half) {
    JointFrame frame_a;
    JointFrame frame_b;
    frame_a.position_m = half;
    frame_b.position_m = -half;
    joints.push_back(add_joint(
        world, point_joint(balls[to], balls.back(), frame_a, frame_b).limit(JointAxis::kSwing, 0.0, 3.0)));
  };
  for (int row = 0; row < kWidth; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      Position const position = at(row, 0, column);
      balls.push_back(row == 0 ? add_anchor(world, position)
                               : add_mass(world, 200.0, {13, 13, 13}, position));
      if (row == 0) continue;
      join(balls.size() - 1 - kWidth, {0.5, 0, 0});
      if (column > 0) join(balls.size() - 2, {0, 0, 0.5});
    }
  }
  double worst = 0.0;
  for (int tick = 0; tick < 170; ++tick) {
    (void)world.step();
    for (JointId const joint : joints) worst = std::max(worst, gap_m(world, joint));
  }
  EXPECT_LT(worst, 0.03);
  EXPECT_LT(metres(world.center_of_mass(balls.back())).y, -0.6 * kWidth);  // it has swung
}

}  // namespace
}  // namespace takt::test
