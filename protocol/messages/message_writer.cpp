#include "protocol/messages/message_writer.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/command_codec.h"
#include "protocol/messages/same_command.h"
#include "protocol/messages/wire_fields.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

wire::BodyState to_wire(const BodyState& b) {
  return wire::BodyState(b.id, to_wire(b.position), to_wire(b.rotation), to_wire(b.linear_velocity),
                         to_wire(b.angular_velocity), b.flags);
}

wire::MoverInput to_wire(const MoverInput& in) {
  return wire::MoverInput(in.body, to_wire(in.velocity), in.turn, in.flags);
}

Offset<flatbuffers::Vector<std::uint8_t>> bytes_of(FlatBufferBuilder& builder,
                                                   std::span<const std::byte> bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Offset<wire::ConnectRequest> write_request(FlatBufferBuilder& b, const ConnectRequest& m,
                                           std::size_t padding_bytes) {
  TAKT_ASSERT(m.player_name.size() <= kPlayerNameBytesMax);
  Offset<flatbuffers::Vector<std::uint8_t>> padding;
  if (padding_bytes > 0) {
    std::uint8_t* to = nullptr;
    padding = b.CreateUninitializedVector<std::uint8_t>(padding_bytes, &to);
    std::memset(to, 0, padding_bytes);
  }
  TAKT_ASSERT(m.token.size() <= kConnectTokenBytesMax);
  Offset<flatbuffers::Vector<std::uint8_t>> token;
  if (!m.token.empty()) token = bytes_of(b, m.token);
  Offset<flatbuffers::Vector<std::uint8_t>> verifier;
  if (m.token_verifier) verifier = bytes_of(b, *m.token_verifier);
  Offset<flatbuffers::String> name;
  if (m.token.empty() || !m.player_name.empty()) name = b.CreateString(m.player_name);
  wire::ResumePoint resume;
  if (m.resume) {
    std::uint64_t const age = m.resume->tick - m.resume->hash_tick;
    TAKT_ASSERT(m.resume->epoch != 0 && m.resume->hash_tick != 0 &&
                age <= std::numeric_limits<std::uint32_t>::max());
    resume = {m.resume->tick, m.resume->hash, m.resume->epoch, static_cast<std::uint32_t>(age)};
  }
  return wire::CreateConnectRequest(
      b, m.protocol_version, m.scene_hash, static_cast<wire::NumbersMode>(m.numbers_mode),
      static_cast<wire::ReplicationMode>(m.mode), name, m.nonce, padding, static_cast<wire::Role>(m.role),
      token, verifier, m.ciphers, m.resume ? &resume : nullptr);
}

}  // namespace

struct MessageWriter::State {
  FlatBufferBuilder builder{2048};
  std::vector<Offset<wire::Input>> inputs;
  std::vector<Offset<wire::BodyInfo>> infos;

  FlatBufferBuilder& begin() {
    builder.Clear();
    return builder;
  }
  template <class Table>
  std::span<const std::byte> finish(Offset<Table> message) {
    wire::FinishPacketBuffer(
        builder, wire::CreatePacket(builder, wire::MessageTraits<Table>::enum_value, message.Union()));
    return {reinterpret_cast<const std::byte*>(builder.GetBufferPointer()), builder.GetSize()};
  }
};

MessageWriter::MessageWriter() : state_(std::make_unique<State>()) {}
MessageWriter::~MessageWriter() = default;
MessageWriter::MessageWriter(MessageWriter&&) noexcept = default;
MessageWriter& MessageWriter::operator=(MessageWriter&&) noexcept = default;

std::span<const std::byte> MessageWriter::write(const ConnectRequest& m) {
  return state_->finish(write_request(state_->begin(), m, 0));
}

std::span<const std::byte> MessageWriter::write_padded(const ConnectRequest& m, std::size_t bytes_total) {
  TAKT_ASSERT(bytes_total % 8 == 0);
  // The builder aligns the whole buffer to 8 (the request holds 64-bit fields), so the size moves with the
  // padding in steps of 8.
  std::size_t const probe = state_->finish(write_request(state_->begin(), m, 8)).size();
  TAKT_ASSERT(probe <= bytes_total);
  auto const bytes = state_->finish(write_request(state_->begin(), m, 8 + bytes_total - probe));
  TAKT_ASSERT(bytes.size() == bytes_total);
  return bytes;
}

