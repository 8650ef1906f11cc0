// Sheets of rigid point joints, solved in batches (docs/adr/0013): gaps under load, reported reactions,
// conserved momentum and energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "joint_world.h"
#include "physics/base/solver_constants.h"

namespace takt::test {
namespace {

template <class Real>
class JointSheetsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointSheetsTest, Reals);

constexpr double kSheetGravity = 9.80665;
constexpr double kMassKg = 2.0;
constexpr double kInertia = 0.2;  // kg m^2, of a ball

enum class Pinned { kFirstRow, kCorners, kNothing };

/// width x width bodies a metre apart along x (columns) and `down` (rows), each held to its neighbours
/// halfway between.
struct Sheet {
  int width = 0;
  std::vector<BodyId> bodies;           ///< row by row
  std::vector<JointId> joints;          ///< all
  std::vector<JointId> upward;          ///< by body: to the one in the row before; of the first row none
  std::vector<JointId> to_what_stands;  ///< those with a static body
};

template <class Real>
Sheet add_sheet(World<Real>& world, int width, Vec3<double> down, Pinned pinned, BodyDef like = {}) {
  Sheet sheet;
  sheet.width = width;
  auto const is_pinned = [&](int row, int column) {
    bool const corner = (row == 0 || row == width - 1) && (column == 0 || column == width - 1);
    return pinned == Pinned::kFirstRow ? row == 0 : pinned == Pinned::kCorners && corner;
  };
  auto const hold = [&](int a, int b, Vec3<double> from_b) {
    JointFrame frame_a;
    JointFrame frame_b;
    frame_a.position_m = -from_b;
    frame_b.position_m = from_b;
    return sheet.joints.emplace_back(
        add_joint(world, point_joint(sheet.bodies[static_cast<std::size_t>(a)],
                                     sheet.bodies[static_cast<std::size_t>(b)], frame_a, frame_b)));
  };
  for (int row = 0; row < width; ++row) {
    for (int column = 0; column < width; ++column) {
      int const here = row * width + column;
      BodyDef def = like;
      def.position = moved(Position{}, down * row + Vec3<double>{static_cast<double>(column), 0, 0});
      if (is_pinned(row, column)) {
        def.type = BodyType::kStatic;
        def.mass.reset();
      } else if (!def.mass) {
        def.mass = MassOverride{};
        def.mass->mass_kg = kMassKg;
        def.mass->inertia_kg_m2 = {kInertia, kInertia, kInertia};
      }
      sheet.bodies.push_back(add(world, def));
      sheet.upward.emplace_back();
      if (row > 0) sheet.upward.back() = hold(here - width, here, down * -0.5);
      if (row > 0 && (is_pinned(row, column) || is_pinned(row - 1, column)))
        sheet.to_what_stands.push_back(sheet.joints.back());
      if (column == 0 || (is_pinned(row, column) && is_pinned(row, column - 1))) continue;
      hold(here - 1, here, {-0.5, 0, 0});
      if (is_pinned(row, column) || is_pinned(row, column - 1))
        sheet.to_what_stands.push_back(sheet.joints.back());
    }
  }
  return sheet;
}

struct Motion {
  double energy_j = 0.0;
  Vec3<double> momentum;
  Vec3<double> angular_momentum;
};
template <class Real>
Motion motion_of(const World<Real>& world, const Sheet& sheet, double gravity) {
  Motion motion;
  for (BodyId const body : sheet.bodies) {
    if (world.body_type(body) != BodyType::kDynamic) continue;
    Vec3<double> const x = metres(world.center_of_mass(body));
    Vec3<double> const v = to_double(world.linear_velocity(body));
    Vec3<double> const w = to_double(world.angular_velocity(body));
    motion.energy_j += kMassKg * (0.5 * dot(v, v) + gravity * x.y) + 0.5 * kInertia * dot(w, w);
    motion.momentum += v * kMassKg;
    motion.angular_momentum += cross(x, v) * kMassKg + w * kInertia;
  }
  return motion;
}
template <class Real>
double widest_gap_m(const World<Real>& world, const Sheet& sheet) {
  double widest = 0.0;
  for (JointId const joint : sheet.joints) widest = std::max(widest, gap_m(world, joint));
  return widest;
}

// The largest gap of a sheet that is let go level, the shock after its edge has cracked included, and that
// what it gains of speed is what it lost of height. Springs of joints that open keep some energy for a while,
// so it may come back, but never above the start.
TYPED_TEST(JointSheetsTest, ASheetThatIsLetGoLevelHoldsAndGainsNothing) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  constexpr int kWidth = 40;
  Sheet const sheet = add_sheet(world, kWidth, {0, 0, 1}, Pinned::kFirstRow);
  double lowest_m = 0.0;
  for (int tick = 0; tick < 300; ++tick) {
    (void)world.step();
    lowest_m = std::min(lowest_m, metres(world.center_of_mass(sheet.bodies.back())).y);
    ASSERT_LE(widest_gap_m(world, sheet), 0.020) << "tick " << tick;
    // A hundredth of a millimetre's height of the whole sheet.
    ASSERT_LE(motion_of(world, sheet, kSheetGravity).energy_j,
              1e-5 * kWidth * (kWidth - 1) * kMassKg * kSheetGravity)
        << "tick " << tick;
  }
  EXPECT_LT(lowest_m, 2 - kWidth);  // it has hung
}

