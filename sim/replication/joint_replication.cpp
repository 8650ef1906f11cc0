#include "sim/replication/joint_replication.h"

#include <optional>
#include <type_traits>

namespace takt::sim {
namespace {

Softness plain(const protocol::Softness& s) noexcept {
  return Softness::from_parts(static_cast<Softness::Form>(s.form), s.first, s.second);
}
JointFrame plain(const protocol::JointPlace& p) noexcept {
  return {{p.position.x, p.position.y, p.position.z},
          {p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w}};
}
ChangeJointCommand::Limit plain(const protocol::JointLimit& l) noexcept {
  return {l.lower, l.upper, plain(l.softness)};
}
ChangeJointCommand::Hold plain(const protocol::JointHold& h) noexcept {
  return {h.on, h.target, plain(h.softness), h.max};
}
ChangeJointCommand::Motor plain(const protocol::JointMotor& m) noexcept { return {m.speed, m.max}; }

protocol::Softness wired(const Softness& s) noexcept {
  return {static_cast<std::uint8_t>(s.form()), s.first(), s.second()};
}
protocol::JointPlace wired(const JointFrame& f) noexcept {
  return {{f.position_m.x, f.position_m.y, f.position_m.z},
          {f.rotation.x, f.rotation.y, f.rotation.z, f.rotation.w}};
}
protocol::JointLimit wired(const ChangeJointCommand::Limit& l) noexcept {
  return {l.lower, l.upper, wired(l.softness)};
}
protocol::JointHold wired(const ChangeJointCommand::Hold& h) noexcept {
  return {h.on, h.target, wired(h.softness), h.max};
}
protocol::JointMotor wired(const ChangeJointCommand::Motor& m) noexcept { return {m.speed, m.max}; }

// Absent stays absent; numbers and switches are the same on both sides.
template <class Field, class Value, class Convert>
void take(std::optional<Field>& field, const std::optional<Value>& value, const Convert& convert) {
  if constexpr (std::is_same_v<Field, Value>) {
    field = value;
  } else if (value) {
    field = convert(*value);
  }
}

// Each optional field of one command beside that of the other: pair(mine, the wire's).
template <class Mine, class Wire, class Pair>
void for_each_field(Mine& mine, Wire& wire, const Pair& pair) {
  pair(mine.enabled, wire.enabled);
  pair(mine.collide_connected, wire.collide_connected);
  pair(mine.direct, wire.direct);
  pair(mine.locked, wire.locked);
  pair(mine.frame_a, wire.frame_a);
  pair(mine.frame_b, wire.frame_b);
  pair(mine.linear, wire.linear);
  pair(mine.angular, wire.angular);
  pair(mine.max_force_n, wire.max_force);
  pair(mine.max_torque_n_m, wire.max_torque);
  pair(mine.break_force_n, wire.break_force);
  pair(mine.break_torque_n_m, wire.break_torque);
  pair(mine.ratio, wire.ratio);
  pair(mine.length_m, wire.length);
  pair(mine.limit, wire.limit);
  pair(mine.hold, wire.hold);
  pair(mine.motor, wire.motor);
  pair(mine.friction, wire.friction);
}

}  // namespace

ChangeJointCommand change_from_wire(const protocol::ChangeJointCommand& c) {
  ChangeJointCommand out;
  out.joint = JointId::from_u64(c.joint);
  out.axis = static_cast<JointAxis>(c.axis);
  for_each_field(out, c, [](auto& field, const auto& value) {
    take(field, value, [](const auto& v) { return plain(v); });
  });
  return out;
}

protocol::ChangeJointCommand change_to_wire(const ChangeJointCommand& c) {
  protocol::ChangeJointCommand out;
  out.joint = c.joint.to_u64();
  out.axis = static_cast<std::uint8_t>(c.axis);
  for_each_field(c, out, [](const auto& value, auto& field) {
    take(field, value, [](const auto& v) { return wired(v); });
  });
  return out;
}

}  // namespace takt::sim
