// World::energy() agrees with mechanics. The energy ledger's stages add up to the change of a tick, name the
// stage and the body where energy comes from, and change no bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "takt/physics/energy_ledger.h"
#include "tests/physics/allocation_count.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

template <class Real>
class EnergyTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(EnergyTest, Reals);

double sum_of(const EnergyLedger& ledger) {
  double sum = 0;
  for (std::size_t i = 0; i < kEnergyStageCount; ++i)
    sum += ledger.stage(static_cast<EnergyStage>(i)).change_j;
  return sum;
}

TYPED_TEST(EnergyTest, IsThatOfTheDefinitions) {
  WorldDef def;
  def.gravity_m_s2 = {0, -10, 0};
  auto world = test::make_world<TypeParam>(def);
  ShapeDef shape = test::box(0.5, 1, 1.5);  // 1 x 2 x 3 m, 6,000 kg
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, test::at(7, 3, -4), test::about_x(0.3));
  body.linear_velocity_m_s = {3, -4, 0};
  // About the body's own x axis, which the rotation about x leaves in place.
  body.angular_velocity_rad_s = {2, 0, 0};
  test::add(world, body);
  test::add(world, BodyType::kStatic, test::box(1, 1, 1), test::at(50, 100, 0));
  double const turning = 0.5 * 6000 * (4 + 9) / 12.0 * 4;
  EXPECT_NEAR(world.energy().kinetic_j, 0.5 * 6000 * 25 + turning, 1e-6 * 75000);
  EXPECT_NEAR(world.energy().potential_j, 6000 * 10 * 3, 1e-6 * 180000);
}

// Twelve bodies of six shapes and twelve rotations, each spinning: R^T I R with products of inertia.
TYPED_TEST(EnergyTest, OfFreeRotationStays) {
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(def);
  for (int i = 0; i < 12; ++i) {
    ShapeDef const shapes[] = {test::box(0.2, 0.5, 0.9), test::capsule(0.2, 0.7), test::cone(0.4, 0.6)};
    ShapeDef two[] = {shapes[i % 3], test::sphere(0.3)};
    two[1].local_position_m = {0.3, 0.4, -0.2};
    BodyDef body = test::body(BodyType::kDynamic, two, test::at(10.0 * i, 0, 0), test::about_z(0.5 * i));
    body.angular_velocity_rad_s = {1, 0.5 + 0.1 * i, -2};
    test::add(world, body);
  }
  double const first = world.energy().total_j();
  test::run(world, 120);
  // The gyroscopic term keeps energy to the rounding of 480 substeps (gyroscope_test.cpp).
  EXPECT_NEAR(world.energy().total_j(), first, 1e-4 * first);
}

TYPED_TEST(EnergyTest, StagesAddUpToTheChangeOfATick) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  for (int i = 0; i < 5; ++i)
    test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(0.01 * i, 0.6 + 1.05 * i, 0));
  EnergyLedger ledger;
  double const scale = world.energy().total_j();
  for (int tick = 0; tick < 60; ++tick) {
    double const before = world.energy().total_j();
    (void)world.step({.energy = &ledger});
    double const change = EnergyLedger::measures_stages() ? world.energy().total_j() - before : 0;
    // Heights of a tick are rounded to Real, and the sums to 24 bits of the velocities.
    EXPECT_NEAR(sum_of(ledger), change, 1e-5 * scale) << "tick " << tick;
  }
}

TYPED_TEST(EnergyTest, AMotorsWorkIsNamedByStageAndBody) {
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(def);
  BodyId const wall = test::add(world, BodyType::kStatic, test::box(1, 1, 1), test::at(0, 0, -5));
  BodyId const idle = test::add(world, BodyType::kDynamic, test::box(1, 1, 1), test::at(20, 0, 0));
  BodyId const fan = test::add(world, BodyType::kDynamic, test::box(2, 0.1, 0.1), test::at(0, 0, 0));
  ASSERT_TRUE(world.create_joint(
      revolute_joint(wall, fan, world.joint_frame(wall, test::at(0, 0, 0), test::about_y(1.5707963)),
                     world.joint_frame(fan, test::at(0, 0, 0), test::about_y(1.5707963)))
          .motor(JointAxis::kAngularX, 3, 50)));
  EnergyLedger ledger;
  (void)world.step({.energy = &ledger});
  // One tick of 50 N m on the fan: w = M t / I, energy M^2 t^2 / 2 I.
  double const inertia = 160.0 * (16 + 0.04) / 12;
  double const expected = 50.0 * 50 / 3600 / (2 * inertia);
  EXPECT_NEAR(world.energy().kinetic_j, expected, 1e-3 * expected);
  EXPECT_NEAR(sum_of(ledger), EnergyLedger::measures_stages() ? expected : 0, 1e-3 * expected);
  if (!EnergyLedger::measures_stages()) return;
  double most = 0;
  EnergyStage stage{};
  for (std::size_t i = 0; i < kEnergyStageCount; ++i) {
    const StageEnergy& entry = ledger.stage(static_cast<EnergyStage>(i));
    if (entry.rise_j > most) most = entry.rise_j, stage = static_cast<EnergyStage>(i);
  }
  EXPECT_EQ(name_of(stage).substr(0, 5), "joint") << name_of(stage);
  EXPECT_EQ(ledger.stage(stage).rise_body, fan);
  EXPECT_NE(ledger.stage(stage).rise_body, idle);
}

TYPED_TEST(EnergyTest, LedgerChangesNoBitAndAllocatesNothing) {
  EnergyLedger ledger;
  auto const make = [] {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    for (int i = 0; i < 20; ++i)
      test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(0.3 * (i % 3), 1 + 1.2 * i, 0));
    return world;
  };
  auto plain = make();
  auto measured = make();
  for (int tick = 0; tick < 120; ++tick) {
    std::uint64_t const first = test::allocation_count();
    (void)plain.step();
    std::uint64_t const second = test::allocation_count();
    (void)measured.step({.energy = &ledger});
    if (tick > 0) {  // the first step allocates the ledger's list of bodies
      EXPECT_EQ(test::allocation_count() - second, second - first) << "tick " << tick;
    }
  }
  EXPECT_EQ(plain.hash(), measured.hash());
  if (!EnergyLedger::measures_stages()) {
    EXPECT_EQ(sum_of(ledger), 0);
  }
}

TYPED_TEST(EnergyTest, AWorldAsleepHasNoStages) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(0, 0.6, 0));
  EnergyLedger ledger;
  for (int tick = 0; tick < 300; ++tick) (void)world.step({.energy = &ledger});
  EXPECT_EQ(world.step({.energy = &ledger}).awake_body_count, 0u);
  EXPECT_EQ(sum_of(ledger), 0);
  EXPECT_EQ(world.energy().kinetic_j, 0);
}

}  // namespace
}  // namespace takt
