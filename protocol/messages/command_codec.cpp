#include "protocol/messages/command_codec.h"

#include <concepts>
#include <type_traits>
#include <utility>

#include "protocol/messages/wire_fields.h"

namespace takt::protocol {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::voffset_t;
using Bytes = flatbuffers::Vector<std::uint8_t>;

template <class T>
concept Number = std::is_arithmetic_v<T>;

// ---------------------------------------------------------------- lists and schema

// Type of a field in the generated code.
template <class T>
struct WireType {
  using type = const decltype(to_wire(std::declval<T>()))*;
};
template <Number T>
struct WireType<T> {
  using type = T;
};
template <class T>
struct WireType<std::optional<T>> : WireType<T> {};
template <Number T>
struct WireType<std::optional<T>> {
  using type = flatbuffers::Optional<T>;
};
template <>
struct WireType<std::vector<std::byte>> {
  using type = Offset<Bytes>;
};

// Plain structs store an enum of the wire as its number.
template <class T>
struct WithoutEnum {
  using type = T;
};
template <class T>
requires std::is_enum_v<T>
struct WithoutEnum<T> {
  using type = std::underlying_type_t<T>;
};

// The parameters of the generated Create function are the fields of the table in the schema's order.
template <class Table, class... Wire, class... T, class... Rule>
constexpr bool lists_all(Offset<Table> (*)(FlatBufferBuilder&, Wire...),
                         std::type_identity<std::tuple<Field<T, Rule>...>>) {
  return std::is_same_v<std::tuple<typename WithoutEnum<Wire>::type...>,
                        std::tuple<typename WireType<T>::type...>>;
}

template <std::size_t Index>
constexpr bool is_of_schema() {
  using C = std::variant_alternative_t<Index, Command>;
  using Fields = decltype(C::fields(std::declval<C&>()));
  return wire::CommandTraits<typename C::Table>::enum_value == static_cast<wire::Command>(Index + 1) &&
         lists_all(C::Table::Traits::Create, std::type_identity<Fields>());
}

// The reader relies on this comparison: the verifier checks the schema's types, not those of the lists.
static_assert(
    []<std::size_t... Index>(std::index_sequence<Index...>) {
      return (is_of_schema<Index>() && ...) &&
             static_cast<std::size_t>(wire::Command::MAX) == sizeof...(Index);
    }(std::make_index_sequence<std::variant_size_v<Command>>()),
    "a list of fields differs from its table in protocol.fbs");

// ---------------------------------------------------------------- writing

// A struct of a table, if it is there, as the generated Create functions take it.
template <class Wire>
struct Part {
  std::optional<Wire> wire;
  operator const Wire*() const { return wire ? &*wire : nullptr; }  // NOLINT(google-explicit-constructor)
};

template <Number T>
T part_of(FlatBufferBuilder&, const T& value) {
  return value;
}
template <class T>
auto part_of(FlatBufferBuilder&, const T& value) {
  return Part<decltype(to_wire(value))>{to_wire(value)};
}
template <class T>
auto part_of(FlatBufferBuilder&, const std::optional<T>& value) {
  Part<decltype(to_wire(*value))> part;
  if (value) part.wire = to_wire(*value);
  return part;
}
Offset<Bytes> part_of(FlatBufferBuilder& builder, const std::vector<std::byte>& bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

template <class C>
Offset<typename C::Table> write_table(FlatBufferBuilder& builder, const C& command) {
  auto const parts = std::apply(
      [&](const auto&... field) { return std::tuple{part_of(builder, field.value)...}; }, C::fields(command));
  return std::apply([&](const auto&... part) { return C::Table::Traits::Create(builder, part...); }, parts);
}

// Its fields have another order than in the generated Create function, and the bytes depend on the order.
Offset<wire::ChangeJoint> write_table(FlatBufferBuilder& builder, const ChangeJointCommand& c) {
  wire::ChangeJointBuilder table(builder);
  auto const add = [&]<class T>(const std::optional<T>& value, auto member) {
    if (!value) return;
    if constexpr (Number<T>) {
      (table.*member)(*value);
    } else {
      auto const wire = to_wire(*value);
      (table.*member)(&wire);
    }
  };
  using Builder = wire::ChangeJointBuilder;
  table.add_joint(c.joint);
  add(c.hold, &Builder::add_hold);
  add(c.limit, &Builder::add_limit);
  add(c.motor, &Builder::add_motor);
  add(c.frame_a, &Builder::add_frame_a);
  add(c.frame_b, &Builder::add_frame_b);
  add(c.linear, &Builder::add_linear);
  add(c.angular, &Builder::add_angular);
  add(c.max_force, &Builder::add_max_force);
  add(c.max_torque, &Builder::add_max_torque);
  add(c.break_force, &Builder::add_break_force);
  add(c.break_torque, &Builder::add_break_torque);
  add(c.ratio, &Builder::add_ratio);
  add(c.length, &Builder::add_length);
  add(c.friction, &Builder::add_friction);
  add(c.enabled, &Builder::add_enabled);
  add(c.collide_connected, &Builder::add_collide_connected);
  add(c.direct, &Builder::add_direct);
  add(c.locked, &Builder::add_locked);
  table.add_axis(static_cast<wire::JointAxis>(c.axis));
  return table.Finish();
}

// ---------------------------------------------------------------- reading

// Each overload returns true if the table has the field, and otherwise keeps the default of the plain struct,
// which is the schema's.
template <Number T>
bool read_field(const flatbuffers::Table& table, voffset_t slot, T& value) {
  using Raw = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  value = static_cast<T>(table.GetField<Raw>(slot, value));
  return table.CheckField(slot);
}
template <class T>
bool read_field(const flatbuffers::Table& table, voffset_t slot, T& value) {
  auto const* wire = table.GetStruct<typename WireType<T>::type>(slot);
  if (wire != nullptr) value = from_wire(*wire);
  return wire != nullptr;
}
bool read_field(const flatbuffers::Table& table, voffset_t slot, std::vector<std::byte>& value) {
  auto const bytes = bytes_of(table.GetPointer<const Bytes*>(slot));
  value.assign(bytes.begin(), bytes.end());
  return true;
}
template <class T>
bool read_field(const flatbuffers::Table& table, voffset_t slot, std::optional<T>& value) {
  T there{};
  if (read_field(table, slot, there)) value = there;
  return value.has_value();
}

template <class T, class Rule>
bool read_field(const flatbuffers::Table& table, voffset_t slot, const Field<T, Rule>& field) {
  return read_field(table, slot, field.value) || !std::derived_from<Rule, Required>;
}

template <std::size_t Index>
bool read_alternative(const flatbuffers::Table& table, Command& command) {
  auto const fields = std::variant_alternative_t<Index, Command>::fields(command.emplace<Index>());
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return (read_field(table, flatbuffers::FieldIndexToOffset(At), std::get<At>(fields)) && ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(fields)>>());
}

}  // namespace

WireCommand write_command(FlatBufferBuilder& builder, const Command& command) {
  auto const type = static_cast<wire::Command>(command.index() + 1);
  return {type, std::visit([&](const auto& one) { return write_table(builder, one).Union(); }, command)};
}

bool read_command(const wire::Input& input, Command& command) {
  auto const* table = static_cast<const flatbuffers::Table*>(input.command());
  if (table == nullptr) return false;
  auto const type = static_cast<std::size_t>(input.command_type());
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return ((type == Index + 1 && read_alternative<Index>(*table, command)) || ...);
  }
  (std::make_index_sequence<std::variant_size_v<Command>>());
}

}  // namespace takt::protocol
