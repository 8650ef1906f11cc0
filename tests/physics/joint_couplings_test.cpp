// Gears and pulleys: the motion they tie, what they carry, the loads at which they break, and the momentum
// they leave alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointCouplingsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointCouplingsTest, Reals);

TYPED_TEST(JointCouplingsTest, GearsTurnAtTheirRatioAndPulleysShareTheirRope) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const frame = add_anchor(world);
  BodyId const small = add_mass(world, 1.0, {0.1, 0.1, 0.1}, at(0, 0, 0));
  BodyId const large = add_mass(world, 4.0, {1.0, 1.0, 1.0}, at(2, 0, 0));
  JointFrame there;
  there.position_m = {2, 0, 0};
  JointId const first =
      add_joint(world, revolute_joint(frame, small, {}, {}).motor(JointAxis::kAngularX, 8.0, 5.0));
  JointId const second = add_joint(world, revolute_joint(frame, large, there, {}));
  (void)add_joint(world,
                  gear_joint(small, large, first, JointAxis::kAngularX, second, JointAxis::kAngularX, 4.0));
  run(world, 600);
  EXPECT_NEAR(world.joint_rate(first, JointAxis::kAngularX), 8.0, 1e-3);
  EXPECT_NEAR(world.joint_rate(second, JointAxis::kAngularX), -2.0, 1e-3);
  EXPECT_NEAR(world.joint_coordinate(first, JointAxis::kAngularX) +
                  4.0 * world.joint_coordinate(second, JointAxis::kAngularX),
              0.0, 2e-3);

  World<TypeParam> crane = make_world<TypeParam>(awake());
  BodyId const light = add_mass(crane, 1.0, {0.1, 0.1, 0.1}, at(-1, -2, 0));
  BodyId const heavy = add_mass(crane, 3.0, {0.1, 0.1, 0.1}, at(1, -2, 0));
  JointId const pulley = add_joint(crane, pulley_joint(light, heavy, {}, {}, at(-1, 0, 0), at(1, 0, 0), 4.0));
  run(crane, 30);
  // Atwood: a = g (M - m) / (M + m), tension = 2 g m M / (m + M).
  EXPECT_NEAR(to_double(crane.linear_velocity(light).y), 9.81 * 0.5 * 0.5, 0.01 * 9.81 * 0.25);
  EXPECT_NEAR(to_double(crane.linear_velocity(heavy).y), -9.81 * 0.5 * 0.5, 0.01 * 9.81 * 0.25);
  EXPECT_NEAR(length_of(crane.joint(pulley).force_n), 2.0 * 9.81 * 3.0 / 4.0, 0.01 * 14.7);
}

// The light end passed its wheel again and again, while the rope grew by 5 m. Drift correction then lifted
// the heavy body.
TYPED_TEST(JointCouplingsTest, APulleyHoldsAHeavyBodyWhenTheLightOneIsAtItsWheel) {
  World<TypeParam> world = make_world<TypeParam>(awake());
  BodyId const heavy = add_mass(world, 1000.0, {20, 20, 20}, at(0, -1, 0));
  BodyId const light = add_mass(world, 10.0, {0.1, 0.1, 0.1}, at(2, -1, 0));
  (void)add_joint(world, pulley_joint(heavy, light, {}, {}, at(0, 0, 0), at(2, 0, 0), 2.0));
  double const first_j = world.energy().total_j();
  double lowest_j = first_j;
  double rise_j = 0;
  for (int tick = 0; tick < 600; ++tick) {
    (void)world.step();
    // The rope is 2 m long. The end at the wheel gives way by what it travels in a substep: 4.4 m/s / 240.
    ASSERT_GT(metres(world.center_of_mass(heavy)).y, -2.0 - 4.4 / 240.0) << "tick " << tick;
    double const now_j = world.energy().total_j();
    lowest_j = std::min(lowest_j, now_j);
    rise_j = std::max(rise_j, now_j - lowest_j);
  }
  EXPECT_LT(rise_j, 0.01 * 1000 * 9.81) << "the heavy body falls by 1 m";
}

/// A shaft that a motor holds still, and another with `load_n_m` on it; a gear of `ratio` is all that holds
/// the second.
template <class Real>
struct LoadedGear {
  World<Real> world = make_world<Real>(without_gravity());
  BodyId held;
  BodyId loaded;
  JointId hold;
  JointId gear;

