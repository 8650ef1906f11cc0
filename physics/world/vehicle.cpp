#include "physics/state/definition_check.h"
#include "physics/world/assembly_frame.h"
#include "takt/core/assert.h"
#include "takt/physics/assembly.h"
#include "takt/physics/bounds.h"
#include "takt/physics/float_control.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

constexpr double kHalfRoot = 0.70710678118654752440;
constexpr Quat<double> kXToUp{0, 0, kHalfRoot, kHalfRoot};  // keeps z: the frames of a wheel joint
constexpr Quat<double> kYToRight{kHalfRoot, 0, 0, kHalfRoot};
constexpr std::array<std::string_view, 4> kWheels{"front left wheel", "front right wheel", "rear left wheel",
                                                  "rear right wheel"};

bool is_front(std::uint32_t wheel) noexcept { return wheel < 2; }
bool is_left(std::uint32_t wheel) noexcept { return wheel % 2 == 0; }

Vec3<double> middle_of_wheel(const VehicleDef& def, std::uint32_t wheel) {
  TAKT_ASSERT(wheel < kWheels.size());
  return {(is_front(wheel) ? 0.5 : -0.5) * def.wheelbase_m, def.wheel_radius_m,
          (is_left(wheel) ? -0.5 : 0.5) * def.track_m};
}

Vec3<double> middle_of_chassis(const VehicleDef& def) {
  return {0, def.ground_clearance_m + 0.5 * def.chassis_size_m.y, 0};
}

// Each spring carries a quarter of the chassis. It is tuned by that mass, not by the frequency of the row,
// which would be the wheel's own.
Softness suspension(const VehicleDef& def) {
  double const quarter_kg = 0.25 * def.chassis_mass_kg;
  double const rate = 6.28318530717958647692 * def.suspension_hz;
  return Softness::spring(quarter_kg * rate * rate, 2.0 * def.suspension_damping_ratio * quarter_kg * rate);
}

// Tuned as the suspension is. A rigid tyre turns the speed of the wheel at the edge of a kerb at once.
Softness tyre_softness(const VehicleDef& def) {
  double const quarter_kg = 0.25 * def.chassis_mass_kg + def.wheel_mass_kg;
  double const rate = 6.28318530717958647692 * def.tyre_hz;
  return Softness::spring(quarter_kg * rate * rate, 2.0 * def.tyre_damping_ratio * quarter_kg * rate);
}

// Ackermann steering: all wheels turn about one point on the line of the rear axle. Turning is the
// direction from there to a wheel, relative to the middle of the rear axle at distance 1.
struct Turning {
  double forward;  // tan of the middle's steering angle, or 0 at the rear
  double inward;
};

Turning turning_of(const VehicleDef& def, std::uint32_t wheel, double middle_rad) {
  double const slope = to_double(tan(to_real<Fixed>(middle_rad)));
  double const aside = slope * 0.5 * def.track_m / def.wheelbase_m;
  return {is_front(wheel) ? slope : 0.0, is_left(wheel) ? 1.0 - aside : 1.0 + aside};
}

double steering_angle(const VehicleDef& def, std::uint32_t wheel, double middle_rad) {
  Turning const at = turning_of(def, wheel, middle_rad);
  double const angle = to_double(atan2(to_real<Fixed>(at.forward), to_real<Fixed>(at.inward)));
  return angle < -def.max_steer_rad  ? -def.max_steer_rad
         : angle > def.max_steer_rad ? def.max_steer_rad
                                     : angle;
}

// A differential: the outer wheels have the longer path.
double speed_of(const VehicleDef& def, std::uint32_t wheel, const VehicleControls& controls) {
  Turning const at = turning_of(def, wheel, controls.steer_rad);
  double const displacement = __builtin_sqrt(at.forward * at.forward + at.inward * at.inward);
  return controls.speed_m_s * (at.inward < 0.0 ? -displacement : displacement);
}

AssemblyBody chassis(const VehicleDef& def) {
  AssemblyBody body;
  body.name = "chassis";
  ShapeDef box;
  box.half_extents_m = def.chassis_size_m * 0.5;
  box.density_kg_m3 =
      def.chassis_mass_kg / (def.chassis_size_m.x * def.chassis_size_m.y * def.chassis_size_m.z);
  body.shapes.push_back(box);
  return body;
}

Result<AssemblyBody, PhysicsError> wheel_body(const VehicleDef& def, std::uint32_t wheel) {
  AssemblyBody body;
  body.name = kWheels[wheel];
  ShapeDef tyre;
  tyre.kind = ShapeKind::kCylinder;
  tyre.radius_m = def.wheel_radius_m;
  tyre.half_length_m = 0.5 * def.wheel_width_m;
  tyre.local_rotation = kYToRight;
  tyre.friction = def.wheel_friction;
  auto const volume = volume_m3(tyre);
  if (!volume) return volume.error();
  tyre.density_kg_m3 = def.wheel_mass_kg / *volume;
  if (def.tyre_hz > 0.0) tyre.contact_softness = tyre_softness(def);
  body.shapes.push_back(tyre);
  return body;
}