std::span<const std::byte> MessageWriter::write(const Challenge& m) {
  auto& b = state_->begin();
  auto const cookie = bytes_of(b, m.cookie);
  auto const lasting_key = bytes_of(b, m.lasting_key);
  auto const short_lived_key = bytes_of(b, m.short_lived_key);
  return state_->finish(wire::CreateChallenge(b, m.nonce, cookie, lasting_key, short_lived_key));
}

std::span<const std::byte> MessageWriter::write(const ChallengeResponse& m) {
  auto& b = state_->begin();
  auto const cookie = bytes_of(b, m.cookie);
  auto const request = write_request(b, m.request, 0);
  auto const key = bytes_of(b, m.key);
  TAKT_ASSERT(m.proof.size() <= kNamedProofBytes);
  auto const proof = bytes_of(b, m.proof);
  return state_->finish(wire::CreateChallengeResponse(b, cookie, request, key, proof));
}

std::span<const std::byte> MessageWriter::write(const Accept& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreateAccept(
      b, m.nonce, m.session, m.player_id, m.tick_rate_hz, m.substeps, m.current_tick, m.scene_hash,
      static_cast<wire::NumbersMode>(m.numbers_mode), static_cast<wire::ReplicationMode>(m.mode),
      static_cast<wire::Role>(m.role), m.cipher, m.resumed, m.epoch, m.input_offset));
}

std::span<const std::byte> MessageWriter::write(const Refuse& m) {
  TAKT_ASSERT(m.text.size() <= kReasonTextBytesMax);
  auto& b = state_->begin();
  auto const text = b.CreateString(m.text);
  return state_->finish(wire::CreateRefuse(b, m.nonce, static_cast<wire::RefuseReason>(m.reason), text));
}

std::span<const std::byte> MessageWriter::write(const Disconnect& m) {
  TAKT_ASSERT(m.text.size() <= kReasonTextBytesMax);
  auto& b = state_->begin();
  auto const text = b.CreateString(m.text);
  return state_->finish(wire::CreateDisconnect(b, static_cast<wire::DisconnectReason>(m.reason), text));
}

std::span<const std::byte> MessageWriter::write(const KeepAlive&) {
  auto& b = state_->begin();
  return state_->finish(wire::CreateKeepAlive(b));
}

std::span<const std::byte> MessageWriter::write(const Ping& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreatePing(b, m.client_time_us));
}

std::span<const std::byte> MessageWriter::write(const Pong& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreatePong(b, m.client_time_us, m.tick, m.tick_fraction));
}

std::span<const std::byte> MessageWriter::write(std::span<const Input> inputs) {
  TAKT_ASSERT(inputs.size() <= kInputsPerMessage);
  auto& b = state_->begin();
  state_->inputs.clear();
  // Inputs that repeat the command before them, as those of a mover that walks on, share its table.
  std::optional<WireCommand> shared;
  const Command* written = nullptr;
  for (const Input& input : inputs) {
    if (written == nullptr || !same_command(*written, input.command))
      shared = write_command(b, input.command);
    written = &input.command;
    state_->inputs.push_back(wire::CreateInput(b, input.tick, input.sequence, shared->type, shared->table));
  }
  auto const vector = b.CreateVector(state_->inputs);
  return state_->finish(wire::CreateInputs(b, vector));
}

