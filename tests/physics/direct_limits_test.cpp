// Rope joints and limited sliders in trees: their limits carry loads as locked coordinates do, hold when they
// strike, and add no energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class DirectLimitsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(DirectLimitsTest, Reals);

constexpr double kGravity = 9.81;

/// Bodies on rope joints and sliders, with what they may do at most.
template <class Real>
struct Limited {
  World<Real> world;
  std::vector<BodyId> bodies;
  std::vector<double> masses;
  std::vector<double> inertias;
  std::vector<JointId> joints;

  void add_body(double mass, double inertia, Vec3<double> position) {
    bodies.push_back(add_mass(world, mass, {inertia, inertia, inertia}, moved(Position{}, position)));
    masses.push_back(mass);
    inertias.push_back(inertia);
  }
  [[nodiscard]] double weight() const {
    double sum = 0.0;
    for (double const mass : masses) sum += mass * kGravity;
    return sum;
  }
  [[nodiscard]] double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Vec3<double> const v = to_double(world.linear_velocity(bodies[i]));
      Vec3<double> const spin = to_double(world.angular_velocity(bodies[i]));
      sum += masses[i] * (0.5 * dot(v, v) + kGravity * metres(world.center_of_mass(bodies[i])).y) +
             0.5 * inertias[i] * dot(spin, spin);
    }
    return sum;
  }
  /// Sum of the lengths, m, by which joints are past their limits.
  [[nodiscard]] double excess() const {
    double sum = 0.0;
    for (JointId const joint : joints) {
      JointDef const def = world.joint_def(joint);
      double const value = world.joint_coordinate(joint, def.axes[0].axis);
      sum += std::max({0.0, def.axes[0].lower - value, value - def.axes[0].upper});
    }
    return sum;
  }
};

/// A chain of rope joints of half a metre, `slack` of their length, from the origin down to the load.
template <class Real>
Limited<Real> rope_chain(int links, double load_kg, std::uint32_t substeps, double slack) {
  WorldDef def = awake();
  def.substeps = substeps;
  Limited<Real> chain{make_world<Real>(def), {}, {}, {}, {}};
  BodyId previous = add_anchor(chain.world);
  JointFrame before;
  JointFrame after;
  after.position_m = {0, 0.25, 0};
  double y = 0.0;
  for (int i = 0; i <= links; ++i) {
    bool const load = i == links;
    y -= 0.5 * slack + (i == 0 ? 0.25 : 0.5);
    chain.add_body(load ? load_kg : 1.0, load ? 0.1 * load_kg : 0.005, {0, y, 0});
    chain.joints.push_back(
        add_joint(chain.world, rope_joint(previous, chain.bodies.back(), before, after, 0.0, 0.5)));
    previous = chain.bodies.back();
    before.position_m = {0, -0.25, 0};
  }
  return chain;
}

// Iterations carried 1,000 kg only after a chain of five links was 36 m too long.
TYPED_TEST(DirectLimitsTest, AChainOfRopeJointsCarriesAnyLoadAtItsLength) {
  for (double const load_kg : {1.0, 10.0, 100.0, 1000.0}) {
    for (std::uint32_t const substeps : {1u, 2u, 4u, 8u}) {
      for (double const slack : {1.0, 0.4}) {  // taut, or caught after a fall of 1.8 m
        Limited<TypeParam> chain = rope_chain<TypeParam>(5, load_kg, substeps, slack);
        double const start = chain.energy();
        double excess = 0.0;
        double max = start;
        for (int i = 0; i < 180; ++i) {
          (void)chain.world.step();
          excess = std::max(excess, chain.excess());
          max = std::max(max, chain.energy());
        }
        // A limit ends the substep at its bound: no more than the rounding of a float at 6 m/s, six joints.
        EXPECT_LT(excess, 1e-5) << load_kg << " kg, " << substeps << " substeps, slack " << slack;
        EXPECT_LT(max - start, 1e-5 * chain.weight()) << load_kg << " kg, " << substeps << " substeps";
        EXPECT_NEAR(chain.world.joint(chain.joints.front()).force_n.y, chain.weight(),
                    0.001 * chain.weight());
      }
    }
  }
}

TYPED_TEST(DirectLimitsTest, FiftyRopeJointsCarryAThousandfoldLoad) {
  Limited<TypeParam> chain = rope_chain<TypeParam>(50, 1000.0, 4, 1.0);
  double excess = 0.0;
  for (int i = 0; i < 300; ++i) {
    (void)chain.world.step();
    excess = std::max(excess, chain.excess());
  }
  EXPECT_LT(excess, 1e-5);
}

