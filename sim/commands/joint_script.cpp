#include "sim/commands/joint_script.h"

#include "sim/scene/scene_joint_parts.h"

namespace takt::sim {
namespace {

constexpr double kMaxRatio = 1e6;

ChangeJointCommand::Limit read_limit(const schema::JointLimit& table, const FieldPath& at,
                                     SceneFields& fields) {
  ChangeJointCommand::Limit limit;
  if (table.lower())
    limit.lower = fields.number(at, "lower", *table.lower(), -kMaxJointCoordinate, kMaxJointCoordinate);
  if (table.upper())
    limit.upper = fields.number(at, "upper", *table.upper(), -kMaxJointCoordinate, kMaxJointCoordinate);
  limit.softness = read_softness(table.softness(), FieldPath{&at, "softness"}, fields);
  return limit;
}

ChangeJointCommand::Hold read_hold(const schema::JointHold& table, const FieldPath& at, SceneFields& fields) {
  ChangeJointCommand::Hold hold;
  hold.target = fields.number(at, "target", table.target(), -kMaxJointCoordinate, kMaxJointCoordinate);
  hold.softness = read_softness(table.softness(), FieldPath{&at, "softness"}, fields);
  if (table.max()) hold.max = fields.number(at, "max", *table.max(), 0, kMaxJointForce);
  return hold;
}

}  // namespace

JointFrame read_joint_frame(const schema::JointFrame& table, const FieldPath& at, SceneFields& fields) {
  return {fields.vector(at, "position", table.position(), {}, -kMaxExtentM, kMaxExtentM),
          fields.rotation(at, table.rotation(), table.euler_degrees())};
}

ChangeJointCommand read_change(const schema::ChangeJointInput& table, const FieldPath& at, JointId joint,
                               SceneFields& fields) {
  ChangeJointCommand change;
  change.joint = joint;
  auto const truth = [](auto& field, const auto& value) {
    if (value) field = *value;
  };
  auto const number = [&](std::optional<double>& field, std::string_view name, const auto& value, double low,
                          double high) {
    if (value) field = fields.number(at, name, *value, low, high);
  };
  truth(change.enabled, table.enabled());
  truth(change.collide_connected, table.collide_connected());
  truth(change.direct, table.direct());
  if (table.locked() != nullptr) {
    JointDef locks;
    read_locked(table.locked(), at, locks, fields);
    change.locked = locks.locked;
  }
  if (table.frame_a() != nullptr)
    change.frame_a = read_joint_frame(*table.frame_a(), FieldPath{&at, "frame_a"}, fields);
  if (table.frame_b() != nullptr)
    change.frame_b = read_joint_frame(*table.frame_b(), FieldPath{&at, "frame_b"}, fields);
  if (table.linear() != nullptr)
    change.linear = read_softness(table.linear(), FieldPath{&at, "linear"}, fields);
  if (table.angular() != nullptr)
    change.angular = read_softness(table.angular(), FieldPath{&at, "angular"}, fields);
  number(change.max_force_n, "max_force", table.max_force(), 0, kMaxJointForce);
  number(change.max_torque_n_m, "max_torque", table.max_torque(), 0, kMaxJointForce);
  number(change.break_force_n, "break_force", table.break_force(), 0, kMaxJointForce);
  number(change.break_torque_n_m, "break_torque", table.break_torque(), 0, kMaxJointForce);
  number(change.ratio, "ratio", table.ratio(), -kMaxRatio, kMaxRatio);
  number(change.length_m, "length", table.length(), 0, kMaxJointCoordinate);
  change.axis = read_joint_axis(at, "axis", table.axis(), fields);
  if (table.limit() != nullptr) change.limit = read_limit(*table.limit(), FieldPath{&at, "limit"}, fields);
  if (table.hold() != nullptr) change.hold = read_hold(*table.hold(), FieldPath{&at, "hold"}, fields);
  if (table.no_hold()) {
    if (change.hold) fields.fail(at, "no_hold", "there is a hold too: allowed is one of them");
    change.hold = ChangeJointCommand::Hold{false, 0, {}, 0};
  }
  if (auto const* motor = table.motor()) {
    FieldPath const here{&at, "motor"};
    double const speed = fields.number(here, "speed", motor->speed(), -kMaxJointSpeed, kMaxJointSpeed);
    change.motor =
        ChangeJointCommand::Motor{speed, fields.number(here, "max", motor->max(), 0, kMaxJointForce)};
  }
  number(change.friction, "friction", table.friction(), 0, kMaxJointForce);
  return change;
}

}  // namespace takt::sim