std::span<const std::byte> MessageWriter::write(const InputAck& m) {
  TAKT_ASSERT(m.outcomes.size() <= kCommandOutcomesPerMessage);
  auto& b = state_->begin();
  Offset<flatbuffers::Vector<const wire::InputOutcome*>> outcomes;
  if (!m.outcomes.empty()) {
    std::vector<wire::InputOutcome> structs;
    structs.reserve(m.outcomes.size());
    for (const CommandOutcome& o : m.outcomes)
      structs.emplace_back(o.sequence, static_cast<wire::InputStatus>(o.status), o.tick);
    outcomes = b.CreateVectorOfStructs(structs);
  }
  // A list without content is omitted: an acknowledgement of before these fields has the same bytes.
  Offset<flatbuffers::Vector<wire::CommandRefusal>> refusals;
  auto const has_refusal = [](const CommandOutcome& o) { return o.refusal != CommandRefusal::kNone; };
  if (std::ranges::any_of(m.outcomes, has_refusal)) {
    std::vector<wire::CommandRefusal> values;
    for (const CommandOutcome& o : m.outcomes) values.push_back(static_cast<wire::CommandRefusal>(o.refusal));
    refusals = b.CreateVector(values);
  }
  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> texts;
  if (std::ranges::any_of(m.outcomes, [](const CommandOutcome& o) { return !o.text.empty(); })) {
    std::vector<Offset<flatbuffers::String>> strings;
    Offset<flatbuffers::String> const none = b.CreateString("");
    for (const CommandOutcome& o : m.outcomes) {
      TAKT_ASSERT(o.text.size() <= kReasonTextBytesMax);
      strings.push_back(o.text.empty() ? none : b.CreateString(o.text));
    }
    texts = b.CreateVector(strings);
  }
  return state_->finish(
      wire::CreateInputAck(b, m.received_through, m.tick, m.margin_ticks, outcomes, refusals, texts));
}

std::span<const std::byte> MessageWriter::write(const SnapshotPart& m) {
  auto& b = state_->begin();
  Offset<flatbuffers::Vector<const wire::BodyState*>> bodies;
  // Not CreateUninitializedVectorOfStructs: in FlatBuffers 2.0.8 it aligns the vector to the size of the
  // struct.
  if (!m.bodies.empty())
    bodies = b.CreateVectorOfStructs<wire::BodyState>(
        m.bodies.size(), [&](std::size_t i, wire::BodyState* to) { *to = to_wire(m.bodies[i]); });
  Offset<flatbuffers::Vector<std::uint64_t>> removed;
  if (!m.removed.empty()) removed = b.CreateVector(m.removed);
  Offset<flatbuffers::Vector<std::uint8_t>> ropes;
  if (!m.ropes.empty()) ropes = bytes_of(b, m.ropes);
  Offset<flatbuffers::Vector<std::uint64_t>> removed_ropes;
  if (!m.removed_ropes.empty()) removed_ropes = b.CreateVector(m.removed_ropes);
  Offset<flatbuffers::Vector<const wire::MoverInput*>> movers;
  if (!m.movers.empty())
    movers = b.CreateVectorOfStructs<wire::MoverInput>(
        m.movers.size(), [&](std::size_t i, wire::MoverInput* to) { *to = to_wire(m.movers[i]); });
  return state_->finish(wire::CreateSnapshot(b, m.serial, m.tick, m.part, m.part_count, m.baseline,
                                             m.deferred, bodies, removed, m.epoch, ropes, removed_ropes,
                                             m.deferred_ropes, movers, m.mode_epoch));
}

std::span<const std::byte> MessageWriter::write(const JoinSlice& m) { return write_slice(m, m.bytes); }

std::span<const std::byte> MessageWriter::write_slice(const JoinSlice& head,
                                                      std::span<const std::byte> slice) {
  TAKT_ASSERT(slice.size() <= kJoinSliceBytes);
  auto& b = state_->begin();
  auto const bytes = bytes_of(b, slice);
  return state_->finish(wire::CreateJoinImage(b, head.tick, head.total_bytes, head.hash, head.offset, bytes));
}

std::span<const std::byte> MessageWriter::write(std::uint64_t tick, std::span<const BodyInfo> added) {
  TAKT_ASSERT(added.size() <= kBodyInfosPerMessage);
  auto& b = state_->begin();
  state_->infos.clear();
  std::vector<wire::ShapeInfo> shapes;
  for (const BodyInfo& body : added) {
    TAKT_ASSERT(body.shapes.size() <= kShapesPerBodyMax);
    shapes.clear();
    for (const ShapeInfo& shape : body.shapes) shapes.push_back(to_wire(shape));
    auto const vector = b.CreateVectorOfStructs(shapes);
    state_->infos.push_back(
        wire::CreateBodyInfo(b, body.id, body.user_kind, body.player, vector, body.sequence));
  }
  auto const bodies = b.CreateVector(state_->infos);
  return state_->finish(wire::CreateBodiesAdded(b, tick, bodies));
}

