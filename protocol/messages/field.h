// Field is one entry of a command's list of fields: its name in schemas/protocol.fbs, a reference to its
// value, and its rule. A rule (Within, Positive, Finite, NotNull, ...) is a type that names the range check
// of the value. Each command of command.h lists its fields in fields(). check(), command_codec.cpp and the
// conversion in sim/replication/replication.cpp walk these lists.
#pragma once

#include <string_view>

namespace takt::protocol {

/// The checks of a field. Structs, flags and bytes have the check of their type; a number without a rule does
/// not compile.
struct ByType {};
/// The wire must contain this struct. Other absent fields have the default of the plain struct.
struct Required : ByType {};
/// A shape with mass and without geometry of its own.
struct Spawnable : Required {};
/// An id with a generation.
struct NotNull {};
/// Bits 0 to 5 of the locked coordinates of a joint.
struct LockBits {};
/// Number of a joint's coordinate.
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
struct Finite {};
/// Infinite means that there is no bound.
struct Bound {};
/// A bound of at least 0.
struct MaxBound {};

template <class T, class Rule = ByType>
struct Field {
  constexpr Field(std::string_view wire_name, T& field, Rule field_rule = {})
      : name(wire_name), value(field), rule(field_rule) {}

  std::string_view name;
  T& value;
  Rule rule;
};

template <class T>
concept HasFields = requires(T& value) {
  T::fields(value);
};

}  // namespace takt::protocol
