// The scenes of examples/scenes about joints and ropes, in both modes, a minute each: nothing is lost, joints
// hold what they should, and each shows what its first line says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/state/metres.h"
#include "takt/sim/simulation.h"
#include "tests/sanitizers.h"
#include "tests/scene_file.h"

namespace takt::test {
namespace {

using sim::relative_m;

constexpr int kSeconds = test::kIsSanitized ? 10 : 60;

double length_of(Vec3<double> v) { return std::sqrt(dot(v, v)); }

class JointScenes : public testing::TestWithParam<NumbersMode> {
 protected:
  void load(std::string_view name) {
    scene_ = scene_files::load(name);
    simulation_.emplace(*sim::Simulation::create(scene_, GetParam()));
    world().list_joints(joints_);
    ASSERT_EQ(joints_.size(), scene_.joints.size());
  }
  const sim::AnyWorld& world() const { return simulation_->world(); }
  BodyId body(std::string_view name) const {
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
      if (scene_.bodies[i].name == name) return {i, 1};
    }
    ADD_FAILURE() << "no body " << name;
    return {};
  }
  JointId joint(std::string_view name) const {
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) {
      if (scene_.joints[i].name == name) return joints_[i];
    }
    ADD_FAILURE() << "no joint " << name;
    return {};
  }
  Vec3<double> position(std::string_view name) const {
    return relative_m(world().view(body(name)).position, Position{});
  }
  Vec3<double> velocity(std::string_view name) const { return world().view(body(name)).linear_velocity_m_s; }

  /// Steps for a time and calls `look` after every tick. Dynamic bodies stay within `reach_m` of the origin
  /// and below `max_m_s`, rigid joints open by at most `gap_m`.
  void run(
      double seconds, double reach_m, double max_m_s, double gap_m,
      const std::function<void()>& look = [] {}) {
    for (int tick = 0; tick < 60 * std::min<double>(seconds, kSeconds); ++tick) {
      (void)simulation_->step({});
      look();
      if (tick % 30 == 0) check(reach_m, max_m_s, gap_m);
      if (HasFailure()) {
        FAIL() << "tick " << simulation_->tick();
      }
    }
    EXPECT_EQ(world().fixed_overflow_total(), 0u);
  }

 private:
  void check(double reach_m, double max_m_s, double gap_m) const {
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
      BodyId const id{i, 1};
      if (world().body_type(id) != BodyType::kDynamic) continue;
      sim::BodyView const view = world().view(id);
      EXPECT_FALSE(world().is_quarantined(id)) << scene_.bodies[i].name;
      EXPECT_LE(length_of(relative_m(view.position, Position{})), reach_m) << scene_.bodies[i].name;
      EXPECT_LE(length_of(view.linear_velocity_m_s), max_m_s) << scene_.bodies[i].name;
    }
    for (JointId const id : joints_) {
      JointDef const def = world().joint_def(id);
      JointView const view = world().joint(id);
      bool const holds = (def.locked & kLockLinear) == kLockLinear && def.linear.is_rigid() &&
                         def.max_force_n == kUnbounded && !view.broken;
      if (holds) {
        EXPECT_LE(length_of(relative_m(view.anchor_b, view.anchor_a)), gap_m) << scene_.joints[id.index].name;
      }
    }
  }

  sim::Scene scene_;
  std::optional<sim::Simulation> simulation_;
  std::vector<JointId> joints_;
};

TEST_P(JointScenes, EveryJointOnTheWallDoesItsPart) {
  load("joints");
  double max_swing = 0;
  double min_slide = 0;
  run(60, 30, 20, 0.002, [&] {
    max_swing = std::max(max_swing, std::abs(position("point").x + 6));
    min_slide = std::min(min_slide, position("prismatic").x);
    // The angle keeps its plate level, the parallel joint its axis upright.
    Quat<double> const level = world().view(body("angle")).rotation;
    ASSERT_LE(std::abs(level.x) + std::abs(level.y) + std::abs(level.z), 0.002);
    Vec3<double> const up = rotate(world().view(body("parallel")).rotation, {0, 1, 0});
    ASSERT_GE(up.y, 0.9999);
    ASSERT_LE(length_of(position("rope") - Vec3<double>{-6, 5.8, 0.6}), 1.302);
    ASSERT_LE(std::abs(position("generic").x - 3), 0.502);
  });
  EXPECT_GT(max_swing, 0.3);
  EXPECT_LT(min_slide, -0.3);
  EXPECT_NEAR(world().joint_rate(joint("first"), JointAxis::kAngularX), 2.0, 0.02);
  EXPECT_NEAR(world().joint_rate(joint("second"), JointAxis::kAngularX), -2.0, 0.02);
  EXPECT_GT(position("light").y, 2.8);  // pulled up by the heavy one, at half of its way
  EXPECT_TRUE(world().joint(joint("weak")).broken);
  EXPECT_LT(position("shelf").y, 0.2);
  EXPECT_NEAR(position("motor").y, 4.0, 0.05);
}

TEST_P(JointScenes, ABridgeCarriesAndTheOtherBreaks) {
  load("bridge");
  run(60, 30, 15, 0.02);
  for (std::string_view const crate : {"crate 1", "crate 2", "crate 3"})
    EXPECT_GT(position(crate).y, 2.5) << crate;
  EXPECT_GT(position("ball").y, 2.5);
  EXPECT_TRUE(world().joint(joint("weak")).broken);
  EXPECT_LT(position("block").y, 1.0);
}