  LoadedGear(double ratio, double break_torque_n_m) {
    BodyId const frame = add_anchor(world);
    held = add_mass(world, 1.0, {0.5, 0.5, 0.5}, at(0, 0, 0));
    loaded = add_mass(world, 1.0, {0.2, 0.2, 0.2}, at(2, 0, 0));
    JointFrame there;
    there.position_m = {2, 0, 0};
    hold = add_joint(world, revolute_joint(frame, held, {}, {}).motor(JointAxis::kAngularX, 0.0, 1e4));
    JointId const bearing = add_joint(world, revolute_joint(frame, loaded, there, {}));
    JointDef def = gear_joint(held, loaded, hold, JointAxis::kAngularX, bearing, JointAxis::kAngularX, ratio);
    def.break_torque_n_m = break_torque_n_m;
    gear = add_joint(world, def);
  }
  void load(double load_n_m, int ticks) {
    for (int i = 1; i <= ticks; ++i) {
      ASSERT_TRUE(world.apply_force(loaded, {}, {load_n_m * std::min(1.0, 2.0 * i / ticks), 0, 0}).ok());
      (void)world.step();
    }
  }
};

TYPED_TEST(JointCouplingsTest, AGearSaysTheTorqueItCarriesAndPassesItsShareOn) {
  for (double const ratio : {1.0, 2.5, -1.5, 0.25}) {
    LoadedGear<TypeParam> box(ratio, kUnbounded);
    box.load(8.0, 240);
    // It turns the loaded shaft back by all of the load, and the held one by 1 / ratio of it, which the motor
    // bears.
    EXPECT_NEAR(box.world.joint(box.gear).torque_n_m.x, -8.0, 0.01 * 8.0) << ratio;
    EXPECT_LT(length_of(box.world.joint(box.gear).force_n), 0.01) << ratio;
    EXPECT_NEAR(box.world.joint(box.hold).torque_n_m.x, 8.0 / ratio, 0.01 * 8.0 / std::abs(ratio)) << ratio;
  }
}

TYPED_TEST(JointCouplingsTest, AGearBreaksAtItsTorque) {
  for (double const ratio : {2.5, -1.5}) {
    for (double const share : {0.98, 1.02}) {
      LoadedGear<TypeParam> box(ratio, share * 8.0);
      box.load(8.0, 240);
      EXPECT_EQ(box.world.joint(box.gear).broken, share < 1.0) << ratio;
    }
  }
}

/// A rope over two ground anchors, with a force at either end that balances the other.
template <class Real>
struct LoadedPulley {
  World<Real> world = make_world<Real>(without_gravity());
  BodyId a;
  BodyId b;
  JointId pulley;

  LoadedPulley(double ratio, double break_force_n) {
    a = add_mass(world, 2.0, {0.1, 0.1, 0.1}, at(-1, -2, 0));
    b = add_mass(world, 5.0, {0.1, 0.1, 0.1}, at(1, -3, 0));
    JointDef def = pulley_joint(a, b, {}, {}, at(-1, 0, 0), at(1, 0, 0), 2.0 + 3.0 * ratio, ratio);
    def.break_force_n = break_force_n;
    pulley = add_joint(world, def);
  }
  void load(double tension_n, double ratio, int ticks) {
    for (int i = 1; i <= ticks; ++i) {
      double const share = std::min(1.0, 2.0 * i / ticks);
      ASSERT_TRUE(world.apply_force(a, {0, -tension_n * share, 0}, {}).ok());
      ASSERT_TRUE(world.apply_force(b, {0, -tension_n * ratio * share, 0}, {}).ok());
      (void)world.step();
    }
  }
};

TYPED_TEST(JointCouplingsTest, APulleySaysTheForceOnItsSecondBodyAndBreaksAtIt) {
  for (double const ratio : {1.0, 2.0, 0.5}) {
    LoadedPulley<TypeParam> hoist(ratio, kUnbounded);
    hoist.load(40.0, ratio, 240);
    EXPECT_NEAR(hoist.world.joint(hoist.pulley).force_n.y, 40.0 * ratio, 0.01 * 40.0 * ratio) << ratio;
    EXPECT_NEAR(metres(hoist.world.center_of_mass(hoist.a)).y, -2.0, 1e-3) << ratio;
    EXPECT_NEAR(metres(hoist.world.center_of_mass(hoist.b)).y, -3.0, 1e-3) << ratio;
    for (double const share : {0.98, 1.02}) {
      LoadedPulley<TypeParam> weak(ratio, share * 40.0 * ratio);
      weak.load(40.0, ratio, 240);
      EXPECT_EQ(weak.world.joint(weak.pulley).broken, share < 1.0) << ratio;
    }
  }
}

