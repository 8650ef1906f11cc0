// Conversions between structs of takt.h and those of schemas/service.fbs, field by field. Columns of an
// observation are the arrays of takt.h in little-endian order, each padded to 8 bytes. The functions check no
// number: those of takt.h do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "schemas/service_generated.h"
#include "takt/c/takt.h"
#include "takt/core/bytes.h"

namespace takt::service {

inline constexpr char kIdentifier[] = "TKSV";
inline constexpr std::uint32_t kColumnCount = TAKT_BODY_FLAGS + 1;

/// Depth and number of tables of the deepest message: a request has two.
inline constexpr std::size_t kVerifierDepth = 8;
inline constexpr std::size_t kVerifierTables = 16;

template <class Message>
[[nodiscard]] bool verify(const std::byte* data, std::size_t bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(data), bytes, kVerifierDepth,
                                 kVerifierTables);
  return verifier.VerifyBuffer<Message>(kIdentifier);
}

/// Number of 64-bit words of a column.
[[nodiscard]] constexpr std::uint64_t words_of(std::uint64_t bytes) noexcept { return (bytes + 7) / 8; }

/// Converts a column between memory and the words of a message. `item_bytes` is 1 or 8.
inline void copy_column(void* out, const void* in, std::size_t bytes, std::size_t item_bytes) noexcept {
  if (std::endian::native == std::endian::little || item_bytes == 1) {
    std::memcpy(out, in, bytes);
    return;
  }
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    auto const word = load_little_endian<std::uint64_t>(static_cast<const std::byte*>(in) + i);
    std::memcpy(static_cast<std::byte*>(out) + i, &word, 8);
  }
}

[[nodiscard]] inline wire::Vec3 to_wire(const double (&v)[3]) { return {v[0], v[1], v[2]}; }
[[nodiscard]] inline wire::Quat quat_to_wire(const double* q) { return {q[0], q[1], q[2], q[3]}; }

inline void from_wire(const wire::Vec3& v, double* out) noexcept {
  out[0] = v.x();
  out[1] = v.y();
  out[2] = v.z();
}
inline void from_wire(const wire::Quat& q, double* out) noexcept {
  out[0] = q.x();
  out[1] = q.y();
  out[2] = q.z();
  out[3] = q.w();
}

[[nodiscard]] inline takt_joint_change from_wire(const wire::ChangeJoint& c) noexcept {
  takt_joint_change change{};
  change.size = sizeof change;
  change.fields = c.fields();
  change.collide_connected = c.collide_connected();
  change.locked = c.locked();
  if (c.position_a() != nullptr) from_wire(*c.position_a(), change.position_a);
  if (c.rotation_a() != nullptr) from_wire(*c.rotation_a(), change.rotation_a);
  if (c.position_b() != nullptr) from_wire(*c.position_b(), change.position_b);
  if (c.rotation_b() != nullptr) from_wire(*c.rotation_b(), change.rotation_b);
  change.linear_frequency = c.linear_frequency();
  change.linear_damping_ratio = c.linear_damping_ratio();
  change.angular_frequency = c.angular_frequency();
  change.angular_damping_ratio = c.angular_damping_ratio();
  change.max_force = c.max_force();
  change.max_torque = c.max_torque();
  change.break_force = c.break_force();
  change.break_torque = c.break_torque();
  change.ratio = c.ratio();
  change.length = c.length();
  change.direct = c.direct();
  change.axis = c.axis();
  change.lower = c.lower();
  change.upper = c.upper();
  change.limit_frequency = c.limit_frequency();
  change.limit_damping_ratio = c.limit_damping_ratio();
  return change;
}

[[nodiscard]] inline wire::QueryItem to_wire(const takt_query& q) {
  return {q.kind,
          q.mode,
          q.shape,
          q.flags,
          to_wire(q.position),
          to_wire(q.translation),
          quat_to_wire(q.rotation),
          to_wire(q.dimensions),
          q.max_distance,
          q.ignore};
}
[[nodiscard]] inline takt_query from_wire(const wire::QueryItem& q) {
  takt_query out{};
  out.kind = q.kind();
  out.mode = q.mode();
  out.shape = q.shape();
  out.flags = q.flags();
  from_wire(q.position(), out.position);
  from_wire(q.translation(), out.translation);
  from_wire(q.rotation(), out.rotation);
  from_wire(q.dimensions(), out.dimensions);
  out.max_distance = q.max_distance();
  out.ignore = q.ignore();
  return out;
}

[[nodiscard]] inline wire::AnswerItem to_wire(const takt_answer& a) {
  return {a.status, a.found, a.first_hit, a.hit_count};
}
[[nodiscard]] inline takt_answer from_wire(const wire::AnswerItem& a) {
  return {a.status(), a.found(), a.first_hit(), a.hit_count()};
}

[[nodiscard]] inline wire::HitItem to_wire(const takt_hit& h) {
  return {h.body,     h.shape,    to_wire(h.position), to_wire(h.normal),
          h.fraction, h.distance, h.triangle,          h.query};
}
[[nodiscard]] inline takt_hit from_wire(const wire::HitItem& h) {
  takt_hit out{};
  out.body = h.body();
  out.shape = h.shape();
  from_wire(h.position(), out.position);
  from_wire(h.normal(), out.normal);
  out.fraction = h.fraction();
  out.distance = h.distance();
  out.triangle = h.triangle();
  out.query = h.query();
  return out;
}

[[nodiscard]] inline wire::ContactItem to_wire(const takt_contact& c) {
  return {c.body_a, c.body_b, to_wire(c.position), to_wire(c.normal), c.impulse, c.separation};
}
[[nodiscard]] inline takt_contact from_wire(const wire::ContactItem& c) {
  takt_contact out{};
  out.body_a = c.body_a();
  out.body_b = c.body_b();
  from_wire(c.position(), out.position);
  from_wire(c.normal(), out.normal);
  out.impulse = c.impulse();
  out.separation = c.separation();
  return out;
}

[[nodiscard]] inline wire::EventItem to_wire(const takt_event& e) {
  return {e.tick,
          e.kind,
          0,
          e.body_a,
          e.body_b,
          e.shape_a,
          e.shape_b,
          e.joint,
          to_wire(e.position),
          to_wire(e.normal),
          e.impulse,
          e.speed};
}
[[nodiscard]] inline takt_event from_wire(const wire::EventItem& e) {
  takt_event out{};
  out.tick = e.tick();
  out.kind = e.kind();
  out.body_a = e.body_a();
  out.body_b = e.body_b();
  out.shape_a = e.shape_a();
  out.shape_b = e.shape_b();
  out.joint = e.joint();
  from_wire(e.position(), out.position);
  from_wire(e.normal(), out.normal);
  out.impulse = e.impulse();
  out.speed = e.speed();
  return out;
}

}  // namespace takt::service
