// Assembly is a set of bodies and the joints among them, as definitions that no world has created yet.
// create_assembly() creates them in a World or a sim::AnyWorld. ragdoll() returns the Assembly of a standing
// person. vehicle() returns that of a chassis on four sprung wheels; control_vehicle() then steers, drives
// and brakes it. A game can fill in assemblies of its own likewise.
//
// Not modelled: tyre slip, engine, gearbox (tyres are shapes, friction and joints), muscles of a ragdoll.
//
// Source of the ragdoll's measures: R. Drillis, R. Contini, Body Segment Parameters (1966). Mass fractions:
// D. Winter, Biomechanics and Motor Control (1990).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"
#include "takt/physics/joint.h"

namespace takt {

struct AssemblyBody {
  std::string_view name;  ///< a literal such as "left thigh"
  BodyDef def;            ///< without its shapes
  std::vector<ShapeDef> shapes;
};

struct AssemblyJoint {
  std::string_view name;
  JointDef def;               ///< without its bodies; no gear
  std::uint32_t a_index = 0;  ///< index into Assembly::bodies, below their number
  std::uint32_t b_index = 0;  ///< likewise; another body than a_index
};

struct Assembly {
  std::vector<AssemblyBody> bodies;
  std::vector<AssemblyJoint> joints;
};

/// Ids of the created bodies and joints, in the order of the assembly.
struct AssemblyIds {
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
};

/// Creates all bodies and joints in order, or nothing. `AWorld` is a World<Real>, a sim::AnyWorld or, in a
/// Game, its sim::WorldAccess. Errors: kOutOfRange when a joint's a_index or b_index has no body; those of
/// create_body and create_joint.
template <class AWorld>
[[nodiscard]] Result<AssemblyIds, PhysicsError> create_assembly(AWorld& world, const Assembly& assembly) {
  for (const AssemblyJoint& joint : assembly.joints) {
    if (std::max(joint.a_index, joint.b_index) >= assembly.bodies.size()) return PhysicsError::kOutOfRange;
  }
  AssemblyIds ids;
  auto const undo = [&](PhysicsError error) -> Result<AssemblyIds, PhysicsError> {
    for (BodyId const body : ids.bodies) (void)world.destroy_body(body);  // and its joints
    return error;
  };
  for (const AssemblyBody& body : assembly.bodies) {
    BodyDef def = body.def;
    def.shapes = body.shapes;
    auto const id = world.create_body(def);
    if (!id) return undo(id.error());
    ids.bodies.push_back(*id);
  }
  for (const AssemblyJoint& joint : assembly.joints) {
    JointDef def = joint.def;
    def.body_a = ids.bodies[joint.a_index];
    def.body_b = ids.bodies[joint.b_index];
    auto const id = world.create_joint(def);
    if (!id) return undo(id.error());
    ids.joints.push_back(*id);
  }
  return ids;
}

/// An adult, standing, arms down. It faces +x, up is +y, the left side is at -z.
struct RagdollDef {
  Position position{};                 ///< on the ground between the feet, world
  Quat<double> rotation{};             ///< about that point; unit within 1 %
  Vec3<double> linear_velocity_m_s{};  ///< of every part
  double height_m = 1.75;              ///< [0.6, 20]: all lengths scale with it
  double mass_kg = 75.0;               ///< [0.1, 1e5], distributed over the parts
  double joint_friction_n_m =
      4.0;  ///< friction of each rotation axis of each joint, [0, 1e5]; scale it with weight x height
  double friction = 0.6;  ///< of the skin, dimensionless, [0, 100]
  ShapeFilter filter{};   ///< of every shape; parts connected by a joint never collide
};

/// Indices of the parts in Assembly::bodies. Joint i - 1 connects part i to its neighbour nearer to the
/// pelvis.
enum class RagdollPart : std::uint32_t {
  kPelvis = 0,
  kChest = 1,
  kHead = 2,
  kLeftUpperArm = 3,
  kLeftForearm = 4,
  kRightUpperArm = 5,
  kRightForearm = 6,
  kLeftThigh = 7,
  kLeftShin = 8,
  kLeftFoot = 9,
  kRightThigh = 10,
  kRightShin = 11,
  kRightFoot = 12,
};
inline constexpr std::uint32_t kRagdollPartCount = 13;

/// 13 bodies and 12 joints: cones with twist limits at waist, neck, shoulders and hips; hinges with limits at
/// elbows, knees and ankles. Errors: kOutOfRange (height, mass or joint friction), kBadRotation, kNotFinite.
[[nodiscard]] Result<Assembly, PhysicsError> ragdoll(const RagdollDef& def);

/// A chassis on four wheels. Forward is +x, up +y, right +z; the front wheels steer.
struct VehicleDef {
  Position position{};                 ///< on the ground below the centre of the unloaded wheels, world
  Quat<double> rotation{};             ///< about that point; unit within 1 %
  Vec3<double> linear_velocity_m_s{};  ///< of every body
  Vec3<double> chassis_size_m{4.0, 0.6, 1.7};  ///< whole edges along x, y, z; each in [2 kMinExtentM, 100]
  double chassis_mass_kg = 1200.0;             ///< [1, 1e6]; the centre of mass is the box's centre
  double ground_clearance_m = 0.45;            ///< of the chassis above unloaded wheels, [0.01, 10]
  double wheelbase_m = 2.6;                    ///< from front to rear axle, [0.1, 100]
  double track_m = 1.9;          ///< between the centres of the left and right wheel, [0.1, 100]
  double wheel_radius_m = 0.35;  ///< [0.02, 10]
  double wheel_width_m = 0.22;   ///< [0.02, 10]
  double wheel_mass_kg = 20.0;   ///< of each wheel, [0.01, 1e5]
  double wheel_friction = 1.0;   ///< of the tyres, dimensionless, [0, 100]
  double suspension_hz = 1.6;    ///< natural frequency of a quarter of the chassis on one spring, [0.1, 100];
                                 ///< it sags by gravity / (2 pi hz)^2
  double suspension_damping_ratio = 0.5;  ///< dimensionless, [0, 100]; 1 = critical
  double suspension_travel_m = 0.2;       ///< in each direction from the unloaded position, [0, 10]
  double max_steer_rad = 0.6;             ///< of each front wheel, [0, 1.2]
  bool drives_front = false;
  bool drives_rear = true;
  double tyre_hz = 8.0;  ///< natural frequency of a quarter of the chassis and its wheel on one tyre, [0.5,
                         ///< 100], or 0: rigid tyres, which throw a fast car off kerbs. A tyre sags by
                         ///< gravity / (2 pi hz)^2 = 4 mm, and rolls with its radius less half of that.
                         ///< Softer tyres (a car's: 4 Hz) take higher kerbs
  double tyre_damping_ratio = 0.3;  ///< dimensionless, [0, 100]
};

/// The driver's commands.
struct VehicleControls {
  double steer_rad = 0.0;  ///< of the middle of the front axle, > 0 to the left; both wheels turn about one
                           ///< centre (Ackermann), within max_steer_rad
  double speed_m_s = 0.0;  ///< of the middle of the rear axle, < 0 backwards; target speed of the driven
                           ///< wheels, larger for the outer ones, as on a differential
  double drive_torque_n_m = 0.0;  ///< maximum per driven wheel, >= 0
  double brake_torque_n_m = 0.0;  ///< maximum per wheel, >= 0; above 0 it replaces the drive
};

/// Bodies: the chassis, then the wheels front left, front right, rear left, rear right. Joints: one per wheel
/// in that order. Errors: kOutOfRange, kBadRotation, kNotFinite.
[[nodiscard]] Result<Assembly, PhysicsError> vehicle(const VehicleDef& def,
                                                     const VehicleControls& controls = {});

/// Returns `wheel`, the definition of a wheel's joint, changed for these controls. `wheel_index` is 0 to 3 in
/// the order of vehicle(). Errors: kOutOfRange (an index above 3; steering beyond +-1.2 rad, speed beyond
/// +-kMaxLinearSpeedMS, torques outside 0 to 1e9 N m; a value of `def`), kBadRotation, kNotFinite.
[[nodiscard]] Result<JointDef, PhysicsError> controlled_wheel(const JointDef& wheel,
                                                              std::uint32_t wheel_index,
                                                              const VehicleDef& def,
                                                              const VehicleControls& controls);

/// Steers, drives and brakes a vehicle. Only joints whose definition differs are changed, which wakes the
/// vehicle. `wheels`: the ids that create_assembly returned for vehicle()'s joints. Errors: those of
/// controlled_wheel and change_joint; kUnknownJoint when a wheel no longer exists. Wheels before the one with
/// the error stay changed.
template <class AWorld>
EditResult control_vehicle(AWorld& world, std::span<const JointId> wheels, const VehicleDef& def,
                           const VehicleControls& controls) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i >= wheels.size() || !world.contains(wheels[i])) return PhysicsError::kUnknownJoint;
    JointDef const now = world.joint_def(wheels[i]);
    auto const wanted = controlled_wheel(now, i, def, controls);
    if (!wanted) return wanted.error();
    if (wanted->axes == now.axes) continue;
    if (auto const changed = world.change_joint(wheels[i], *wanted); !changed) return changed.error();
  }
  return Unit{};
}

}  // namespace takt