/// A machine that floats: a housing, a wheel in it and a second wheel or a rack, geared to the first.
struct Machine {
  const char* name;
  Quat<double> second_shaft;  ///< turns the x axis of the second bearing
  bool is_rack;
  double ratio;
};

TYPED_TEST(JointCouplingsTest, AGearInAHousingThatFloatsKeepsMomentum) {
  for (Machine const& machine :
       {Machine{"spur gears", {}, false, -2.0}, Machine{"bevel gears", kXToZ, false, 1.5},
        Machine{"rack and pinion", kXToY, true, 3.0}}) {
    World<TypeParam> world = make_world<TypeParam>(without_gravity());
    struct Part {
      BodyId body;
      double mass_kg;
      double inertia_kg_m2;  // round: their angular momentum is inertia x spin
    };
    std::array<Part, 3> parts{{{{}, 4.0, 2.0}, {{}, 1.0, 0.3}, {{}, 2.0, 0.5}}};
    std::array<Vec3<double>, 3> const centers{{{0, 0, 0}, {0.5, 0, 0}, {-0.5, 0.25, 0}}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      double const inertia = parts[i].inertia_kg_m2;
      parts[i].body =
          add_mass(world, parts[i].mass_kg, {inertia, inertia, inertia}, moved(Position{}, centers[i]));
      // All turn and go as one piece at first.
      Vec3<double> const spin{0.3, -0.5, 0.4};
      ASSERT_TRUE(
          world.set_velocity(parts[i].body, Vec3<double>{0.2, 0.1, -0.3} + cross(spin, centers[i]), spin)
              .ok());
    }
    JointFrame shaft;
    shaft.position_m = centers[1];
    JointFrame second;
    second.position_m = centers[2];
    second.rotation = machine.second_shaft;
    JointFrame own;
    own.rotation = machine.second_shaft;
    BodyId const housing = parts[0].body;
    JointId const driven = add_joint(
        world, revolute_joint(housing, parts[1].body, shaft, {}).motor(JointAxis::kAngularX, 4.0, 2.0));
    JointAxis const axis = machine.is_rack ? JointAxis::kLinearX : JointAxis::kAngularX;
    JointId const other =
        add_joint(world, machine.is_rack ? prismatic_joint(housing, parts[2].body, second, own)
                                         : revolute_joint(housing, parts[2].body, second, own));
    (void)add_joint(world, gear_joint(parts[1].body, parts[2].body, driven, JointAxis::kAngularX, other, axis,
                                      machine.ratio));

    auto const momentum = [&](Vec3<double>& linear, Vec3<double>& angular) {
      linear = {};
      angular = {};
      for (const Part& part : parts) {
        Vec3<double> const push = to_double(world.linear_velocity(part.body)) * part.mass_kg;
        linear += push;
        angular += cross(metres(world.center_of_mass(part.body)), push) +
                   to_double(world.angular_velocity(part.body)) * part.inertia_kg_m2;
      }
    };
    Vec3<double> linear, angular;
    momentum(linear, angular);
    run(world, 120);
    EXPECT_NEAR(world.joint_rate(driven, JointAxis::kAngularX), 4.0, 0.05) << machine.name;
    EXPECT_NEAR(
        world.joint_rate(driven, JointAxis::kAngularX) + machine.ratio * world.joint_rate(other, axis), 0.0,
        2e-3)
        << machine.name;
    Vec3<double> linear_after, angular_after;
    momentum(linear_after, angular_after);
    // 480 substeps with six roundings of speeds below 2 m/s each, at random, three deviations: 54 x 4 kg x 2
    // x 3 of kRounding. Angular: as in joint_kinds_test.
    double const max = 1300.0 * kRounding<TypeParam>;
    EXPECT_LT(length_of(linear_after - linear), max) << machine.name;
    EXPECT_LT(length_of(angular_after - angular), 5.0 * max) << machine.name;
  }
}

}  // namespace
}  // namespace takt::test