std::span<const std::byte> MessageWriter::write(const BodiesRemoved& m) {
  TAKT_ASSERT(m.ids.size() <= kRemovedPerMessage);
  auto& b = state_->begin();
  auto const ids = b.CreateVector(m.ids);
  return state_->finish(wire::CreateBodiesRemoved(b, m.tick, ids));
}

std::span<const std::byte> MessageWriter::write(const GameEvent& m) {
  TAKT_ASSERT(m.bytes.size() <= kCustomBytesMax);
  auto& b = state_->begin();
  auto const bytes = bytes_of(b, m.bytes);
  return state_->finish(wire::CreateGameEvent(b, m.tick, bytes));
}

std::span<const std::byte> MessageWriter::write(const ServerStats& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreateServerStats(b, m.tick, m.state_hash, m.body_count, m.awake_count,
                                                m.client_count, m.tick_time_us, m.tick_time_p99_us,
                                                m.contact_count, m.dropped_ticks));
}

std::span<const std::byte> MessageWriter::write(const GeometrySlice& m) { return write_slice(m, m.bytes); }

std::span<const std::byte> MessageWriter::write_slice(const GeometrySlice& head,
                                                      std::span<const std::byte> slice) {
  TAKT_ASSERT(slice.size() <= kGeometrySliceBytes);
  auto& b = state_->begin();
  auto const bytes = bytes_of(b, slice);
  return state_->finish(wire::CreateGeometry(b, head.digest, static_cast<wire::GeometryKind>(head.kind),
                                             head.total_bytes, head.offset, bytes));
}

// ---------------------------------------------------------------- rooms

std::span<const std::byte> MessageWriter::write(const Control& m) {
  TAKT_ASSERT(m.scene.size() <= kSceneNameBytesMax);
  auto& b = state_->begin();
  Offset<flatbuffers::String> scene;
  if (!m.scene.empty()) scene = b.CreateString(m.scene);
  return state_->finish(
      wire::CreateControl(b, m.request, static_cast<wire::ControlAction>(m.action), m.speed, m.tick, scene));
}

std::span<const std::byte> MessageWriter::write(const ControlResult& m) {
  TAKT_ASSERT(m.text.size() <= kReasonTextBytesMax);
  auto& b = state_->begin();
  auto const text = b.CreateString(m.text);
  return state_->finish(
      wire::CreateControlResult(b, m.request, static_cast<wire::ControlStatus>(m.status), text));
}

std::span<const std::byte> MessageWriter::write(const RoomState& m) {
  TAKT_ASSERT(m.scene.size() <= kSceneNameBytesMax && m.title.size() <= kTitleBytesMax);
  TAKT_ASSERT(m.scenes.size() <= kScenesMax && m.marks.size() <= kTimelineMarksMax);
  auto& b = state_->begin();
  auto const scene = b.CreateString(m.scene);
  auto const title = b.CreateString(m.title);
  std::vector<Offset<flatbuffers::String>> names;
  names.reserve(m.scenes.size());
  for (const std::string& name : m.scenes) {
    TAKT_ASSERT(name.size() <= kSceneNameBytesMax);
    names.push_back(b.CreateString(name));
  }
  auto const scenes = b.CreateVector(names);
  Offset<flatbuffers::Vector<const wire::TimelineMark*>> marks;
  if (!m.marks.empty()) {
    marks = b.CreateVectorOfStructs<wire::TimelineMark>(
        m.marks.size(), [&](std::size_t i, wire::TimelineMark* to) {
          *to = wire::TimelineMark(m.marks[i].tick, m.marks[i].count,
                                   static_cast<wire::MarkKind>(m.marks[i].kind));
        });
  }
  auto const eye = to_wire(m.camera.value_or(CameraPlace{}).eye);
  auto const target = to_wire(m.camera.value_or(CameraPlace{}).target);
  return state_->finish(wire::CreateRoomState(b, m.epoch, m.tick, m.paused, m.speed, m.admin, m.is_recording,
                                              m.first_tick, m.end_tick, m.tick_rate_hz, m.scene_hash, scene,
                                              title, scenes, m.camera ? &eye : nullptr,
                                              m.camera ? &target : nullptr, marks));
}

