// from_wire and to_wire convert structs of FlatBuffers to plain structs and back. value_or_default, bytes_of
// and text_of read fields of a verified message that may be absent. is_finite, enum_in_range and is_aligned
// make checks that the FlatBuffers verifier does not make. command_codec.cpp, message_writer.cpp and the
// three message readers of this folder use them, and handle whole messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/messages/command.h"
#include "protocol/messages/message.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol {

inline Position from_wire(const wire::Position& p) { return {p.x(), p.y(), p.z()}; }
inline Vec3f from_wire(const wire::Vec3f& v) { return {v.x(), v.y(), v.z()}; }
inline Quatf from_wire(const wire::Quatf& q) { return {q.x(), q.y(), q.z(), q.w()}; }
inline ShapeInfo from_wire(const wire::ShapeInfo& s) {
  return {static_cast<ShapeKind>(s.kind()),
          from_wire(s.dimensions()),
          from_wire(s.local_position()),
          from_wire(s.local_rotation()),
          s.rounding(),
          s.geometry()};
}

inline Softness from_wire(const wire::Softness& s) {
  return {static_cast<std::uint8_t>(s.form()), s.first(), s.second()};
}
inline JointPlace from_wire(const wire::JointPlace& p) {
  const wire::Vec3d& at = p.position();
  const wire::Quatd& turn = p.rotation();
  return {{at.x(), at.y(), at.z()}, {turn.x(), turn.y(), turn.z(), turn.w()}};
}
inline JointLimit from_wire(const wire::JointLimit& l) {
  return {l.lower(), l.upper(), from_wire(l.softness())};
}
inline JointHold from_wire(const wire::JointHold& h) {
  return {h.on(), h.target(), from_wire(h.softness()), h.most()};
}
inline JointMotor from_wire(const wire::JointMotor& m) { return {m.speed(), m.most()}; }

/// The plain form of a struct, or the default of the plain struct if it is absent (null).
template <class Plain, class Wire>
Plain value_or_default(const Wire* wire) {
  return wire != nullptr ? from_wire(*wire) : Plain{};
}

inline wire::Position to_wire(const Position& p) { return wire::Position(p.x, p.y, p.z); }
inline wire::Vec3f to_wire(const Vec3f& v) { return wire::Vec3f(v.x, v.y, v.z); }
inline wire::Quatf to_wire(const Quatf& q) { return wire::Quatf(q.x, q.y, q.z, q.w); }
inline wire::ShapeInfo to_wire(const ShapeInfo& s) {
  return wire::ShapeInfo(static_cast<wire::ShapeKind>(s.kind), to_wire(s.dimensions),
                         to_wire(s.local_position), to_wire(s.local_rotation), s.rounding, s.geometry);
}
inline wire::Softness to_wire(const Softness& s) {
  return wire::Softness(static_cast<wire::SoftnessForm>(s.form), s.first, s.second);
}
inline wire::JointPlace to_wire(const JointPlace& p) {
  return wire::JointPlace(wire::Vec3d(p.position.x, p.position.y, p.position.z),
                          wire::Quatd(p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w));
}
inline wire::JointLimit to_wire(const JointLimit& l) {
  return wire::JointLimit(l.lower, l.upper, to_wire(l.softness));
}
inline wire::JointHold to_wire(const JointHold& h) {
  return wire::JointHold(h.target, to_wire(h.softness), h.max, h.on);
}
inline wire::JointMotor to_wire(const JointMotor& m) { return wire::JointMotor(m.speed, m.max); }

/// True when the value of an enum of 8 bits is at most `last`.
template <class Enum, class Wire>
bool enum_in_range(Wire value, Enum last) {
  return static_cast<std::uint8_t>(value) <= static_cast<std::uint8_t>(last);
}

/// True when no number is NaN or infinite.
inline bool is_finite(float x) { return x - x == 0.0f; }
inline bool is_finite(double x) { return x - x == 0.0; }
inline bool is_finite(const Vec3f& v) { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z); }
inline bool is_finite(const Quatf& q) {
  return is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w);
}

/// The bytes of a vector or the characters of a string, inside the message; empty when absent (null).
inline std::span<const std::byte> bytes_of(const flatbuffers::Vector<std::uint8_t>* vector) {
  if (vector == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(vector->data()), vector->size()};
}
inline std::string_view text_of(const flatbuffers::String* string) {
  return string == nullptr ? std::string_view() : std::string_view(string->c_str(), string->size());
}

// True when the elements of a vector, which are aligned to 8, may be read in place. FlatBuffers' verifier
// checks the alignment of a vector's length field to 4, but never that of the elements. Reading a 64-bit
// element in place would be a misaligned load, which is undefined and traps on some machines. An empty vector
// has nothing to load, and FlatBuffers' own builder does not always align it.
template <class Vector>
bool is_aligned(const Vector& vector) {
  return vector.size() == 0 || reinterpret_cast<std::uintptr_t>(vector.Data()) % alignof(std::uint64_t) == 0;
}

}  // namespace takt::protocol