TYPED_TEST(DirectLimitsTest, ARopeJointThatIsLiftedGoesSlackAndPushesNothing) {
  Limited<TypeParam> chain = rope_chain<TypeParam>(1, 100.0, 4, 1.0);
  run(chain.world, 60);
  ASSERT_TRUE(chain.world.set_velocity(chain.bodies.back(), {0, 2, 0}, {}).ok());
  (void)chain.world.step();
  EXPECT_NEAR(to_double(chain.world.linear_velocity(chain.bodies.back())).y, 2.0 - kGravity / 60, 1e-4);
  EXPECT_EQ(chain.world.joint(chain.joints.back()).force_n.y, 0.0);
}

/// A random tree of 3 to 20 bodies with masses up to `heaviest`, on ropes or sliders; half of the ropes are
/// slack.
template <class Real>
Limited<Real> grow(unsigned seed, bool ropes, bool thrown, double heaviest) {
  std::mt19937 engine(seed);
  auto const between = [&engine](double low, double high) {
    return low + (high - low) * (static_cast<double>(engine()) / 0x1p32);
  };
  auto const cube = [&](double half) {
    double const x = between(-half, half);
    double const y = between(-half, half);
    return Vec3<double>{x, y, between(-half, half)};
  };
  WorldDef def = awake();
  def.substeps = 1 + static_cast<std::uint32_t>(between(0, 8));
  Limited<Real> tree{make_world<Real>(def), {}, {}, {}, {}};
  World<Real>& world = tree.world;
  BodyId const anchor = add_anchor(world);
  int const count = 3 + static_cast<int>(between(0, 18));
  std::vector<Vec3<double>> positions;
  for (int i = 0; i < count; ++i) {
    bool const child = between(0, 1) < 0.6;
    int const parent = i == 0 ? -1 : child ? i - 1 : static_cast<int>(between(0, i));
    std::size_t const from = static_cast<std::size_t>(std::max(parent, 0));
    Vec3<double> direction = cube(1.0) - Vec3<double>{0, thrown ? 0.0 : 1.5, 0};
    direction = direction * (1.0 / length_of(direction));
    double const size = between(0.3, 1.0);
    Vec3<double> const position = (parent < 0 ? Vec3<double>{} : positions[from]) + direction * size;
    double const mass = i + 1 == count ? heaviest : std::exp(between(0, std::log(heaviest)));
    double const radius = between(0.05, 0.15);
    tree.add_body(mass, mass * radius * radius, position);
    positions.push_back(position);
    BodyId const a = parent < 0 ? anchor : tree.bodies[from];
    BodyId const b = tree.bodies.back();
    if (ropes) {
      JointFrame frame;
      frame.position_m = direction * -0.07;
      double const length = (size - 0.07) * (between(0, 1) < 0.5 ? 1.0 : between(1.0, 1.5));
      tree.joints.push_back(add_joint(world, rope_joint(a, b, {}, frame, 0.0, length)));
    } else {
      Position const anchor_at = moved(Position{}, position);
      Quat<double> const turn = about_z(between(-3, 3));
      JointDef slider =
          prismatic_joint(a, b, world.joint_frame(a, anchor_at, turn), world.joint_frame(b, anchor_at, turn));
      double const lower = -between(0, 0.3);
      tree.joints.push_back(add_joint(world, slider.limit(JointAxis::kLinearX, lower, between(0, 0.3))));
    }
    if (!thrown) continue;
    Vec3<double> const speed = cube(3.0);
    EXPECT_TRUE(world.set_velocity(b, speed, cube(10.0)).ok());
  }
  return tree;
}

// Velocities of a pass are a projection onto what the limits allow, which never adds energy. Positions may:
// the sum of gaps that drift correction closes can lift the weight of the tree by as much.
TYPED_TEST(DirectLimitsTest, RandomTreesGainNothingWhenLimitsStrike) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    bool const ropes = seed % 2 == 0;
    bool const thrown = seed % 4 < 2;
    double const heaviest = std::pow(10.0, static_cast<double>(seed % 10) / 3.0);
    Limited<TypeParam> tree = grow<TypeParam>(seed, ropes, thrown, heaviest);
    double const start = tree.energy();
    double max = start;
    double excess = 0.0;
    for (int i = 0; i < 240; ++i) {
      (void)tree.world.step();
      max = std::max(max, tree.energy());
      excess = std::max(excess, tree.excess());
    }
    EXPECT_LT(max - start, tree.weight() * (excess + 1e-5)) << "seed " << seed << ", excess " << excess;
    // No body of a tree of sliders turns relative to another: nothing opens a limit but rounding.
    if (ropes) continue;
    EXPECT_LT(excess, 1e-3) << "seed " << seed;
  }
}

}  // namespace
}  // namespace takt::test
