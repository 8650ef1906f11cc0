#include "tests/unit/protocol/golden_messages.h"

#include <array>
#include <limits>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/messages/rope_codec.h"
#include "tests/unit/protocol/golden_geometries.h"
#include "tests/unit/protocol/message_json.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol::test {
namespace {

// By union number; the file's name begins with it.
constexpr std::array<const char*, std::variant_size_v<Message>> kGoldenKinds{
    "connect_request", "challenge",     "challenge_response",
    "accept",          "refuse",        "disconnect",
    "keep_alive",      "ping",          "pong",
    "inputs",          "input_ack",     "snapshot",
    "join_image",      "bodies_added",  "bodies_removed",
    "game_event",      "server_stats",  "control",
    "control_result",  "room_state",    "room_entered",
    "inspect",         "contacts",      "joint_frames",
    "geometry",        "query_request", "query_result",
    "joints_broken",   "confirmed",     "desync_probe",
    "desync_answer",   "sealed_accept", "mode_switch"};

constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr float kHuge = std::numeric_limits<float>::max();

// Every way a node can be written: as it is, near the straight continuation, a segment away, across the world
// and back.
SnapshotPart rope_snapshot() {
  SnapshotPart part;
  part.serial = 9;
  part.part_count = 1;
  RopeState wild{(RopeId{0xffffffff} << 32) | (kRopeIndexMax - 1), 0xffffffff, kTiny, {}, {}};
  for (Position const node :
       {Position{kLow, kHigh, 0}, {kHigh, kLow, 1}, {kLow, 0, kHigh}, {-1, 1 << 18, 1 << 19}, {}})
    wild.nodes.push_back(node);
  wild.tensions = {kHuge, -kHuge, 0x1p-7f, -1e-3f};
  RopeState smooth{(RopeId{1} << 32) | 300, kRopeAsleep, 0.02f, {}, {}};
  for (std::int64_t i = 0; i < 150; ++i) {
    smooth.nodes.push_back(
        {(std::int64_t{1'000'000} << 32) + (i << 28), ((i - 75) * (i - 75)) << 20, -i << 24});
    if (i > 0) smooth.tensions.push_back(static_cast<float>(i - 20) * 0.25f);
  }
  RopeState const single{(RopeId{2} << 32) | 0, 0, 1, {{1, 2, 3}}, {}};
  for (const RopeState& rope : {wild, smooth, single})
    for (auto const& slice : encode_rope(rope))
      part.ropes.insert(part.ropes.end(), slice.begin(), slice.end());
  part.removed_ropes = {(RopeId{1} << 32) | 7, (RopeId{0xffffffff} << 32) | 8};
  part.deferred_ropes = 0xffffffff;
  return part;
}

// As many bodies as a part takes, with every position that is easily got wrong: the ends, and both sides of
// whole metres.
SnapshotPart full_snapshot() {
  SnapshotPart part;
  part.serial = std::numeric_limits<std::uint32_t>::max();
  part.tick = (std::uint64_t{1} << 53) - 1;
  part.part = 1023;
  part.part_count = 1024;
  part.baseline = part.serial - 1;
  part.epoch = part.serial;
  part.mode_epoch = part.serial;
  std::array<Position, kSnapshotBodiesPerPart> const places{
      {{kLow, kHigh, 0},
       {-1, 1, 0},
       {std::int64_t{1} << 32, -(std::int64_t{1} << 32), 0},
       {(std::int64_t{1} << 32) - 1, (std::int64_t{1} << 32) + 1, 0},
       {-(std::int64_t{1} << 32) - 1, -(std::int64_t{1} << 32) + 1, 0},
       {std::int64_t{1'000'000} << 32, (std::int64_t{-1'000'000} << 32) + 12345, 7},
       {0x123456789abcdef, -0x123456789abcdef, 0x80000000}}};
  for (std::size_t i = 0; i < kSnapshotBodiesPerPart; ++i) {
    float const sign = i % 2 == 0 ? 1.0f : -1.0f;
    BodyState body;
    body.id = (std::uint64_t{0xffffffff - i} << 32) | (kBodyIndexMax - 1 - i);
    body.position = places[i];
    body.rotation = {0.5f * sign, -0.5f, 0.5f, -0.5f * sign};
    body.linear_velocity = {kTiny * sign, kHuge * sign, 1.0f / 3.0f};
    body.angular_velocity = {-0.0f, 16777216.0f, -1e-20f};
    body.flags = static_cast<std::uint32_t>(i) * 0x11111111u;
    part.bodies.push_back(body);
  }
  return part;
}

BodiesAdded every_shape() {
  Quatf const turn{0.6f, 0, 0, 0.8f};
  BodyInfo info;
  info.id = ~std::uint64_t{0};
  info.user_kind = ~0u;
  info.player = ~0u;
  info.shapes = {{ShapeKind::kSphere, {0.25f, 0, 0}, {1, 2, 3}, turn},
                 {ShapeKind::kCapsule, {0.5f, 0, 0}, {}, {}},
                 {ShapeKind::kCapsule, {0.5f, 2.5f, 0}, {-1e9f, 1e9f, 0}, turn},
                 {ShapeKind::kBox, {1e-6f, 1e6f, 1}, {}, {}},
                 {ShapeKind::kHalfSpace, {0.6f, 0.8f, 0}, {0, -5, 0}, {}},
                 {ShapeKind::kCylinder, {0.5f, 1, 0}, {}, {}},
                 {ShapeKind::kCone, {0.5f, 1, 0}, {}, {}},
                 {ShapeKind::kHull, {1, 2, 3}, {1, 0, 0}, turn, 0.125f, ~std::uint64_t{0}},
                 {ShapeKind::kHull, {1, 2, 3}, {}, {}},
                 {ShapeKind::kMesh, {50, 0, 50}, {}, {}, 0, 0x1122334455667788},
                 {ShapeKind::kHeightField, {10, 1e6f, 20}, {}, {}, 0, 1}};
  return {0, {info}};
}

// Commands with absent structs and with values that are refused: the inputs beside them must still be read.
Inputs hard_inputs() {
  constexpr BodyId kBody = std::uint64_t{1} << 32;
  Inputs inputs;
  auto const add = [&](Command command) {
    inputs.inputs.push_back(
        {inputs.inputs.size(), static_cast<std::uint32_t>(inputs.inputs.size() * 3 + 1), std::move(command)});
  };
  add(ImpulseCommand{kBody, {1.0f / 3.0f, kTiny, -1e9f}, std::nullopt});
  add(ImpulseCommand{kBody, {2e9f, 0, 0}, std::nullopt});
  add(ForceCommand{kBody, {}, {}, 1});
  add(ForceCommand{kBody, {}, {}, 0});
  add(ForceCommand{kBody, {}, {0, kHuge * 2.0f, 0}, 3600});
  add(DespawnCommand{17});
  add(MoveGrabCommand{{kLow, kHigh, -1}});
  add(TeleportCommand{kBody, {kHigh, kLow, 1}, {0, 0, 0, 1.1f}, {}, {}});
  SpawnCommand spawn;
  spawn.shape = {ShapeKind::kBox, {1, 2, 3}, {}, {}};
  add(spawn);
  spawn.shape = {ShapeKind::kHalfSpace, {0, 1, 0}, {}, {}};
  add(spawn);
  ChangeJointCommand joint;
  joint.joint = kBody;
  joint.limit = JointLimit{1, -1, {}};  // crossed: the engine's business
  add(joint);
  joint.limit = JointLimit{std::numeric_limits<double>::quiet_NaN(), 1, {}};
  add(joint);
  joint.limit = JointLimit{0, 1, {5, 0, 0}};
  add(joint);
  joint.limit.reset();
  joint.axis = 8;
  add(joint);
  add(DestroyJointCommand{17});
  add(CustomCommand{});
  add(CustomCommand{std::vector<std::byte>(kCustomBytesMax, std::byte{0xff})});
  return inputs;
}

// A refusal for every reason, and texts with and without content.
InputAck every_refusal() {
  InputAck ack{40, 9, -1, {}};
  for (std::size_t i = 0; i < kCommandRefusals; ++i) {
    auto const refusal = static_cast<CommandRefusal>(i);
    auto const status =
        refusal == CommandRefusal::kNone ? CommandStatus::kMoved : CommandStatus::kRefusedLimit;
    ack.outcomes.push_back({static_cast<std::uint32_t>(i + 1), status, 9, refusal, {}});
  }
  ack.outcomes[static_cast<std::size_t>(CommandRefusal::kGameRefused)].text =
      "Nicht dein Zug, J\xc3\xbcrgen.";
  ack.outcomes.back().text = std::string(kReasonTextBytesMax, 'x');
  return ack;
}

char letter_of(std::span<const std::byte> bytes, MessageReader& reader) {
  auto const read = reader.read(bytes, MessageClass::kReliable);
  if (read) return has_wide_tick(*read) ? 'w' : 'o';
  switch (read.error()) {
    case Error::kVerifierFailed: return 'v';
    case Error::kBadType: return 'b';
    case Error::kMissingField: return 'm';
    case Error::kOutOfRange: return 'r';
    case Error::kNotFinite: return 'f';
    default: return '?';
  }
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<GoldenMessage> golden_messages() {
  std::vector<GoldenMessage> out;
  for (Message& message : sample_messages()) {
    std::size_t const kind = message.index();
    out.push_back(
        {(kind < 9 ? "0" : "") + std::to_string(kind + 1) + "_" + kGoldenKinds[kind], std::move(message)});
  }
  Accept accept;
  accept.nonce = accept.session = accept.scene_hash = ~std::uint64_t{0};
  accept.player_id = 1;
  accept.tick_rate_hz = 1;
  accept.numbers_mode = NumbersMode::kFixedMode;
  RoomState bare;
  ChallengeResponse named;
  for (std::size_t i = 0; i < kNamedProofBytes; ++i) named.proof.push_back(static_cast<std::byte>(5 * i));
  out.push_back({"accept_extreme", accept});
  out.push_back({"bodies_added_every_shape", every_shape()});
  out.push_back({"bodies_added_none", BodiesAdded{1, {}}});
  out.push_back({"challenge_response_named", named});
  out.push_back({"inputs_hard", hard_inputs()});
  out.push_back({"inputs_joints", joint_inputs()});
  out.push_back({"input_ack_alone", InputAck{0, 0, std::numeric_limits<std::int32_t>::min(), {}}});
  out.push_back({"input_ack_refusals", every_refusal()});
  out.push_back({"bodies_added_tickets", BodiesAdded{7,
                                                     {{std::uint64_t{1} << 32, 5, 2, {}, 1},
                                                      {(std::uint64_t{1} << 32) + 1, 0, 3, {}, ~0u}}}});
  out.push_back({"pong_last_fraction", Pong{~std::uint64_t{0}, 0, ~0u}});
  out.push_back({"room_state_bare", bare});
  out.push_back({"snapshot_empty", SnapshotPart{1, 0, 0, 1, 0, 0, {}, {}, 0, {}, {}, 0}});
  out.push_back({"snapshot_ropes", rope_snapshot()});
  out.push_back({"snapshot_full", full_snapshot()});
  return out;
}

std::vector<std::byte> to_bytes(const Message& message) {
  MessageWriter writer;
  auto const bytes = writer.write(message);
  return {bytes.begin(), bytes.end()};
}

std::string mutations_of(const std::vector<std::byte>& bytes) {
  std::string letters;
  MessageReader reader;
  std::vector<std::byte> changed = bytes;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (std::byte const change : {std::byte{0xff}, std::byte{0x01}, std::byte{0x80}}) {
      changed[at] = bytes[at] ^ change;
      letters += letter_of(changed, reader);
    }
    changed[at] = bytes[at];
  }
  return letters;
}

std::vector<std::pair<std::string, std::string>> golden_files() {
  std::vector<std::pair<std::string, std::string>> files;
  std::string messages = "{\n";
  std::string mutations = "{\n";
  for (const GoldenMessage& golden : golden_messages()) {
    auto const bytes = to_bytes(golden.message);
    MessageReader reader;
    auto const read = reader.read(bytes, MessageClass::kReliable);
    std::string const end = files.size() + 1 == golden_messages().size() ? "\n" : ",\n";
    files.emplace_back(golden.name + ".bin", text_of(bytes));
    messages += "\"" + golden.name + "\":" + (read ? to_json(*read) : "null") + end;
    mutations += "\"" + golden.name + "\":\"" + mutations_of(bytes) + "\"" + end;
  }
  files.emplace_back("messages.json", messages + "}\n");
  files.emplace_back("geometries.json", golden_geometries_json());
  files.emplace_back("mutations.json", mutations + "}\n");
  return files;
}

}  // namespace takt::protocol::test