JointDef wheel_on(const VehicleDef& def, std::uint32_t wheel) {
  Vec3<double> const anchor = middle_of_wheel(def, wheel) - middle_of_chassis(def);
  JointDef joint = wheel_joint({}, {}, {anchor, kXToUp}, {{}, kXToUp}, suspension(def), is_front(wheel));
  if (is_front(wheel)) joint.limit(JointAxis::kAngularX, -def.max_steer_rad, def.max_steer_rad);
  return joint.limit(JointAxis::kLinearX, -def.suspension_travel_m, def.suspension_travel_m);
}

std::optional<PhysicsError> check(const VehicleDef& def) {
  if (auto const error = check_rotation(def.rotation)) return error;
  for (double const size : {def.chassis_size_m.x, def.chassis_size_m.y, def.chassis_size_m.z}) {
    if (!is_between(size, 2 * kMinExtentM, 100)) return PhysicsError::kOutOfRange;
  }
  bool const chassis =
      is_between(def.chassis_mass_kg, 1, 1e6) && is_between(def.ground_clearance_m, 0.01, 10);
  bool const axles = is_between(def.wheelbase_m, 0.1, 100) && is_between(def.track_m, 0.1, 100) &&
                     is_between(def.max_steer_rad, 0, 1.2);
  bool const wheels = is_between(def.wheel_radius_m, 0.02, 10) && is_between(def.wheel_width_m, 0.02, 10) &&
                      is_between(def.wheel_mass_kg, 0.01, 1e5) && is_between(def.wheel_friction, 0, 100);
  bool const springs = is_between(def.suspension_hz, 0.1, 100) &&
                       is_between(def.suspension_damping_ratio, 0, 100) &&
                       is_between(def.suspension_travel_m, 0, 10);
  bool const tyres =
      (def.tyre_hz == 0.0 || is_between(def.tyre_hz, 0.5, 100)) && is_between(def.tyre_damping_ratio, 0, 100);
  if (!chassis || !axles || !wheels || !springs || !tyres) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check(const VehicleControls& c) {
  bool const limited =
      is_between(c.steer_rad, -1.2, 1.2) && is_between(c.speed_m_s, -kMaxLinearSpeedMS, kMaxLinearSpeedMS);
  if (!limited || !is_between(c.drive_torque_n_m, 0, 1e9) || !is_between(c.brake_torque_n_m, 0, 1e9))
    return PhysicsError::kOutOfRange;
  return std::nullopt;
}

// Not inlined, as the function below: the callers hold a FloatControlGuard.
[[gnu::noinline]] JointDef controlled(JointDef joint, std::uint32_t wheel, const VehicleDef& def,
                                      const VehicleControls& controls) {
  if (is_front(wheel))
    joint.drive(JointAxis::kAngularX, steering_angle(def, wheel, controls.steer_rad), Softness::rigid());
  bool const driven = is_front(wheel) ? def.drives_front : def.drives_rear;
  if (controls.brake_torque_n_m > 0.0)
    return joint.motor(JointAxis::kAngularZ, 0.0, controls.brake_torque_n_m);
  // Forward rotates from up to forward: about -z. A wheel's joint has its own speed limit.
  double const spin = -speed_of(def, wheel, controls) / def.wheel_radius_m;
  double const speed = spin < -kMaxJointSpeed  ? -kMaxJointSpeed
                       : spin > kMaxJointSpeed ? kMaxJointSpeed
                                               : spin;
  return joint.motor(JointAxis::kAngularZ, driven ? speed : 0.0, driven ? controls.drive_torque_n_m : 0.0);
}

[[gnu::noinline]] Result<Assembly, PhysicsError> build(const VehicleDef& def,
                                                       const VehicleControls& controls) {
  Assembly assembly;
  AssemblyFrame const index(def.position, def.rotation);
  auto const add = [&](AssemblyBody body, Vec3<double> middle_m) {
    body.def.position = index.point(middle_m);
    body.def.rotation = index.rotation;
    body.def.linear_velocity_m_s = def.linear_velocity_m_s;
    assembly.bodies.push_back(std::move(body));
  };
  add(chassis(def), middle_of_chassis(def));
  for (std::uint32_t wheel = 0; wheel < 4; ++wheel) {
    auto body = wheel_body(def, wheel);
    if (!body) return body.error();
    add(*std::move(body), middle_of_wheel(def, wheel));
    assembly.joints.push_back(
        {kWheels[wheel], controlled(wheel_on(def, wheel), wheel, def, controls), 0, wheel + 1});
  }
  return assembly;
}

}  // namespace

Result<Assembly, PhysicsError> vehicle(const VehicleDef& def, const VehicleControls& controls) {
  FloatControlGuard const guard;
  if (auto const error = check(def)) return *error;
  if (auto const error = check(controls)) return *error;
  return build(def, controls);
}

Result<JointDef, PhysicsError> controlled_wheel(const JointDef& wheel, std::uint32_t wheel_index,
                                                const VehicleDef& def, const VehicleControls& controls) {
  FloatControlGuard const guard;
  if (wheel_index > 3) return PhysicsError::kOutOfRange;
  if (auto const error = check(def)) return *error;
  if (auto const error = check(controls)) return *error;
  return controlled(wheel, wheel_index, def, controls);
}

}  // namespace takt