// At rest the biased pass of a soft row stands where what drift asks for meets what the row gives
// (CONSTRAINTS 1.3): bias rate x gap = gamma K force x substep.
TYPED_TEST(JointSheetsTest, HangingItStretchesAsItsSoftnessSays) {
  WorldDef const def = awake();
  World<TypeParam> world = make_world<TypeParam>(def);
  constexpr int kWidth = 16;
  Sheet const sheet = add_sheet(world, kWidth, {0, -1, 0}, Pinned::kFirstRow);
  run(world, 1200);
  double const substep_s = 1.0 / (def.tick_rate_hz * def.substeps);
  SoftRow const row =
      Softness::frequency(kBatchHertzPerSubstepRate / substep_s, kBatchDampingRatio).row(substep_s, 1.0);
  for (int below : {2, 5, 9}) {
    double const mobility = 2.0 / kMassKg;  // along the pull, which passes through both centres
    double const force_n = (kWidth - below) * kMassKg * kSheetGravity;
    double const expected = row.gamma * mobility * force_n * substep_s / row.bias_rate;
    for (int column : {0, 7, 15}) {
      EXPECT_NEAR(gap_m(world, sheet.upward[static_cast<std::size_t>(below * kWidth + column)]), expected,
                  0.02 * expected)
          << below << ' ' << column;
    }
  }
}

TYPED_TEST(JointSheetsTest, WhatHoldsASheetAtItsCornersCarriesItsWeight) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  constexpr int kWidth = 12;
  BodyDef damped;
  damped.linear_damping_1_s = 1.0;
  damped.angular_damping_1_s = 1.0;
  Sheet const sheet = add_sheet(world, kWidth, {0, 0, 1}, Pinned::kCorners, damped);
  ASSERT_EQ(sheet.to_what_stands.size(), 8u);
  run(world, 1800);
  double carried_n = 0.0;
  for (JointId const joint : sheet.to_what_stands) {
    JointView const view = world.joint(joint);
    carried_n += world.body_type(view.body_a) == BodyType::kStatic ? view.force_n.y : -view.force_n.y;
  }
  double const weight_n = (kWidth * kWidth - 4) * kMassKg * kSheetGravity;
  EXPECT_NEAR(carried_n, weight_n, 0.01 * weight_n);
}

// Impulses come in pairs at one point. The remainder is rounding: of each of the velocities that a point
// joint's solve writes, of numbers below 4 m/s and 32 m from the origin; angular momentum is summed where
// positions are rounded.
TYPED_TEST(JointSheetsTest, AFreeSheetKeepsItsMomentumAndGainsNoEnergy) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  constexpr int kWidth = 16;
  Sheet const sheet = add_sheet(world, kWidth, {0, 0, 1}, Pinned::kNothing);
  // It turns in its plane, flies off and is bent.
  for (int i = 0; i < kWidth * kWidth; ++i) {
    double const x = i % kWidth - 7.5;
    double const z = i / kWidth - 7.5;
    Vec3<double> const v{0.1 * z + 0.5, 0.3 * std::sin(0.4 * x) * std::sin(0.4 * z), -0.1 * x};
    ASSERT_TRUE(world.set_velocity(sheet.bodies[static_cast<std::size_t>(i)], v, {0, 0.1, 0}).ok());
  }
  run(world, 2);  // joints take out what the ends of a ball disagree about
  Motion const start = motion_of(world, sheet, 0.0);
  constexpr int kTicks = 300;
  for (int tick = 0; tick < kTicks; ++tick) {
    (void)world.step();
    ASSERT_LE(motion_of(world, sheet, 0.0).energy_j, start.energy_j * 1.0001) << "tick " << tick;
  }
  Motion const end = motion_of(world, sheet, 0.0);
  double const writes =
      kTicks * 4.0 * 4.0 *
      (1 + kBatchBiasedIterations + kBatchRelaxIterations);  // four balls a body, four substeps
  double const rounding = kRounding<TypeParam> * 4.0 * writes * kWidth * kWidth * kMassKg;
  EXPECT_LE(length_of(end.momentum - start.momentum), rounding);
  EXPECT_LE(length_of(end.angular_momentum - start.angular_momentum), 32.0 * rounding);
  EXPECT_LE(widest_gap_m(world, sheet), 0.005);
  EXPECT_GT(end.energy_j, 0.2 * start.energy_j);  // it goes on turning and flying
}

