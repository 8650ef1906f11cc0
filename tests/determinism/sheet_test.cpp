// A sheet of point joints is batched (docs/adr/0013): the number of lanes and of threads, saving, rolling
// back and throwing derived state away leave its bits alone. No example scene is large enough to have one.
#include <gtest/gtest.h>

#include <algorithm>

#include "takt/core/random.h"
#include "tests/determinism/stage.h"
#include "tests/fine_pool.h"
#include "tests/physics/trial_builder.h"

namespace takt::determinism {
namespace {

using test::FinePool;

constexpr std::uint32_t kWidth = 30;

/// Balls, boxes that turn otherwise, a row of locked ones, a hinge among the balls, a heavy corner, some that
/// tear, and a crate that falls on it.
sim::Scene sheet_scene() {
  test::Trial made = test::named_trial("sheet");
  ShapeDef ball = test::sphere(0.4);
  ball.filter = {.category = 2, .mask = 4};
  ShapeDef plank = test::box(0.4, 0.1, 0.3);
  plank.filter = ball.filter;
  auto const position_of = [](std::uint32_t row, std::uint32_t column) { return test::at(row, 0, column); };
  for (std::uint32_t row = 0; row < kWidth; ++row) {
    for (std::uint32_t column = 0; column < kWidth; ++column) {
      std::size_t const here = made.scene.bodies.size();
      ShapeDef shape = here % 7 == 3 ? plank : ball;
      if (row == kWidth - 1 && column == 0) shape.density_kg_m3 *= 100.0;
      sim::SceneBody& body =
          test::add(made, row == 0 ? BodyType::kStatic : BodyType::kDynamic, shape, position_of(row, column));
      if (row == 12) body.def.locked_axes = kLockLinearZ | kLockAngularY;
      if (row == 0) continue;
      auto const hold = [&](std::size_t a, Vec3<double> from_here) {
        sim::SceneJoint& joint = made.scene.joints.emplace_back();
        joint.def = here == 400 ? revolute_joint({}, {}, {}, {}) : point_joint({}, {}, {}, {});
        if (row == 1 && column % 5 == 0) joint.def.break_force_n = 60'000.0;
        joint.body_a = a;
        joint.body_b = here;
        Position const anchor = moved(position_of(row, column), from_here);
        joint.world = sim::SceneJoint::WorldFrames{anchor, anchor, {}};
      };
      hold(here - kWidth, {-0.5, 0, 0});
      if (column > 0) hold(here - 1, {0, 0, -0.5});
    }
  }
  ShapeDef crate = test::box(1.5, 1.5, 1.5);
  crate.filter = {.category = 4, .mask = 2};
  test::add(made, BodyType::kDynamic, crate, test::at(15, 3, 15)).def.linear_velocity_m_s = {
      0, -5, 0};  // the sheet falls too
  return made.scene;
}

class Sheet : public testing::TestWithParam<NumbersMode> {
 protected:
  static constexpr std::uint64_t kTicks = 90;

  Chronicle run_with(const StepOptions& options) {
    sim::Simulation simulation = begin(scene_, GetParam());
    Chronicle chronicle;
    chronicle.note(simulation);
    while (simulation.tick() < kTicks) {
      step(simulation, {}, options);
      chronicle.note(simulation);
    }
    return chronicle;
  }

  sim::Scene scene_ = sheet_scene();
  Chronicle const reference_ = run_with({.lanes = 1});
};

TEST_P(Sheet, EveryWidthAndNumberOfThreadsGivesTheSameBits) {
  for (std::uint32_t const lanes : {0u, 4u, 8u, 16u}) {
    if (GetParam() == NumbersMode::kFixed && lanes != 0) continue;  // fixed mode takes no notice of the width
    EXPECT_EQ(first_difference(reference_, run_with({.lanes = lanes})), "") << lanes << " lanes";
  }
  for (std::uint32_t const threads : {2u, 3u}) {
    FinePool pool(threads);
    EXPECT_EQ(first_difference(reference_, run_with({.lanes = threads == 2 ? 4u : 0u, .pool = &pool})), "")
        << threads << " threads";
  }
}

// Held to as golden tables are (docs/DETERMINISM.md): the chained digest of tick 90 on every machine, by
// every compiler, at every level.
TEST_P(Sheet, HasItsBitsOnEveryMachine) {
  ASSERT_EQ(reference_.ticks(), kTicks);
  EXPECT_EQ(reference_.marks().back().chain,
            GetParam() == NumbersMode::kFloat ? 0x27a6a4d862057395ull : 0x84c1a91fcf86be32ull);
}

TEST_P(Sheet, ItsPastDoesNotCount) {
  Random random(7, 3);
  sim::Simulation simulation = begin(scene_, GetParam());
  sim::SimulationSnapshot snapshot;
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < kTicks) {
    disturb(simulation, random.next_below(4), snapshot, {});
    step(simulation, {}, {.lanes = random.next_below(2) == 0 ? 1u : 16u});
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(reference_, chronicle), "");
}

// That the scene has in it what it is for: balls that tear, and a crate that the sheet carries.
TEST_P(Sheet, TearsAndCarries) {
  sim::Simulation simulation = begin(scene_, GetParam());
  std::vector<ContactView> contacts;
  std::size_t max_contacts = 0;
  while (simulation.tick() < kTicks) {
    step(simulation, {}, {});
    simulation.world().list_contacts(contacts);
    max_contacts = std::max(max_contacts, contacts.size());
  }
  EXPECT_GT(max_contacts, 0u);
  std::vector<JointId> joints;
  simulation.world().list_joints(joints);
  std::size_t broken = 0;
  for (JointId const joint : joints) broken += simulation.world().joint(joint).broken ? 1u : 0u;
  EXPECT_GT(broken, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, Sheet, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& at) { return std::string(mode_name(at.param)); });

}  // namespace
}  // namespace takt::determinism
