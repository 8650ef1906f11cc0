// Ragdolls and vehicles: they stand as they are written, stay together and within their limits, and a vehicle
// does what its driver asks.
#include <gtest/gtest.h>

#include <cmath>

#include "joint_world.h"
#include "takt/physics/assembly.h"

namespace takt::test {
namespace {

template <class Real>
class AssemblyTest : public testing::Test {
 protected:
  static World<Real> world_with_ground(double friction = 0.9) {
    World<Real> world = make_world<Real>();
    add_ground(world, {}, {}, friction);
    return world;
  }
  static AssemblyIds create(World<Real>& world, const Result<Assembly, PhysicsError>& assembly) {
    EXPECT_TRUE(assembly.ok());
    auto const ids = create_assembly(world, *assembly);
    EXPECT_TRUE(ids.ok());
    return *ids;
  }
  static double largest_gap_m(const World<Real>& world, const AssemblyIds& ids) {
    double max = 0;
    for (JointId const joint : ids.joints) max = std::max(max, gap_m(world, joint));
    return max;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(AssemblyTest, Reals);

TYPED_TEST(AssemblyTest, ARagdollStandsInNothingWithoutMoving) {
  // Written where no limit is crossed and no parts meet, it has no reason to move: not by a bit.
  WorldDef def = without_gravity();
  World<TypeParam> world = make_world<TypeParam>(def);
  RagdollDef ragdoll_def;
  ragdoll_def.rotation = about_y(0.7) * about_x(0.4);
  AssemblyIds const ids = this->create(world, ragdoll(ragdoll_def));
  ASSERT_EQ(ids.bodies.size(), kRagdollPartCount);
  ASSERT_EQ(ids.joints.size(), kRagdollPartCount - 1);
  double mass_kg = 0;
  for (BodyId const part : ids.bodies) mass_kg += world.mass_kg(part);
  EXPECT_NEAR(mass_kg, ragdoll_def.mass_kg, 1e-4);
  EXPECT_LE(this->largest_gap_m(world, ids), 1e-6);
  run(world, 60);
  std::vector<ContactView> contacts;
  world.list_contacts(contacts);
  EXPECT_TRUE(contacts.empty());
  for (BodyId const part : ids.bodies) EXPECT_LE(length_of(to_double(world.linear_velocity(part))), 1e-4);
}

TYPED_TEST(AssemblyTest, WhatHitsTheGroundFastStaysTogether) {
  // Continuous collision takes the first limb back to where it touches; if the others went on alone, the
  // joints would open by a third of a metre.
  for (double const speed_m_s : {5.0, 10.0, 20.0}) {
    World<TypeParam> world = this->world_with_ground();
    RagdollDef def;
    def.position = at(0, 2.0, 0);
    def.rotation = about_z(-1.1) * about_y(0.4);
    def.linear_velocity_m_s = {3, -speed_m_s, 1};
    AssemblyIds const ids = this->create(world, ragdoll(def));
    double gap = 0;
    double max_j = 0;
    for (int i = 0; i < 90; ++i) {
      (void)world.step();
      gap = std::max(gap, this->largest_gap_m(world, ids));
      double energy_j = 0;
      for (BodyId const part : ids.bodies) {
        Vec3<double> const velocity = to_double(world.linear_velocity(part));
        energy_j += world.mass_kg(part) *
                    (0.5 * dot(velocity, velocity) + 9.81 * metres(world.center_of_mass(part)).y);
      }
      if (i == 0) max_j = 1.001 * energy_j;
      EXPECT_LT(energy_j, max_j) << speed_m_s << " m/s, tick " << i;
    }
    EXPECT_LT(gap, 0.02) << speed_m_s << " m/s";
  }
}

TYPED_TEST(AssemblyTest, WhatFallsOnAFastPlatformStaysTogether) {
  // The limb that is stopped rides on with the platform, half a metre a tick; so must the rest.
  World<TypeParam> world = make_world<TypeParam>();
  BodyId const platform = add(world, BodyType::kKinematic, box(200, 0.5, 10), at(150, -0.5, 0));
  ASSERT_TRUE(world.set_velocity(platform, {-30, 0, 0}, {}).ok());
  RagdollDef def;
  def.position = at(0, 1.5, 0);
  def.rotation = about_z(-1.1) * about_y(0.4);
  def.linear_velocity_m_s = {-30, -8, 0};
  AssemblyIds const ids = this->create(world, ragdoll(def));
  double gap = 0;
  for (int i = 0; i < 90; ++i) {
    (void)world.step();
    gap = std::max(gap, this->largest_gap_m(world, ids));
  }
  EXPECT_LT(gap, 0.02);
}

TYPED_TEST(AssemblyTest, ACarCrossesKerbsInOnePiece) {
  for (double const speed_m_s : {10.0, 20.0}) {
    World<TypeParam> world = this->world_with_ground();
    for (int i = 1; i < 12; ++i) add(world, BodyType::kStatic, box(0.1, 0.04, 3), at(5.0 * i, 0, 0));
    VehicleDef def;
    def.position = at(0, 0.02, 0);
    def.linear_velocity_m_s = {speed_m_s, 0, 0};
    AssemblyIds const ids = this->create(world, vehicle(def));
    double off_m = 0;
    for (int i = 0; i < 150; ++i) {
      (void)world.step();
      for (JointId const wheel : ids.joints) {
        off_m = std::max(off_m, std::abs(world.joint_coordinate(wheel, JointAxis::kLinearY)));
        off_m = std::max(off_m, std::abs(world.joint_coordinate(wheel, JointAxis::kLinearZ)));
      }
    }
    EXPECT_LT(off_m, 0.002) << speed_m_s << " m/s";
    EXPECT_GT(metres(world.center_of_mass(ids.bodies[0])).x, 0.7 * 2.5 * speed_m_s)
        << speed_m_s << " m/s";  // it has gone on
  }
}

TYPED_TEST(AssemblyTest, ARagdollFallsInAHeapAndKeepsTogetherWithinItsLimits) {
  World<TypeParam> world = this->world_with_ground();
  RagdollDef def;
  def.position = at(0, 0.5, 0);
  def.rotation = about_z(-0.3);
  def.linear_velocity_m_s = {2, 0, 1};
  AssemblyIds const ids = this->create(world, ragdoll(def));
  for (int second = 0; second < 10; ++second) {
    run(world, 60);
    EXPECT_LE(this->largest_gap_m(world, ids), second == 0 ? 0.005 : 0.001)
        << second;  // it lands in the first
  }
  for (JointId const joint : ids.joints) {
    JointDef const limits = world.joint_def(joint);
    for (std::uint32_t i = 0; i < limits.axis_count; ++i) {
      double const angle = world.joint_coordinate(joint, limits.axes[i].axis);
      EXPECT_GE(angle, limits.axes[i].lower - 1.0 * kDegree) << i;
      EXPECT_LE(angle, limits.axes[i].upper + 1.0 * kDegree) << i;
    }
  }
  EXPECT_LT(metres(world.center_of_mass(ids.bodies[static_cast<std::size_t>(RagdollPart::kChest)])).y, 0.4);
  EXPECT_GT(metres(world.center_of_mass(ids.bodies[static_cast<std::size_t>(RagdollPart::kChest)])).y, 0.1);
}

TYPED_TEST(AssemblyTest, AVehicleSagsOnItsSpringsByItsWeight) {
  World<TypeParam> world = this->world_with_ground();
  VehicleDef def;
  AssemblyIds const ids = this->create(world, vehicle(def));
  ASSERT_EQ(ids.bodies.size(), 5u);
  run(world, 600);
  // A quarter of the chassis on each spring k = (m / 4) w^2: g / w^2, whatever the mass.
  double const rate = 2 * 3.14159265358979 * def.suspension_hz;
  for (JointId const wheel : ids.joints)
    EXPECT_NEAR(world.joint_coordinate(wheel, JointAxis::kLinearX), 9.81 / (rate * rate), 5e-4);
  EXPECT_LE(std::abs(metres(world.center_of_mass(ids.bodies[0])).x), 0.01);
}

TYPED_TEST(AssemblyTest, AVehicleDrivesAsFastAsItIsAskedAndBrakes) {
  World<TypeParam> world = this->world_with_ground();
  VehicleDef def;
  AssemblyIds const ids = this->create(world, vehicle(def));
  VehicleControls controls;
  controls.speed_m_s = 8;
  controls.drive_torque_n_m =
      400;  // 2 x 400 / 0.35 N on 1,280 kg: 8 m/s after 4.5 s, and the wheels' own inertia
  ASSERT_TRUE(control_vehicle(world, ids.joints, def, controls).ok());
  run(world, 600);
  EXPECT_NEAR(to_double(world.linear_velocity(ids.bodies[0])).x, 8.0, 0.08);
  double const from_m = metres(world.center_of_mass(ids.bodies[0])).x;
  EXPECT_LE(std::abs(metres(world.center_of_mass(ids.bodies[0])).z), from_m * 0.5 * kDegree);  // straight on
  ASSERT_TRUE(control_vehicle(world, ids.joints, def, {.brake_torque_n_m = 3000}).ok());
  run(world, 180);
  EXPECT_LE(length_of(to_double(world.linear_velocity(ids.bodies[0]))), 0.05);
  // Locked wheels slide: v^2 / (2 mu g), with friction the root of 0.9 x 1.
  double const displacement_m = metres(world.center_of_mass(ids.bodies[0])).x - from_m;
  EXPECT_NEAR(displacement_m, 64 / (2 * std::sqrt(0.9) * 9.81), 0.35);
}

// Rigid tyres turned the whole speed of a wheel at a kerb's edge upwards, and cars rolled over.
TYPED_TEST(AssemblyTest, AVehicleAt20MetresASecondStaysUprightOnKerbsOf6Centimetres) {
  for (double const spacing_m : {3.3, 5.0, 1000.0}) {
    for (double const side_m : {-1.35, 0.0, 1.35}) {
      auto world = test::make_world<TypeParam>();
      test::add_ground(world, {}, {}, 1.0);
      VehicleDef def;
      def.linear_velocity_m_s = {20, 0, 0};
      AssemblyIds const ids = this->create(world, vehicle(def));
      for (int i = 0; i < 10; ++i)
        test::add(world, BodyType::kStatic, test::box(0.15, 0.03, side_m == 0 ? 4 : 1),
                  test::at(12 + i * spacing_m, 0.03, side_m));
      ASSERT_TRUE(control_vehicle(world, ids.joints, def, {.speed_m_s = 20, .drive_torque_n_m = 300}).ok());
      for (int tick = 0; tick < 240; ++tick) {
        (void)world.step();
        // A kerb under one side of the track leans the car by 6 cm on 1.9 m, 1.8 degrees; twice that is
        // 0.998.
        double const up = rotate(to_double(world.pose(ids.bodies[0]).rotation), Vec3<double>{0, 1, 0}).y;
        ASSERT_GT(up, 0.99) << "kerbs every " << spacing_m << " m at " << side_m << " m, tick " << tick;
      }
    }
  }
}

TYPED_TEST(AssemblyTest, AVehicleTurnsAboutOnePoint) {
  World<TypeParam> world = this->world_with_ground();
  VehicleDef def;
  AssemblyIds const ids = this->create(world, vehicle(def));
  VehicleControls const controls{.steer_rad = 0.3, .speed_m_s = 3, .drive_torque_n_m = 300};
  ASSERT_TRUE(control_vehicle(world, ids.joints, def, controls).ok());
  run(world, 600);
  EXPECT_GT(world.joint_coordinate(ids.joints[0], JointAxis::kAngularX), 0.31);  // the inner one turns more
  EXPECT_LT(world.joint_coordinate(ids.joints[1], JointAxis::kAngularX), 0.29);
  EXPECT_NEAR(world.joint_coordinate(ids.joints[0], JointAxis::kAngularX),
              std::atan(2.6 / (2.6 / std::tan(0.3) - 0.95)), 0.5 * kDegree);
  // The middle of the rear axle goes round at wheelbase / tan(steer): so many metres for a radian, to the
  // left.
  Vec3<double> const turn = to_double(world.angular_velocity(ids.bodies[0]));
  Vec3<double> const speed = to_double(world.linear_velocity(ids.bodies[0]));
  EXPECT_GT(turn.y, 0);
  double const radius_m = 2.6 / std::tan(0.3);
  double const of_middle_m = std::sqrt(radius_m * radius_m + 1.3 * 1.3);
  EXPECT_NEAR(length_of({speed.x, 0, speed.z}) / turn.y, of_middle_m, 0.05 * of_middle_m);
}

TYPED_TEST(AssemblyTest, ControlsThatChangeNothingWakeNothing) {
  World<TypeParam> world = this->world_with_ground();
  VehicleDef def;
  AssemblyIds const ids = this->create(world, vehicle(def, {.brake_torque_n_m = 1000}));
  run(world, 1200);
  ASSERT_TRUE(world.is_asleep(ids.bodies[0]));
  ASSERT_TRUE(control_vehicle(world, ids.joints, def, {.brake_torque_n_m = 1000}).ok());
  EXPECT_TRUE(world.is_asleep(ids.bodies[0]));
  ASSERT_TRUE(control_vehicle(world, ids.joints, def, {.steer_rad = 0.1, .brake_torque_n_m = 1000}).ok());
  EXPECT_FALSE(world.is_asleep(ids.bodies[0]));
}

TYPED_TEST(AssemblyTest, BadDefinitionsAreRefusedByName) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const ragdoll_error = [](auto&& change) {
    RagdollDef def;
    change(def);
    auto const made = ragdoll(def);
    return made.ok() ? std::optional<PhysicsError>() : std::optional(made.error());
  };
  EXPECT_EQ(ragdoll_error([&](RagdollDef& d) { d.height_m = nan; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(ragdoll_error([&](RagdollDef& d) { d.height_m = 0.5; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(ragdoll_error([&](RagdollDef& d) { d.mass_kg = 0; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(ragdoll_error([&](RagdollDef& d) { d.joint_friction_n_m = -1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(ragdoll_error([&](RagdollDef& d) { d.rotation.x = 1; }), PhysicsError::kBadRotation);
  auto const vehicle_error = [](auto&& change) {
    VehicleDef def;
    VehicleControls controls;
    change(def, controls);
    auto const made = vehicle(def, controls);
    return made.ok() ? std::optional<PhysicsError>() : std::optional(made.error());
  };
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) { d.wheelbase_m = 0; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) { d.tyre_hz = 0.1; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) { d.tyre_damping_ratio = -1; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) { d.suspension_hz = nan; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) { d.chassis_size_m.y = 0; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef& d, VehicleControls&) {
              d.rotation = {0, 0, 0, 2};
            }),
            PhysicsError::kBadRotation);
  EXPECT_EQ(vehicle_error([&](VehicleDef&, VehicleControls& c) { c.steer_rad = 1.5; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(vehicle_error([&](VehicleDef&, VehicleControls& c) { c.brake_torque_n_m = -1; }),
            PhysicsError::kOutOfRange);
}

TYPED_TEST(AssemblyTest, AJointOfABodyThatDoesNotExistIsRefusedBeforeAnythingIsCreated) {
  World<TypeParam> world = make_world<TypeParam>();
  std::uint64_t const hash = world.hash();  // covers the slots of destroyed bodies: nothing was undone
  for (std::uint32_t AssemblyJoint::*const index : {&AssemblyJoint::a_index, &AssemblyJoint::b_index}) {
    for (std::uint32_t const bad : {kRagdollPartCount, ~std::uint32_t{0}}) {
      Assembly assembly = *ragdoll({});
      assembly.joints.back().*index = bad;
      auto const refused = create_assembly(world, assembly);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error(), PhysicsError::kOutOfRange);
      EXPECT_EQ(world.hash(), hash);
    }
  }
  Assembly no_bodies;
  no_bodies.joints.emplace_back();
  EXPECT_FALSE(create_assembly(world, no_bodies).ok());
  EXPECT_EQ(this->create(world, ragdoll({})).bodies.size(), kRagdollPartCount);
}

TYPED_TEST(AssemblyTest, WhatIsRefusedLeavesNothingBehind) {
  World<TypeParam> world = make_world<TypeParam>();
  Assembly assembly = *ragdoll({});
  assembly.joints.back().def.break_force_n = -1;
  auto const refused = create_assembly(world, assembly);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.body_count(), 0u);
  std::vector<JointId> joints;
  world.list_joints(joints);
  EXPECT_TRUE(joints.empty());
  AssemblyIds const ids = this->create(world, vehicle({}));
  ASSERT_TRUE(world.destroy_body(ids.bodies[4]).ok());
  auto const controlled = control_vehicle(world, ids.joints, {}, {.brake_torque_n_m = 5});
  ASSERT_FALSE(controlled.ok());
  EXPECT_EQ(controlled.error(), PhysicsError::kUnknownJoint);
}

}  // namespace
}  // namespace takt::test
