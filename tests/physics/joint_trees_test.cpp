// Random trees of boxes that overlap, thrown and spun: whatever joints, limits and contacts ask of each
// other, nothing may gain energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointTreesTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointTreesTest, Reals);

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 0x1p32);
  }
  Vec3<double> cube(double half) {
    return {between(-half, half), between(-half, half), between(-half, half)};
  }

 private:
  std::mt19937 engine_;
};

enum class Kind { kPoint, kHinge, kSlider, kWeld, kRod };

template <class Real>
struct Tree {
  World<Real> world;
  std::vector<BodyId> bodies;
  std::vector<Vec3<double>> half_extents;
  std::vector<JointId> joints;

  [[nodiscard]] double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Vec3<double> const v = to_double(world.linear_velocity(bodies[i]));
      Vec3<double> const spin = rotate(conjugate(to_double(world.pose(bodies[i]).rotation)),
                                       to_double(world.angular_velocity(bodies[i])));
      Vec3<double> const h = half_extents[i];
      double const m = world.mass_kg(bodies[i]);
      sum += 0.5 * m * dot(v, v) +
             m / 6.0 *
                 (spin.x * spin.x * (h.y * h.y + h.z * h.z) + spin.y * spin.y * (h.x * h.x + h.z * h.z) +
                  spin.z * spin.z * (h.x * h.x + h.y * h.y));
    }
    return sum;
  }
};

template <class Real>
Tree<Real> grow(Kind kind, unsigned seed) {
  Tree<Real> tree{make_world<Real>(without_gravity()), {}, {}, {}};
  World<Real>& world = tree.world;
  Dice dice(seed);
  double const heaviest = seed % 3 == 0 ? 1.0 : seed % 3 == 1 ? 30.0 : 1000.0;
  int const count = 4 + static_cast<int>(dice.between(0, 16));
  std::vector<Vec3<double>> positions;
  for (int i = 0; i < count; ++i) {
    std::size_t const parent = i == 0 ? 0 : static_cast<std::size_t>(dice.between(0, i));
    Vec3<double> position{0, 3, 0};
    if (i > 0) {
      Vec3<double> const displacement = dice.cube(1.0);
      position = positions[parent] + displacement * (0.7 / length_of(displacement));
    }
    ShapeDef shape[] = {box(dice.between(0.05, 0.25), dice.between(0.05, 0.25), dice.between(0.05, 0.25))};
    shape[0].density_kg_m3 = 1000.0 * std::exp(dice.between(0, std::log(heaviest)));
    BodyId const id = add(world, body(BodyType::kDynamic, shape, at(position.x, position.y, position.z),
                                      about_x(dice.between(-3, 3))));
    if (i > 0) {
      BodyId const a = tree.bodies[parent];
      Vec3<double> const middle = (position + positions[parent]) * 0.5;
      Position const anchor = at(middle.x, middle.y, middle.z);
      Quat<double> const turn = about_z(dice.between(-3, 3));
      JointFrame const fa = world.joint_frame(a, anchor, turn);
      JointFrame const fb = world.joint_frame(id, anchor, turn);
      JointDef def = kind == Kind::kWeld     ? weld_joint(a, id, fa, fb)
                     : kind == Kind::kHinge  ? revolute_joint(a, id, fa, fb)
                     : kind == Kind::kSlider ? prismatic_joint(a, id, fa, fb)
                     : kind == Kind::kRod    ? distance_joint(a, id, {}, {}, 0.7)
                                             : point_joint(a, id, fa, fb);
      if (kind == Kind::kHinge) def.limit(JointAxis::kAngularX, -dice.between(0, 1), dice.between(0, 1));
      if (kind == Kind::kSlider) def.limit(JointAxis::kLinearX, -dice.between(0, 0.3), dice.between(0, 0.3));
      if (kind == Kind::kPoint && dice.between(0, 1) < 0.5) {
        def.limit(JointAxis::kSwing, 0.0, dice.between(0.1, 1.0))
            .limit(JointAxis::kAngularX, -dice.between(0, 1), dice.between(0, 1));
      }
      tree.joints.push_back(add_joint(world, def));
    }
    EXPECT_TRUE(world.set_velocity(id, dice.cube(3.0), dice.cube(10.0)).ok());
    tree.bodies.push_back(id);
    tree.half_extents.push_back(shape[0].half_extents_m);
    positions.push_back(position);
  }
  return tree;
}

