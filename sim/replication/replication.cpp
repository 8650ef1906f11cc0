#include "sim/replication/replication.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <tuple>
#include <utility>

#include "sim/replication/wire_types.h"
#include "takt/sim/game.h"

namespace takt::sim {
namespace {

template <class T>
T& value_of(T& field) noexcept {
  return field;
}
template <class T, class Rule>
T& value_of(const protocol::Field<T, Rule>& field) noexcept {
  return field.value;
}

// Copies a value between the wire's type and the simulation's. Structs with lists of fields are copied field
// by field: both lists have one order.
struct Convert {
  template <class T>
  void operator()(const T& from, T& to) const {
    to = from;
  }
  template <class Tag>
  void operator()(std::uint64_t from, Id<Tag>& to) const {
    to = Id<Tag>::from_u64(from);
  }
  template <class Tag>
  void operator()(const Id<Tag>& from, std::uint64_t& to) const {
    to = from.to_u64();
  }
  void operator()(const protocol::Vec3f& from, Vec3<float>& to) const { to = from_wire(from); }
  void operator()(const Vec3<float>& from, protocol::Vec3f& to) const { to = to_wire(from); }
  void operator()(const protocol::Quatf& from, Quat<float>& to) const { to = from_wire(from); }
  void operator()(const Quat<float>& from, protocol::Quatf& to) const { to = to_wire(from); }
  void operator()(const protocol::Position& from, Position& to) const { to = from_wire(from); }
  void operator()(const Position& from, protocol::Position& to) const { to = to_wire(from); }
  void operator()(std::uint8_t from, JointAxis& to) const { to = static_cast<JointAxis>(from); }
  void operator()(JointAxis from, std::uint8_t& to) const { to = static_cast<std::uint8_t>(from); }
  void operator()(const protocol::Softness& from, Softness& to) const {
    to = Softness::from_parts(static_cast<Softness::Form>(from.form), from.first, from.second);
  }
  void operator()(const Softness& from, protocol::Softness& to) const {
    to = {static_cast<std::uint8_t>(from.form()), from.first(), from.second()};
  }
  void operator()(const protocol::JointPlace& from, JointFrame& to) const {
    to = {{from.position.x, from.position.y, from.position.z},
          {from.rotation.x, from.rotation.y, from.rotation.z, from.rotation.w}};
  }
  void operator()(const JointFrame& from, protocol::JointPlace& to) const {
    to = {{from.position_m.x, from.position_m.y, from.position_m.z},
          {from.rotation.x, from.rotation.y, from.rotation.z, from.rotation.w}};
  }
  template <class From, class To>
  requires(!std::same_as<From, To>) void operator()(const std::optional<From>& from,
                                                    std::optional<To>& to) const {
    if (from) (*this)(*from, to.emplace(To{}));
  }
  template <protocol::HasFields From, protocol::HasFields To>
  void operator()(const From& from, To& to) const {
    fields<0, 0>(From::fields(from), To::fields(to));
  }

  // A shape of the wire is a kind and dimensions of the simulation.
  void operator()(const protocol::SpawnCommand& from, SpawnCommand& to) const {
    to.kind = from_wire(from.shape.kind);
    to.dimensions_m = from_wire(from.shape.dimensions);
    fields<1, 2>(protocol::SpawnCommand::fields(from), SpawnCommand::fields(to));
  }
  void operator()(const SpawnCommand& from, protocol::SpawnCommand& to) const {
    to.shape.kind = to_wire(from.kind);
    to.shape.dimensions = to_wire(from.dimensions_m);
    fields<2, 1>(SpawnCommand::fields(from), protocol::SpawnCommand::fields(to));
  }