TYPED_TEST(JointSheetsTest, ASheetTearsWhereItsBallsCarryMoreThanTheyMayAndNotBefore) {
  for (double const share : {1.5, 0.5}) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    constexpr int kWidth = 12;
    Sheet const sheet = add_sheet(world, kWidth, {0, -1, 0}, Pinned::kFirstRow);
    for (JointId const joint : sheet.to_what_stands) {
      JointDef def = world.joint_def(joint);
      def.break_force_n = share * (kWidth - 1) * kMassKg * kSheetGravity;
      ASSERT_TRUE(world.change_joint(joint, def).ok());
    }
    std::vector<JointId> broken;
    for (int tick = 0; tick < 60; ++tick) {
      (void)world.step();
      broken.insert(broken.end(), world.events().broken_joints.begin(), world.events().broken_joints.end());
    }
    if (share > 1.0) {
      EXPECT_TRUE(broken.empty());
      continue;
    }
    EXPECT_EQ(broken, sheet.to_what_stands);
    EXPECT_LT(metres(world.center_of_mass(sheet.bodies.back())).y, -(kWidth - 1) - 3.0);  // it fell
    EXPECT_EQ(world.joint(broken[0]).force_n, Vec3<double>{});
  }
}

// A coordinate with a locked axis stays exactly constant, and boxes rotate differently from balls.
TYPED_TEST(JointSheetsTest, BodiesWithLockedAxesStayInTheirPlane) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyDef plank;
  plank.mass = MassOverride{};
  plank.mass->mass_kg = 1.0;
  plank.mass->inertia_kg_m2 = {0.1, 0.15, 0.2};
  plank.locked_axes = kLockLinearZ | kLockAngularX | kLockAngularY;
  constexpr int kWidth = 12;
  Sheet const sheet = add_sheet(world, kWidth, {0, -1, 0}, Pinned::kFirstRow, plank);
  for (BodyId const body : sheet.bodies) {
    if (world.body_type(body) != BodyType::kDynamic) continue;
    ASSERT_TRUE(world.set_velocity(body, {2, 0, 0}, {}).ok());
  }
  for (int tick = 0; tick < 120; ++tick) {
    (void)world.step();
    ASSERT_LE(widest_gap_m(world, sheet), 0.02) << "tick " << tick;
  }
  for (BodyId const body : sheet.bodies) {
    EXPECT_EQ(world.center_of_mass(body).z_raw, 0);
    EXPECT_EQ(world.pose(body).rotation.x, TypeParam(0));
  }
}

// Neighbours that are locked along the line between them can close a gap along it only by spinning about an
// arm next to nothing: they leave it.
TYPED_TEST(JointSheetsTest, ARowThatIsLockedAlongItselfDoesNotBurst) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyDef locked;
  locked.locked_axes = kLockLinearX | kLockAngularY;
  constexpr int kWidth = 12;
  Sheet const sheet = add_sheet(world, kWidth, {0, 0, 1}, Pinned::kFirstRow, locked);
  double lowest_m = 0.0;
  for (int tick = 0; tick < 120; ++tick) {
    (void)world.step();
    lowest_m = std::min(lowest_m, metres(world.center_of_mass(sheet.bodies.back())).y);
    ASSERT_LE(widest_gap_m(world, sheet), 0.02) << "tick " << tick;
  }
  EXPECT_LT(lowest_m, 2 - kWidth);  // it has hung
}

// Corners a hundred times as heavy pull small balls so hard that they would swing faster than substeps
// follow, and burst the sheet (geometric_stiffness.h).
TYPED_TEST(JointSheetsTest, HeavyCornersDoNotShakeTheirSheet) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  constexpr int kWidth = 12;
  BodyDef small;
  small.mass = MassOverride{};
  small.mass->mass_kg = kMassKg;
  small.mass->inertia_kg_m2 = {0.01, 0.01, 0.01};
  Sheet sheet = add_sheet(world, kWidth, {0, -1, 0}, Pinned::kFirstRow, small);
  for (int const column : {0, kWidth - 1}) {
    BodyId const load = add_mass(world, 100.0 * kMassKg, {20, 20, 20}, at(column, -kWidth, 0));
    JointFrame below;
    JointFrame above;
    below.position_m = {0, -0.5, 0};
    above.position_m = {0, 0.5, 0};
    sheet.joints.push_back(
        add_joint(world, point_joint(sheet.bodies[static_cast<std::size_t>((kWidth - 1) * kWidth + column)],
                                     load, below, above)));
    ASSERT_TRUE(world.set_velocity(load, {0, 0, 0.5}, {}).ok());
  }
  for (int tick = 0; tick < 600; ++tick) {
    (void)world.step();
    if (tick < 60) continue;  // until it carries
    for (BodyId const body : sheet.bodies)
      ASSERT_LE(length_of(to_double(world.linear_velocity(body))), 1.0) << "tick " << tick;
  }
  EXPECT_LE(widest_gap_m(world, sheet), 0.005);
}

}  // namespace
}  // namespace takt::test
