// Conversions between definitions of takt.h (new joints, ropes and movers, and changes of bodies, shapes and
// movers) and tables of schemas/service.fbs, field by field. The functions check no number: those of takt.h
// do.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "service/wire/values.h"

namespace takt::service {

/// Numbers of a takt_mover_tuning, from max_slope on.
inline constexpr std::size_t kTuningValues =
    (sizeof(takt_mover_tuning) - offsetof(takt_mover_tuning, max_slope)) / sizeof(double);
static_assert(kTuningValues == 13 && TAKT_MOVER_RECOVERY_SPEED == 1u << (kTuningValues - 1));
/// Greatest node_count of a rope. A client does not read points beyond it.
inline constexpr std::uint32_t kRopeNodesMax = 4096;

using TuningValues = std::array<double, kTuningValues>;
[[nodiscard]] inline TuningValues values_of(const takt_mover_tuning& tuning) noexcept {
  TuningValues values{};
  std::memcpy(values.data(),
              reinterpret_cast<const std::byte*>(&tuning) + offsetof(takt_mover_tuning, max_slope),
              sizeof values);
  return values;
}

[[nodiscard]] inline flatbuffers::Offset<wire::CreateJoint> write_joint(
    flatbuffers::FlatBufferBuilder& builder, const takt_joint_def& d) {
  wire::Vec3 const position_a = to_wire(d.position_a);
  wire::Vec3 const position_b = to_wire(d.position_b);
  wire::Quat const rotation_a = quat_to_wire(d.rotation_a);
  wire::Quat const rotation_b = quat_to_wire(d.rotation_b);
  wire::Vec3 const ground_a = to_wire(d.ground_a);
  wire::Vec3 const ground_b = to_wire(d.ground_b);
  return wire::CreateCreateJoint(
      builder, d.kind, d.body_a, d.body_b, &position_a, &rotation_a, &position_b, &rotation_b, d.locked,
      d.collide_connected, d.enabled, d.direct, d.linear_frequency, d.linear_damping_ratio,
      d.angular_frequency, d.angular_damping_ratio, d.max_force, d.max_torque, d.break_force, d.break_torque,
      d.length, d.joint_1, d.joint_2, d.axis_1, d.axis_2, d.ratio, &ground_a, &ground_b, d.tag);
}

[[nodiscard]] inline takt_joint_def from_wire(const wire::CreateJoint& e) noexcept {
  takt_joint_def d{};
  d.size = sizeof d;
  d.kind = e.kind();
  d.body_a = e.body_a();
  d.body_b = e.body_b();
  if (e.position_a() != nullptr) from_wire(*e.position_a(), d.position_a);
  if (e.rotation_a() != nullptr) from_wire(*e.rotation_a(), d.rotation_a);
  if (e.position_b() != nullptr) from_wire(*e.position_b(), d.position_b);
  if (e.rotation_b() != nullptr) from_wire(*e.rotation_b(), d.rotation_b);
  d.locked = e.locked();
  d.collide_connected = e.collide_connected();
  d.enabled = e.enabled();
  d.direct = e.direct();
  d.linear_frequency = e.linear_frequency();
  d.linear_damping_ratio = e.linear_damping_ratio();
  d.angular_frequency = e.angular_frequency();
  d.angular_damping_ratio = e.angular_damping_ratio();
  d.max_force = e.max_force();
  d.max_torque = e.max_torque();
  d.break_force = e.break_force();
  d.break_torque = e.break_torque();
  d.length = e.length();
  d.joint_1 = e.joint_1();
  d.joint_2 = e.joint_2();
  d.axis_1 = e.axis_1();
  d.axis_2 = e.axis_2();
  d.ratio = e.ratio();
  if (e.ground_a() != nullptr) from_wire(*e.ground_a(), d.ground_a);
  if (e.ground_b() != nullptr) from_wire(*e.ground_b(), d.ground_b);
  d.tag = e.tag();
  return d;
}

[[nodiscard]] inline flatbuffers::Offset<wire::CreateRope> write_rope(
    flatbuffers::FlatBufferBuilder& builder, const takt_rope_def& d,
    flatbuffers::Offset<flatbuffers::Vector<double>> points) {
  wire::Vec3 const start = to_wire(d.start);
  wire::Vec3 const end = to_wire(d.end);
  return wire::CreateCreateRope(builder, d.node_count, &start, &end, d.segment_length, d.radius, d.mass,
                                d.linear_density, d.compliant, d.passes, d.stiffness, d.compliance, d.damping,
                                d.drag, d.gravity_scale, d.friction, d.collides, d.collides_with_pinned,
                                d.can_sleep, d.category, d.mask, d.group, d.tag, points);
}

[[nodiscard]] inline takt_rope_def from_wire(const wire::CreateRope& e) noexcept {
  takt_rope_def d{};
  d.size = sizeof d;
  d.node_count = e.node_count();
  if (e.start() != nullptr) from_wire(*e.start(), d.start);
  if (e.end() != nullptr) from_wire(*e.end(), d.end);
  d.segment_length = e.segment_length();
  d.radius = e.radius();
  d.mass = e.mass();
  d.linear_density = e.linear_density();
  d.compliant = e.compliant();
  d.passes = e.passes();
  d.stiffness = e.stiffness();
  d.compliance = e.compliance();
  d.damping = e.damping();
  d.drag = e.drag();
  d.gravity_scale = e.gravity_scale();
  d.friction = e.friction();
  d.collides = e.collides();
  d.collides_with_pinned = e.collides_with_pinned();
  d.can_sleep = e.can_sleep();
  d.category = e.category();
  d.mask = e.mask();
  d.group = e.group();
  d.tag = e.tag();
  return d;
}

[[nodiscard]] inline flatbuffers::Offset<wire::CreateMover> write_mover(
    flatbuffers::FlatBufferBuilder& builder, const takt_mover_def& d, const takt_mover_tuning& tuning) {
  wire::Vec3 const position = to_wire(d.position);
  TuningValues const numbers = values_of(tuning);
  auto const values = builder.CreateVector(numbers.data(), numbers.size());
  return wire::CreateCreateMover(builder, &position, d.heading, d.radius, d.half_length, d.friction,
                                 d.restitution, d.category, d.mask, d.group, d.tag, tuning.fields, values);
}

[[nodiscard]] inline takt_mover_def from_wire(const wire::CreateMover& e) noexcept {
  takt_mover_def d{};
  d.size = sizeof d;
  d.category = e.category();
  d.mask = e.mask();
  d.group = e.group();
  if (e.position() != nullptr) from_wire(*e.position(), d.position);
  d.heading = e.heading();
  d.radius = e.radius();
  d.half_length = e.half_length();
  d.friction = e.friction();
  d.restitution = e.restitution();
  d.tag = e.tag();
  return d;
}

[[nodiscard]] inline takt_body_change from_wire(const wire::ChangeBody& e) noexcept {
  takt_body_change change{};
  change.size = sizeof change;
  change.fields = e.fields();
  change.type = e.type();
  change.enabled = e.enabled();
  change.locked = e.locked();
  change.gravity_scale = e.gravity_scale();
  change.linear_damping = e.linear_damping();
  change.angular_damping = e.angular_damping();
  change.tag = e.tag();
  return change;
}

[[nodiscard]] inline takt_shape_change from_wire(const wire::ChangeShape& e) noexcept {
  takt_shape_change change{};
  change.size = sizeof change;
  change.fields = e.fields();
  change.category = e.category();
  change.mask = e.mask();
  change.group = e.group();
  change.friction = e.friction();
  change.restitution = e.restitution();
  if (e.surface_velocity() != nullptr) from_wire(*e.surface_velocity(), change.surface_velocity);
  return change;
}

/// Reads the tuning of a TuneMover or CreateMover. False when the table has another number of values.
template <class Table>
[[nodiscard]] bool read_tuning(const Table& e, takt_mover_tuning& tuning) noexcept {
  if (e.values() == nullptr || e.values()->size() != kTuningValues) return false;
  tuning.size = sizeof tuning;
  tuning.fields = e.fields();
  TuningValues values{};
  std::copy(e.values()->begin(), e.values()->end(), values.begin());
  std::memcpy(reinterpret_cast<std::byte*>(&tuning) + offsetof(takt_mover_tuning, max_slope), values.data(),
              sizeof values);
  return true;
}

}  // namespace takt::service
