#include "sim/joint_replication.h"

namespace takt::sim {
namespace {

Softness plain(const protocol::Softness& s) noexcept { return Softness::from_parts(static_cast<Softness::Form>(s.form), s.first, s.second); }
JointFrame plain(const protocol::JointPlace& p) noexcept {
  return {{p.position.x, p.position.y, p.position.z}, {p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w}};
}
ChangeJointCommand::Limit plain(const protocol::JointLimit& l) noexcept { return {l.lower, l.upper, plain(l.softness)}; }
ChangeJointCommand::Hold plain(const protocol::JointHold& h) noexcept { return {h.on, h.target, plain(h.softness), h.most}; }
ChangeJointCommand::Motor plain(const protocol::JointMotor& m) noexcept { return {m.speed, m.most}; }

protocol::Softness wired(const Softness& s) noexcept { return {static_cast<std::uint8_t>(s.form()), s.first(), s.second()}; }
protocol::JointPlace wired(const JointFrame& f) noexcept {
  return {{f.position_m.x, f.position_m.y, f.position_m.z}, {f.rotation.x, f.rotation.y, f.rotation.z, f.rotation.w}};
}
protocol::JointLimit wired(const ChangeJointCommand::Limit& l) noexcept { return {l.lower, l.upper, wired(l.softness)}; }
protocol::JointHold wired(const ChangeJointCommand::Hold& h) noexcept { return {h.on, h.target, wired(h.softness), h.most}; }
protocol::JointMotor wired(const ChangeJointCommand::Motor& m) noexcept { return {m.speed, m.most}; }

}  // namespace

ChangeJointCommand change_from_wire(const protocol::ChangeJointCommand& c) {
  ChangeJointCommand out;
  auto const part = [](auto& field, const auto& value) {
    if (value) field = plain(*value);
  };
  out.joint = JointId::from_u64(c.joint);
  out.enabled = c.enabled;
  out.collide_connected = c.collide_connected;
  out.direct = c.direct;
  out.locked = c.locked;
  part(out.frame_a, c.frame_a);
  part(out.frame_b, c.frame_b);
  part(out.linear, c.linear);
  part(out.angular, c.angular);
  out.max_force_n = c.max_force;
  out.max_torque_n_m = c.max_torque;
  out.break_force_n = c.break_force;
  out.break_torque_n_m = c.break_torque;
  out.ratio = c.ratio;
  out.length_m = c.length;
  out.axis = static_cast<JointAxis>(c.axis);
  part(out.limit, c.limit);
  part(out.hold, c.hold);
  part(out.motor, c.motor);
  out.friction = c.friction;
  return out;
}

protocol::ChangeJointCommand change_to_wire(const ChangeJointCommand& c) {
  protocol::ChangeJointCommand out;
  auto const part = [](auto& field, const auto& value) {
    if (value) field = wired(*value);
  };
  out.joint = c.joint.to_u64();
  out.enabled = c.enabled;
  out.collide_connected = c.collide_connected;
  out.direct = c.direct;
  out.locked = c.locked;
  part(out.frame_a, c.frame_a);
  part(out.frame_b, c.frame_b);
  part(out.linear, c.linear);
  part(out.angular, c.angular);
  out.max_force = c.max_force_n;
  out.max_torque = c.max_torque_n_m;
  out.break_force = c.break_force_n;
  out.break_torque = c.break_torque_n_m;
  out.ratio = c.ratio;
  out.length = c.length_m;
  out.axis = static_cast<std::uint8_t>(c.axis);
  part(out.limit, c.limit);
  part(out.hold, c.hold);
  part(out.motor, c.motor);
  out.friction = c.friction;
  return out;
}

}  // namespace takt::sim