std::span<const std::byte> MessageWriter::write(const RoomEntered& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreateRoomEntered(b, m.epoch, m.first_input));
}

std::span<const std::byte> MessageWriter::write(const Inspect& m) {
  auto& b = state_->begin();
  return state_->finish(wire::CreateInspect(b, m.what));
}

std::span<const std::byte> MessageWriter::write(const Contacts& m) {
  TAKT_ASSERT(m.points.size() <= kContactPointsPerMessage);
  auto& b = state_->begin();
  auto const points = b.CreateVectorOfStructs<wire::ContactPoint>(
      m.points.size(), [&](std::size_t i, wire::ContactPoint* to) {
        ContactPoint const& p = m.points[i];
        *to = wire::ContactPoint(p.body_a, p.body_b, to_wire(p.position), to_wire(p.normal), p.impulse,
                                 p.separation);
      });
  return state_->finish(wire::CreateContacts(b, m.tick, m.total, m.part, m.part_count, points, m.epoch));
}

std::span<const std::byte> MessageWriter::write(const JointFrames& m) {
  TAKT_ASSERT(m.joints.size() <= kJointFramesPerMessage);
  auto& b = state_->begin();
  auto const joints =
      b.CreateVectorOfStructs<wire::JointFrame>(m.joints.size(), [&](std::size_t i, wire::JointFrame* to) {
        JointFrame const& j = m.joints[i];
        *to = wire::JointFrame(j.body_a, j.body_b, to_wire(j.anchor_a), to_wire(j.anchor_b),
                               to_wire(j.rotation), j.kind);
      });
  auto const states =
      b.CreateVectorOfStructs<wire::JointState>(m.joints.size(), [&](std::size_t i, wire::JointState* to) {
        JointFrame const& j = m.joints[i];
        *to = wire::JointState(j.id, to_wire(j.rotation_b), j.force, j.torque, j.flags);
      });
  return state_->finish(
      wire::CreateJointFrames(b, m.tick, m.total, m.part, m.part_count, joints, states, m.epoch));
}

std::span<const std::byte> MessageWriter::write(const JointsBroken& m) {
  TAKT_ASSERT(m.joints.size() <= kRemovedPerMessage);
  auto& b = state_->begin();
  auto const joints = b.CreateVector(m.joints);
  return state_->finish(wire::CreateJointsBroken(b, m.tick, joints));
}

// ---------------------------------------------------------------- queries

std::span<const std::byte> MessageWriter::write(const QueryRequest& m) {
  TAKT_ASSERT(!m.queries.empty() && m.queries.size() <= kQueriesPerRequest);
  auto& b = state_->begin();
  std::vector<Offset<wire::Query>> queries;
  for (const Query& q : m.queries) {
    TAKT_ASSERT(q.ignore.size() <= kQueryIgnoredMax);
    Offset<flatbuffers::Vector<std::uint64_t>> ignore;
    if (!q.ignore.empty()) ignore = b.CreateVector(q.ignore);
    auto const position = to_wire(q.position);
    wire::Vec3d const translation(q.translation.x, q.translation.y, q.translation.z);
    auto const shape = to_wire(q.shape);
    auto const rotation = to_wire(q.rotation);
    // Fields that the kind does not use are omitted. A request may carry them all the same; values other than
    // the default are kept, so that a round trip preserves them.
    bool const has_shape =
        q.shape != ShapeInfo{} || q.kind == QueryKind::kShapeCast || q.kind == QueryKind::kOverlap;
    bool const has_way = q.translation != Vec3d{};
    bool const is_turned = q.rotation != Quatf{};
    queries.push_back(wire::CreateQuery(
        b, static_cast<wire::QueryKind>(q.kind), static_cast<wire::QueryMode>(q.mode), &position,
        has_way ? &translation : nullptr, has_shape ? &shape : nullptr, is_turned ? &rotation : nullptr,
        q.max_distance, q.category, q.mask, q.group, q.find_sensors, ignore));
  }
  auto const vector = b.CreateVector(queries);
  return state_->finish(wire::CreateQueryRequest(b, m.request, vector, m.at_tick));
}

