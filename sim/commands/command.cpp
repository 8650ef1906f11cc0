#include "takt/sim/command.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "sim/state/byte_fields.h"

namespace takt::sim {
namespace {

/// A T to read into or a const T to write from.
template <class C, class T>
concept Either = std::same_as<std::remove_const_t<C>, T>;

// One list of fields per command: encoding and decoding both walk it, so they cannot disagree. The order of
// the fields is the format.
template <class Archive, Either<ImpulseCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
  a(c.impulse_n_s);
  a(c.point_local_m);
}
template <class Archive, Either<ForceCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
  a(c.force_n);
  a(c.torque_n_m);
  a(c.ticks);
}
template <class Archive, Either<SpawnCommand> C>
void fields(Archive& a, C& c) {
  a(c.kind);
  a(c.dimensions_m);
  a(c.position);
  a(c.rotation);
  a(c.linear_velocity_m_s);
  a(c.angular_velocity_rad_s);
  a(c.density_kg_m3);
  a(c.friction);
  a(c.restitution);
  a(c.user_kind);
}
template <class Archive, Either<DespawnCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
}
template <class Archive, Either<GrabCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
  a(c.point_local_m);
  a(c.target);
  a(c.max_force_n);
}
template <class Archive, Either<MoveGrabCommand> C>
void fields(Archive& a, C& c) {
  a(c.target);
}
template <class Archive, Either<ReleaseCommand> C>
void fields(Archive&, C&) {}
template <class Archive, Either<TeleportCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
  a(c.position);
  a(c.rotation);
  a(c.linear_velocity_m_s);
  a(c.angular_velocity_rad_s);
}
template <class Archive, Either<CustomCommand> C>
void fields(Archive& a, C& c) {
  a.bytes(c.bytes, kMaxDecodedBytes);
}
template <class Archive, Either<JoinCommand> C>
void fields(Archive& a, C& c) {
  a(c.player);
  a(c.admin);
  a.text(c.name, kMaxDecodedBytes);
}
template <class Archive, Either<LeaveCommand> C>
void fields(Archive& a, C& c) {
  a(c.player);
}

template <class Archive, Either<MoveCommand> C>
void fields(Archive& a, C& c) {
  a(c.body);
  a(c.velocity_m_s);
  a(c.turn_rad_s);
  a(c.in_heading_frame);
  a(c.jump);
}

template <class Archive, Either<CutCommand> C>
void fields(Archive& a, C& c) {
  a(c.rope);
  a(c.segment);
}

template <class Archive, Either<ChangeJointCommand::Limit> C>
void fields(Archive& a, C& c) {
  a(c.lower);
  a(c.upper);
  a(c.softness);
}
template <class Archive, Either<ChangeJointCommand::Hold> C>
void fields(Archive& a, C& c) {
  a(c.on);
  a(c.target);
  a(c.softness);
  a(c.max);
}
template <class Archive, Either<ChangeJointCommand::Motor> C>
void fields(Archive& a, C& c) {
  a(c.speed);
  a(c.max);
}
template <class Archive, Either<JointFrame> C>
void fields(Archive& a, C& c) {
  a(c.position_m);
  a(c.rotation);
}

// A byte 0 or 1, then the fields if 1.
template <class Archive, class Optional>
void part(Archive& a, Optional& value) {
  bool is_there = value.has_value();
  a(is_there);
  if constexpr (!std::is_const_v<Optional>) {
    value.reset();
    if (is_there)
      value.emplace(typename Optional::value_type{});  // clang does not take a nested type with defaults for
                                                       // default constructible
  }
  if (is_there) fields(a, *value);
}

template <class Archive, Either<ChangeJointCommand> C>
void fields(Archive& a, C& c) {
  a(c.joint);
  a(c.enabled);
  a(c.collide_connected);
  a(c.direct);
  a(c.locked);
  part(a, c.frame_a);
  part(a, c.frame_b);
  a(c.linear);
  a(c.angular);
  a(c.max_force_n);
  a(c.max_torque_n_m);
  a(c.break_force_n);
  a(c.break_torque_n_m);
  a(c.ratio);
  a(c.length_m);
  a(c.axis);
  part(a, c.limit);
  part(a, c.hold);
  part(a, c.motor);
  a(c.friction);
}

template <class Archive, Either<DestroyJointCommand> C>
void fields(Archive& a, C& c) {
  a(c.joint);
}

template <std::size_t Index = 0>
bool decode_alternative(FieldReader& fields_in, std::size_t index, Command& out) {
  if constexpr (Index < std::variant_size_v<Command>) {
    if (index != Index) return decode_alternative<Index + 1>(fields_in, index, out);
    fields(fields_in, out.emplace<Index>());
    return fields_in.ok();
  } else {
    return false;
  }
}

}  // namespace

std::string_view name_of(const Command& command) noexcept {
  constexpr std::string_view kNames[] = {"impulse",   "force",   "spawn",    "despawn",      "grab",
                                         "move_grab", "release", "teleport", "custom",       "join",
                                         "leave",     "move",    "cut",      "change_joint", "destroy_joint"};
  static_assert(std::size(kNames) == std::variant_size_v<Command>);
  return kNames[command.index()];
}

void encode(const Input& input, std::vector<std::byte>& out) {
  ByteWriter writer(out);
  FieldWriter archive(writer);
  writer.put(input.tick);
  writer.put(input.player);
  writer.put(input.sequence);
  writer.put(static_cast<std::uint8_t>(input.command.index() + 1));
  std::visit([&](const auto& command) { fields(archive, command); }, input.command);
}

Result<Input, SimError> decode_input(ByteReader& reader) {
  Input input;
  FieldReader archive(reader);
  input.tick = reader.get<std::uint64_t>();
  input.player = reader.get<PlayerId>();
  input.sequence = reader.get<std::uint32_t>();
  auto const kind = reader.get<std::uint8_t>();
  if (!reader.ok() || kind == 0 || !decode_alternative(archive, kind - 1u, input.command))
    return SimError::kInputMalformed;
  return input;
}

void sort_inputs(std::vector<Input>& inputs) {
  std::stable_sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) {
    return a.player != b.player ? a.player < b.player : a.sequence < b.sequence;
  });
}

}  // namespace takt::sim