 private:
  template <std::size_t FromSkip, std::size_t ToSkip, class From, class To>
  void fields(const From& from, const To& to) const {
    constexpr std::size_t kCount = std::tuple_size_v<From> - FromSkip;
    static_assert(kCount == std::tuple_size_v<To> - ToSkip, "the two lists of a command differ");
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      ((*this)(value_of(std::get<FromSkip + At>(from)), value_of(std::get<ToSkip + At>(to))), ...);
    }
    (std::make_index_sequence<kCount>());
  }
};

// Index in protocol::Command of each alternative of Command: the players' commands have one order in both.
constexpr auto kWireIndices = []<std::size_t... Index>(std::index_sequence<Index...>) {
  std::size_t next = 0;
  return std::array{
      (ServerCommand<std::variant_alternative_t<Index, Command>> ? std::variant_npos : next++)...};
}
(std::make_index_sequence<std::variant_size_v<Command>>());
static_assert(std::ranges::count_if(kWireIndices, [](std::size_t at) { return at != std::variant_npos; }) ==
                  std::variant_size_v<protocol::Command>,
              "a command of players is missing in one of the variants");

// Copies a command if it is the alternative Index of Command.
template <std::size_t Index>
void convert_alternative(const protocol::Command& from, Command& to) {
  if constexpr (kWireIndices[Index] != std::variant_npos) {
    if (auto const* command = std::get_if<kWireIndices[Index]>(&from))
      Convert()(*command, to.emplace<Index>());
  }
}
template <std::size_t Index>
void convert_alternative(const Command& from, std::optional<protocol::Command>& to) {
  if constexpr (kWireIndices[Index] != std::variant_npos) {
    if (auto const* command = std::get_if<Index>(&from))
      Convert()(*command, to.emplace().emplace<kWireIndices[Index]>());
  }
}
template <class From, class To>
void convert(const From& from, To& to) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) { (convert_alternative<Index>(from, to), ...); }
  (std::make_index_sequence<std::variant_size_v<Command>>());
}

}  // namespace

Command to_command(const protocol::Command& command) {
  Command out;
  convert(command, out);
  return out;
}

Input to_input(const protocol::Input& input, PlayerId player) {
  return {input.tick, player, input.sequence, to_command(input.command)};
}

std::optional<protocol::Command> to_protocol(const Command& command) {
  std::optional<protocol::Command> out;
  convert(command, out);
  return out;
}

protocol::CommandStatus command_status_of(Refusal refusal) noexcept {
  using enum protocol::CommandStatus;
  switch (refusal) {
    case Refusal::kNone: return kApplied;
    case Refusal::kNotJoined:
    case Refusal::kServerOnly:
    case Refusal::kPlayback:
    case Refusal::kSpectator:
    case Refusal::kForbidden: return kRefusedPermission;
    case Refusal::kRateLimited:
    case Refusal::kServerRate: return kRefusedRate;
    case Refusal::kUnknownBody:
    case Refusal::kNotGrabbing: return kRefusedUnknownBody;
    case Refusal::kTooManyPlayers:
    case Refusal::kOverLimit:
    case Refusal::kTooManySpawned:
    case Refusal::kTooCrowded:
    case Refusal::kTooManyBodies:
    case Refusal::kTooManyRopes:
    case Refusal::kOverloaded:
    case Refusal::kWorldFull:
    case Refusal::kAlreadyGrabbing:
    case Refusal::kTooManyWaiting:
    case Refusal::kTooManyForces: return kRefusedLimit;
    case Refusal::kTooLate:
    case Refusal::kOtherWorld:
    case Refusal::kWrongTick: return kRefusedLate;
    case Refusal::kTooEarly: return kRefusedEarly;
    case Refusal::kMalformed:
    case Refusal::kAlreadyJoined:
    case Refusal::kStaleSequence:
    case Refusal::kNotFinite:
    case Refusal::kOutOfRange:
    case Refusal::kNotDynamic:
    case Refusal::kNoGame:
    case Refusal::kGameRefused:
    case Refusal::kPayloadTooLong:
    case Refusal::kNotMover:
    case Refusal::kUnknownRope:
    case Refusal::kUnknownJoint:
    case Refusal::kBadSoftness:
    case Refusal::kLimitsCrossed:
    case Refusal::kBadJointAxis:
    case Refusal::kBadCoupling:
    case Refusal::kBadShape: break;
  }
  return kRefusedInvalid;
}

// The wire has the values of Refusal; replication_test.cpp compares their names.
static_assert(protocol::kCommandRefusals == kRefusals);
static_assert(static_cast<int>(protocol::CommandRefusal::kOverloaded) ==
              static_cast<int>(Refusal::kOverloaded));
static_assert(kMaxGameMessageBytes == protocol::kCustomBytesMax);
static_assert(kMaxRefusalTextBytes == protocol::kReasonTextBytesMax);

protocol::CommandOutcome to_outcome(const RefusedInput& refused, std::uint64_t tick) {
  protocol::CommandOutcome outcome;
  outcome.sequence = refused.sequence;
  outcome.status = command_status_of(refused.reason);
  outcome.tick = tick;
  outcome.refusal = static_cast<protocol::CommandRefusal>(refused.reason);
  outcome.text = protocol::is_printable(refused.text) ? refused.text : protocol::printable_text(refused.text);
  return outcome;
}

}  // namespace takt::sim