std::span<const std::byte> MessageWriter::write(const QueryResult& m) {
  TAKT_ASSERT(m.answers.size() <= kQueriesPerRequest && m.hits.size() <= kQueryHitsMax);
  auto& b = state_->begin();
  auto const answers =
      b.CreateVectorOfStructs<wire::QueryAnswer>(m.answers.size(), [&](std::size_t i, wire::QueryAnswer* to) {
        QueryAnswer const& a = m.answers[i];
        *to = wire::QueryAnswer(static_cast<wire::QueryStatus>(a.status), a.found, a.hit_count, a.total);
      });
  auto const hits =
      b.CreateVectorOfStructs<wire::QueryHit>(m.hits.size(), [&](std::size_t i, wire::QueryHit* to) {
        QueryHit const& h = m.hits[i];
        *to = wire::QueryHit(h.body, to_wire(h.point), wire::Vec3d(h.normal.x, h.normal.y, h.normal.z),
                             h.fraction, h.distance, h.shape, h.triangle);
      });
  return state_->finish(wire::CreateQueryResult(b, m.request, static_cast<wire::QueryStatus>(m.status),
                                                m.tick, answers, hits, m.work_exceeded));
}

std::span<const std::byte> MessageWriter::write(const ConfirmedSlice& m) {
  TAKT_ASSERT(!m.bytes.empty() && m.bytes.size() <= kConfirmedSliceBytes &&
              m.total_bytes <= kConfirmedBytesMax);
  auto& b = state_->begin();
  auto const bytes = bytes_of(b, m.bytes);
  return state_->finish(wire::CreateConfirmed(b, bytes, m.offset, m.total_bytes, m.mode_epoch));
}

std::span<const std::byte> MessageWriter::write(const DesyncProbe& m) {
  TAKT_ASSERT(!m.path.empty() && m.path.size() <= kDesyncPathBytesMax &&
              m.answer.size() <= kDesyncAnswerBytesMax);
  auto& b = state_->begin();
  auto const path = b.CreateString(m.path);
  auto const answer = b.CreateString(m.answer);
  return state_->finish(wire::CreateDesyncProbe(b, m.tick, path, answer, m.mode_epoch));
}

std::span<const std::byte> MessageWriter::write(const DesyncAnswer& m) {
  TAKT_ASSERT(!m.path.empty() && m.path.size() <= kDesyncPathBytesMax &&
              m.answer.size() <= kDesyncAnswerBytesMax);
  auto& b = state_->begin();
  auto const path = b.CreateString(m.path);
  auto const answer = b.CreateString(m.answer);
  return state_->finish(
      wire::CreateDesyncAnswer(b, m.tick, path, answer, static_cast<wire::DesyncStatus>(m.status)));
}

std::span<const std::byte> MessageWriter::write(const ModeSwitch& m) {
  TAKT_ASSERT(m.text.size() <= kReasonTextBytesMax);
  auto& b = state_->begin();
  auto const text = b.CreateString(m.text);
  return state_->finish(wire::CreateModeSwitch(b, static_cast<wire::ReplicationMode>(m.mode), text, m.request,
                                               m.refused, m.mode_epoch));
}

std::span<const std::byte> MessageWriter::write(const SealedAccept& m) {
  TAKT_ASSERT(m.sealed.size() <= kSealedAcceptBytesMax);
  auto& b = state_->begin();
  auto const sealed = bytes_of(b, m.sealed);
  return state_->finish(wire::CreateSealedAccept(b, m.nonce, sealed));
}

std::span<const std::byte> MessageWriter::write(const Message& m) {
  return std::visit([this](const auto& one) { return write(one); }, m);
}

}  // namespace takt::protocol