TEST_P(JointScenes, ChainsCarryAThousandTimesALinkAndSwingIt) {
  load("chains");
  double lowest = 100;
  double farthest_left = 100;
  run(60, 30, 25, 0.01, [&] {
    lowest = std::min(lowest, position("swinging load").y);
    farthest_left = std::min(farthest_left, position("swinging load").x);
  });
  EXPECT_NEAR(position("load").y, 17.5, 0.004);      // 0.1 % of four metres
  EXPECT_NEAR(position("long load").y, 11.6, 0.05);  // 0.5 % of ten
  EXPECT_GT(lowest, 22 - 4.5 - 0.2);                 // 5 % of four metres, let go from the horizontal
  EXPECT_LT(farthest_left, 8.5);                     // and up on the other side
}

TEST_P(JointScenes, AHeapOfRagdollsLiesDownInOnePiece) {
  load("ragdolls");
  run(5, 25, 30, 0.2);  // the last ones land at 17 m/s, which pulls joints apart for a moment
  run(15, 25, 10, 0.005);
  EXPECT_LT(position("heap 0 chest").y, 1.5);
  EXPECT_LT(position("falling chest").y, 1.0);
  EXPECT_LT(position("falling chest").x, position("falling pelvis").x + 2);
  EXPECT_GT(position("hanging right forearm").y, 3.0);
}

TEST_P(JointScenes, CarsGoRoundOnHills) {
  load("car");
  double max_x[2] = {-100, -100};
  double min_x[2] = {100, 100};
  constexpr std::string_view kCars[2] = {"car chassis", "four by four chassis"};
  Vec3<double> const parked = position("parked chassis");
  run(60, 60, 15, 0.02, [&] {
    for (int i = 0; i < 2; ++i) {
      max_x[i] = std::max(max_x[i], position(kCars[i]).x);
      min_x[i] = std::min(min_x[i], position(kCars[i]).x);
      ASSERT_GT(rotate(world().view(body(kCars[i])).rotation, {0, 1, 0}).y, 0.8);
    }
  });
  EXPECT_GT(max_x[0] - min_x[0], 15);
  EXPECT_GT(max_x[1] - min_x[1], 20);
  for (std::string_view const car : kCars) EXPECT_GT(length_of(velocity(car)), 3.0) << car;
  EXPECT_LT(length_of(position("parked chassis") - parked), 2.0);  // it fell on its springs, and stays
  EXPECT_LT(length_of(velocity("parked chassis")), 0.01);
}

TEST_P(JointScenes, SwingsSwingAndNobodyFallsOff) {
  load("swing");
  double plank = 0;
  double seat = 0;
  run(60, 12, 12, 0.01, [&] {
    plank = std::max(plank, position("plank").z);
    seat = std::min(seat, position("seat").z);
  });
  EXPECT_GT(plank, 1.0);
  EXPECT_LT(seat, -2.0);
  EXPECT_GT(position("rider").y, 0.3);
  EXPECT_GT(position("child").y, 0.2);
  EXPECT_GT(position("acrobat chest").y, 0.5);
}

TEST_P(JointScenes, ANetHoldsWhatIsThrownIntoIt) {
  load("net");
  run(60, 30, 20, 0.01);
  EXPECT_GT(position("ball 1").y, 1.5);
  EXPECT_GT(position("crate").y, 1.5);
}

TEST_P(JointScenes, ACradleKeepsItsEnergy) {
  load("cradle");
  // Energy of the five balls against what the one was let go with, m g L (1 - cos 40 degrees); the others
  // stay near their places.
  double const start = 9.81 * (position("one 0").y - 1.5);
  double right = 0;
  double middle = 0;
  run(30, 10, 5, 0.01, [&] {
    right = std::max(right, position("one 4").x);
    middle = std::max(middle, std::abs(position("one 2").x));
  });
  double energy = 0;
  for (std::string_view const ball : {"one 0", "one 1", "one 2", "one 3", "one 4"}) {
    energy += 9.81 * (position(ball).y - 1.5) + 0.5 * dot(velocity(ball), velocity(ball));
  }
  EXPECT_LE(energy, 1.01 * start);
  EXPECT_GE(energy, 0.8 * start);
  EXPECT_GT(right, 1.004 + 1.1);
  EXPECT_LT(middle, 0.15);
}

TEST_P(JointScenes, ACatapultHitsTheWall) {
  load("catapult");
  double farthest = 0;
  run(30, 45, 30, 0.01, [&] { farthest = std::max(farthest, position("stone").x); });
  EXPECT_GT(farthest, 25);
  EXPECT_GT(std::abs(position("passenger").z + 6) + std::abs(position("passenger").x + 2.2),
            0.5);  // thrown off the seesaw
}

TEST_P(JointScenes, GearsTurnByTheirRatios) {
  load("gears");
  double highest = 0;
  run(50, 10, 5, 0.002, [&] { highest = std::max(highest, position("rack").y); });
  double const first = world().joint_coordinate(joint("pinion"), JointAxis::kAngularX);
  EXPECT_NEAR(world().joint_coordinate(joint("wheel"), JointAxis::kAngularX), -first / 2, 0.01);
  EXPECT_NEAR(world().joint_coordinate(joint("idler"), JointAxis::kAngularX), first / 1.5, 0.01);
  EXPECT_NEAR(world().joint_coordinate(joint("last"), JointAxis::kAngularX), -first * 2, 0.02);
  EXPECT_NEAR(world().joint_rate(joint("pinion"), JointAxis::kAngularX), 4.0, 0.04);
  EXPECT_GT(highest, 3.2);
  double const rotated = world().joint_coordinate(joint("thread"), JointAxis::kAngularX);
  EXPECT_NEAR(position("nut").y - 1, 0.015 * rotated, 0.001);
}

INSTANTIATE_TEST_SUITE_P(Numbers, JointScenes, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& mode) {
                           return mode.param == NumbersMode::kFloat ? "float" : "fixed";
                         });

}  // namespace
}  // namespace takt::test
