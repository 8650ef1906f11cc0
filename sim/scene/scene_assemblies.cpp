#include "sim/scene/scene_assemblies.h"

#include "sim/scene/random_rotation.h"
#include "sim/state/metres.h"
#include "takt/physics/assembly.h"

namespace takt::sim {
namespace {

constexpr double kDegreeRad = 0.01745329251994329577;
constexpr std::size_t kMaxAssemblyNameBytes = 200;  // leaves room for what names add
constexpr double kMaxM = kMaxSceneCoordinateM - 10'000;

void add(const Assembly& assembly, const std::string& name, Scene& scene) {
  std::size_t const first = scene.bodies.size();
  for (const AssemblyBody& part : assembly.bodies) {
    SceneBody body;
    body.name = name + ' ' + std::string(part.name);
    body.def = part.def;
    body.shapes = part.shapes;
    scene.bodies.push_back(std::move(body));
  }
  for (const AssemblyJoint& part : assembly.joints) {
    SceneJoint joint;
    joint.name = name + ' ' + std::string(part.name);
    joint.def = part.def;
    joint.body_a = first + part.a_index;
    joint.body_b = first + part.b_index;
    scene.joints.push_back(std::move(joint));
  }
}

// Turned about the middle of its height, which stays where it is.
void turn(RagdollDef& def, Quat<double> rotation) {
  Vec3<double> const middle{0, 0.5 * def.height_m, 0};
  def.position = moved_by_m(def.position, middle - rotate(rotation, middle));
  def.rotation = rotation;
}

}  // namespace

std::string read_generator_name(const flatbuffers::String* name, std::string_view absent, const FieldPath& at,
                                SceneFields& fields) {
  if (name == nullptr) return std::string(absent);
  if (name->size() == 0 || name->size() > kMaxAssemblyNameBytes) {
    fields.fail(
        at, "name",
        std::to_string(name->size()) + " bytes: allowed are 1 to " + std::to_string(kMaxAssemblyNameBytes));
  }
  return name->str();
}

void run_ragdolls(const schema::Ragdolls& table, const FieldPath& at, SceneFields& fields, Scene& scene) {
  std::string const name = read_generator_name(table.name(), "ragdoll", at, fields);
  std::uint32_t const count = fields.count(at, "count", table.count(), 1, 1000);
  Vec3<double> const position = fields.vector(at, "position", table.position(), {}, -kMaxM, kMaxM);
  Vec3<double> const step = fields.vector(at, "step", table.step(), {0, 2, 0}, -1000, 1000);
  if (table.seed() != 0 && table.euler_degrees() != nullptr) {
    fields.fail(at, "euler_degrees", "there is a seed too: allowed is one of seed and euler_degrees");
  }
  RagdollDef def;
  def.rotation = fields.rotation(at, nullptr, table.euler_degrees());
  def.height_m = fields.number(at, "height", table.height(), 0.6, 20);
  def.mass_kg = fields.number(at, "mass", table.mass(), 0.1, 1e5);
  def.joint_friction_n_m = fields.number(at, "joint_friction", table.joint_friction(), 0, 1e5);
  def.friction = fields.number(at, "friction", table.friction(), 0, 100);
  Random random(table.seed());
  for (std::uint32_t i = 0; i < count && fields.ok() && scene.bodies.size() <= kMaxSceneBodies; ++i) {
    def.position = fields.point(at, "step", position + step * i);
    if (table.seed() != 0) turn(def, random_rotation(random));
    auto const made = ragdoll(def);
    if (!made) {
      fields.fail(at, {}, "the engine refuses it: " + std::string(message(made.error())));
      return;
    }
    add(*made, count == 1 ? name : name + ' ' + std::to_string(i), scene);
  }
}

void run_vehicle(const schema::Vehicle& table, const FieldPath& at, SceneFields& fields, Scene& scene) {
  std::string const name = read_generator_name(table.name(), "vehicle", at, fields);
  VehicleDef def;
  def.position =
      fields.point(at, "position", fields.vector(at, "position", table.position(), {}, -kMaxM, kMaxM));
  def.rotation = fields.rotation(at, nullptr, table.euler_degrees());
  def.linear_velocity_m_s = fields.bounded_vector(at, "velocity", table.velocity(), kMaxLinearSpeedMS);
  def.chassis_size_m =
      fields.vector(at, "chassis_size", table.chassis_size(), def.chassis_size_m, 2 * kMinExtentM, 100);
  def.chassis_mass_kg = fields.number(at, "chassis_mass", table.chassis_mass(), 1, 1e6);
  def.ground_clearance_m = fields.number(at, "ground_clearance", table.ground_clearance(), 0.01, 10);
  def.wheelbase_m = fields.number(at, "wheelbase", table.wheelbase(), 0.1, 100);
  def.track_m = fields.number(at, "track", table.track(), 0.1, 100);
  def.wheel_radius_m = fields.number(at, "wheel_radius", table.wheel_radius(), 0.02, 10);
  def.wheel_width_m = fields.number(at, "wheel_width", table.wheel_width(), 0.02, 10);
  def.wheel_mass_kg = fields.number(at, "wheel_mass", table.wheel_mass(), 0.01, 1e5);
  def.wheel_friction = fields.number(at, "wheel_friction", table.wheel_friction(), 0, 100);
  def.suspension_hz = fields.number(at, "suspension_hertz", table.suspension_hertz(), 0.1, 100);
  def.suspension_damping_ratio =
      fields.number(at, "suspension_damping_ratio", table.suspension_damping_ratio(), 0, 100);
  def.suspension_travel_m = fields.number(at, "suspension_travel", table.suspension_travel(), 0, 10);
  def.max_steer_rad = fields.number(at, "max_steer_degrees", table.max_steer_degrees(), 0, 68) * kDegreeRad;
  def.drives_front = table.drives_front();
  def.drives_rear = table.drives_rear();
  VehicleControls controls;
  controls.steer_rad = fields.number(at, "steer_degrees", table.steer_degrees(), -68, 68) * kDegreeRad;
  controls.speed_m_s = fields.number(at, "speed", table.speed(), -kMaxLinearSpeedMS, kMaxLinearSpeedMS);
  controls.drive_torque_n_m = fields.number(at, "drive_torque", table.drive_torque(), 0, 1e9);
  controls.brake_torque_n_m = fields.number(at, "brake_torque", table.brake_torque(), 0, 1e9);
  if (!fields.ok()) return;
  auto const made = vehicle(def, controls);
  if (made) {
    add(*made, name, scene);
  } else {
    fields.fail(at, {}, "the engine refuses it: " + std::string(message(made.error())));
  }
}

}  // namespace takt::sim
