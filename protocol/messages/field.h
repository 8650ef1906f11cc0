// Field is one entry of a command's list of fields: the name in schemas/protocol.fbs, a reference to the
// value, and a rule. A rule (Within, Positive, Finite, NotNull, ...) is a type that names the range check of
// the value. Each command of command.h lists its fields in fields(). check(), command_codec.cpp and the
// conversion in sim/replication/replication.cpp walk these lists.
#pragma once

#include <string_view>

namespace takt::protocol {

/// The check of the value's type, in command.cpp: structs, flags, bytes and 32-bit numbers without a bound. A
/// float, double or id without a rule of its own does not compile.
struct ByType {};
/// As ByType, and the table on the wire must have this struct. Other absent fields have the default of the
/// plain struct.
struct Required : ByType {};
/// A required shape that a command can spawn: sphere, capsule, box, cylinder or cone.
struct Spawnable : Required {};
/// An id whose generation (upper 32 bits) is not 0.
struct NotNull {};
/// At most kJointLockedMax: bits 0 to 5 for the locked coordinates of a joint.
struct LockBits {};
/// At most kJointAxisMax: the number of a joint's coordinate.
struct Axis {};
/// Finite, min <= value <= max.
template <class T>
struct Within {
  T min;
  T max;
};
template <class T>
Within(T, T) -> Within<T>;
/// Finite, 0 < value <= max.
struct Positive {
  float max;
};
/// Neither NaN nor infinite.
struct Finite {};
/// Not NaN; infinity means that there is no bound.
struct Bound {};
/// A Bound of at least 0.
struct MaxBound {};

/// An entry of fields(): `value` refers to the command, which must outlive it.
template <class T, class Rule = ByType>
struct Field {
  constexpr Field(std::string_view wire_name, T& field, Rule field_rule = {})
      : name(wire_name), value(field), rule(field_rule) {}

  std::string_view name;
  T& value;
  Rule rule;
};

/// A command or struct that lists its fields.
template <class T>
concept HasFields = requires(T& value) {
  T::fields(value);
};

}  // namespace takt::protocol