template <class Real>
void expect_no_gain(Kind kind) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Tree<Real> tree = grow<Real>(kind, seed);
    double first = 0.0;
    double max = 0.0;
    for (int i = 0; i < 400; ++i) {
      (void)tree.world.step();
      double const now = tree.energy();
      (i < 2 ? first : max) = std::max(i < 2 ? first : max, now);
    }
    // The boxes that overlap are pushed apart at the start; that is all that may come in.
    EXPECT_LT(max, 1.1 * first) << seed;
    EXPECT_GT(first, 0.0) << seed;
    if (kind == Kind::kSlider || kind == Kind::kRod) continue;
    for (JointId const joint : tree.joints) EXPECT_LT(gap_m(tree.world, joint), 0.01) << seed;
  }
}

TYPED_TEST(JointTreesTest, OfBallsAndSocketsGainNothing) { expect_no_gain<TypeParam>(Kind::kPoint); }
TYPED_TEST(JointTreesTest, OfHingesWithLimitsGainNothing) { expect_no_gain<TypeParam>(Kind::kHinge); }
TYPED_TEST(JointTreesTest, OfSlidersWithLimitsGainNothing) { expect_no_gain<TypeParam>(Kind::kSlider); }
// Boxes that overlap within a weld tree pressed against the welds, and the pressure turned the tree: after
// 400 ticks seed 130 had seven times its energy.
TYPED_TEST(JointTreesTest, OfWeldsMoveAsOneBodyAndGainNothing) {
  for (unsigned const seed : {0u, 1u, 2u, 3u, 4u, 5u, 61u, 81u, 118u, 124u, 130u}) {
    Tree<TypeParam> tree = grow<TypeParam>(Kind::kWeld, seed);
    (void)tree.world.step();
    double const first = tree.energy();
    double max = 0.0;
    for (int i = 0; i < 400; ++i) {
      (void)tree.world.step();
      max = std::max(max, tree.energy());
    }
    // Each part turns by w h in a substep, at most 10 rad/s / 240: the square of it, 0.0017, is the error of
    // velocities along a chord.
    EXPECT_LT(max, 1.0017 * first) << seed;
    for (JointId const joint : tree.joints) EXPECT_LT(gap_m(tree.world, joint), 0.001) << seed;
  }
}
TYPED_TEST(JointTreesTest, WeldedBodiesDoNotTouchUntilTheirWeldBreaks) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  ShapeDef const shape[] = {box(0.2, 0.2, 0.2)};
  std::vector<BodyId> bodies;
  std::vector<JointId> welds;
  for (int i = 0; i < 3; ++i) {
    bodies.push_back(add(world, body(BodyType::kDynamic, shape, at(0.1 * i, 0, 0))));
    if (i == 0) continue;
    BodyId const a = bodies[bodies.size() - 2];
    welds.push_back(add_joint(world, weld_joint(a, bodies.back(), world.joint_frame(a, at(0, 0, 0)),
                                                world.joint_frame(bodies.back(), at(0, 0, 0)))));
  }
  // The outer two overlap, and two welds connect them by way of the third.
  EXPECT_EQ(world.step().contact_count, 0u);
  ASSERT_TRUE(world.destroy_joint(welds.back()).ok());
  EXPECT_EQ(world.step().contact_count, 2u);
}
TYPED_TEST(JointTreesTest, OfRodsGainNothing) { expect_no_gain<TypeParam>(Kind::kRod); }

}  // namespace
}  // namespace takt::test
