#include "protocol/messages/message_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "protocol/messages/command_codec.h"
#include "protocol/messages/query_message_reader.h"
#include "protocol/messages/room_message_reader.h"
#include "protocol/messages/wire_fields.h"

namespace takt::protocol {
namespace {

using Read = Result<Message, Error>;
using takt::protocol::read_one;  // of the messages about a room; the others follow

// The vectors and the text of `request` keep their memory.
Result<Unit, Error> read_request(const wire::ConnectRequest& m, ConnectRequest& request) {
  if (!enum_in_range(m.numbers_mode(), NumbersMode::kFixedMode) ||
      !enum_in_range(m.mode(), ReplicationMode::kPredicted) || !enum_in_range(m.role(), Role::kSpectator))
    return Error::kOutOfRange;
  auto const name = text_of(m.player_name());
  if (name.size() > kPlayerNameBytesMax || !is_printable(name)) return Error::kOutOfRange;
  request.token.clear();
  request.token_verifier.reset();
  request.protocol_version = m.protocol_version();
  request.scene_hash = m.scene_hash();
  request.numbers_mode = static_cast<NumbersMode>(m.numbers_mode());
  request.mode = static_cast<ReplicationMode>(m.mode());
  request.player_name = name;
  request.nonce = m.nonce();
  request.role = static_cast<Role>(m.role());
  request.ciphers = m.ciphers();
  if (auto const* const token = m.token(); token != nullptr) {
    if (token->size() > kConnectTokenBytesMax) return Error::kOutOfRange;
    auto const bytes = std::as_bytes(std::span(token->data(), token->size()));
    request.token.assign(bytes.begin(), bytes.end());
  }
  if (auto const* const verifier = m.token_verifier(); verifier != nullptr) {
    auto& out = request.token_verifier.emplace();
    if (verifier->size() != out.size()) return Error::kOutOfRange;
    std::memcpy(out.data(), verifier->data(), out.size());
  }
  if (auto const* const resume = m.resume(); resume != nullptr) {
    if (resume->hash_age() >= resume->tick() || resume->epoch() == 0) return Error::kOutOfRange;
    request.resume =
        ResumePoint{resume->tick(), resume->tick() - resume->hash_age(), resume->hash(), resume->epoch()};
  }
  return Unit{};
}

/// Reads a field that must have as many bytes as `out`.
template <std::size_t Bytes>
Result<Unit, Error> read_exactly(const flatbuffers::Vector<std::uint8_t>* vector,
                                 std::array<std::byte, Bytes>& out) {
  if (vector == nullptr) return Error::kMissingField;
  if (vector->size() != Bytes) return Error::kOutOfRange;
  std::memcpy(out.data(), vector->data(), Bytes);
  return Unit{};
}

Read read_one(const wire::ConnectRequest& m) {
  ConnectRequest request;
  if (auto const read = read_request(m, request); !read) return read.error();
  return Message(std::move(request));
}

Read read_one(const wire::Challenge& m) {
  Challenge challenge;
  challenge.nonce = m.nonce();
  if (auto const read = read_exactly(m.cookie(), challenge.cookie); !read) return read.error();
  if (auto const read = read_exactly(m.lasting_key(), challenge.lasting_key); !read) return read.error();
  if (auto const read = read_exactly(m.short_lived_key(), challenge.short_lived_key); !read)
    return read.error();
  return Message(challenge);
}

// Likewise of a response.
Result<Unit, Error> read_response(const wire::ChallengeResponse& m, ChallengeResponse& response) {
  if (auto const read = read_exactly(m.cookie(), response.cookie); !read) return read.error();
  if (m.request() == nullptr) return Error::kMissingField;
  if (auto const read = read_request(*m.request(), response.request); !read) return read.error();
  if (auto const read = read_exactly(m.key(), response.key); !read) return read.error();
  if (m.proof() == nullptr) return Error::kMissingField;
  if (m.proof()->size() != (response.request.token.empty() ? kNamedProofBytes : kProofBytes))
    return Error::kOutOfRange;
  auto const proof = std::as_bytes(std::span(m.proof()->data(), m.proof()->size()));
  response.proof.assign(proof.begin(), proof.end());
  return Unit{};
}

Read read_one(const wire::ChallengeResponse& m) {
  ChallengeResponse response;
  if (auto const read = read_response(m, response); !read) return read.error();
  return Message(std::move(response));
}

Read read_one(const wire::Accept& m) {
  if (m.tick_rate_hz() < 1 || m.tick_rate_hz() > 10'000 || m.player_id() == 0) return Error::kOutOfRange;
  if (!enum_in_range(m.numbers_mode(), NumbersMode::kFixedMode) ||
      !enum_in_range(m.mode(), ReplicationMode::kPredicted) || !enum_in_range(m.role(), Role::kSpectator))
    return Error::kOutOfRange;
  Accept accept;
  accept.nonce = m.nonce();
  accept.session = m.session();
  accept.player_id = m.player_id();
  accept.tick_rate_hz = m.tick_rate_hz();
  accept.substeps = m.substeps();
  accept.current_tick = m.current_tick();
  accept.scene_hash = m.scene_hash();
  accept.numbers_mode = static_cast<NumbersMode>(m.numbers_mode());
  accept.mode = static_cast<ReplicationMode>(m.mode());
  accept.role = static_cast<Role>(m.role());
  accept.cipher = m.cipher();
  accept.resumed = m.resumed();
  accept.epoch = m.epoch();
  accept.input_offset = m.input_offset();
  return Message(accept);
}

Read read_one(const wire::Refuse& m) {
  auto const text = text_of(m.text());
  if (text.size() > kReasonTextBytesMax || !is_printable(text)) return Error::kOutOfRange;
  if (!enum_in_range(m.reason(), RefuseReason::kTokenWrongMode)) return Error::kOutOfRange;
  return Message(Refuse{m.nonce(), static_cast<RefuseReason>(m.reason()), std::string(text)});
}

Read read_one(const wire::Disconnect& m) {
  auto const text = text_of(m.text());
  if (text.size() > kReasonTextBytesMax || !is_printable(text)) return Error::kOutOfRange;
  if (!enum_in_range(m.reason(), DisconnectReason::kReplaced)) return Error::kOutOfRange;
  return Message(Disconnect{static_cast<DisconnectReason>(m.reason()), std::string(text)});
}

Read read_one(const wire::KeepAlive&) { return Message(KeepAlive{}); }
Read read_one(const wire::Ping& m) { return Message(Ping{m.client_time_us()}); }
Read read_one(const wire::Pong& m) { return Message(Pong{m.client_time_us(), m.tick(), m.tick_fraction()}); }

Read read_one(const wire::Inputs& m) {
  Inputs inputs;
  if (m.inputs() == nullptr) return Error::kMissingField;
  if (m.inputs()->size() > kInputsPerMessage) return Error::kOutOfRange;
  inputs.inputs.reserve(m.inputs()->size());
  std::uint32_t previous = 0;
  for (const wire::Input* input : *m.inputs()) {
    // Sequences count from 1 and ascend. They cannot wrap: at the rate limit that takes 49 days; a session
    // ends before.
    if (input->sequence() <= previous) return Error::kOutOfRange;
    previous = input->sequence();
    Input plain{input->tick(), input->sequence(), {}};
    if (read_command(*input, plain.command) && check(plain.command).ok()) {
      inputs.inputs.push_back(std::move(plain));
    } else {
      inputs.invalid_sequences.push_back(previous);
    }
  }
  return Message(std::move(inputs));
}

Read read_one(const wire::InputAck& m) {
  InputAck ack{m.received_through(), m.tick(), m.margin_ticks(), {}};
  if (m.outcomes() != nullptr) {
    if (m.outcomes()->size() > kCommandOutcomesPerMessage) return Error::kOutOfRange;
    if (!is_aligned(*m.outcomes())) return Error::kVerifierFailed;
    ack.outcomes.reserve(m.outcomes()->size());
    for (const wire::InputOutcome* o : *m.outcomes()) {
      if (!enum_in_range(o->status(), CommandStatus::kRefusedEarly)) return Error::kOutOfRange;
      ack.outcomes.push_back(
          {o->sequence(), static_cast<CommandStatus>(o->status()), o->tick(), CommandRefusal::kNone, {}});
    }
  }
  if (m.refusals() != nullptr) {
    if (m.refusals()->size() != ack.outcomes.size()) return Error::kOutOfRange;
    for (flatbuffers::uoffset_t i = 0; i < m.refusals()->size(); ++i) {
      auto const refusal = static_cast<CommandRefusal>(m.refusals()->Get(i));
      if (enum_in_range(refusal, CommandRefusal::kOverloaded)) ack.outcomes[i].refusal = refusal;
    }
  }
  if (m.texts() != nullptr) {
    if (m.texts()->size() != ack.outcomes.size()) return Error::kOutOfRange;
    for (flatbuffers::uoffset_t i = 0; i < m.texts()->size(); ++i) {
      auto const text = text_of(m.texts()->Get(i));
      if (text.size() > kReasonTextBytesMax || !is_printable(text)) return Error::kOutOfRange;
      ack.outcomes[i].text = text;
    }
  }
  return Message(std::move(ack));
}

Read read_one(const wire::Snapshot& m) {
  if (m.serial() == 0 || m.part_count() < 1 || m.part_count() > kSnapshotPartsMax ||
      m.part() >= m.part_count())
    return Error::kOutOfRange;
  SnapshotPart part;
  part.serial = m.serial();
  part.tick = m.tick();
  part.part = m.part();
  part.part_count = m.part_count();
  part.baseline = m.baseline();
  part.deferred = m.deferred();
  part.epoch = m.epoch();
  part.mode_epoch = m.mode_epoch();
  if (m.bodies() != nullptr) {
    if (!is_aligned(*m.bodies())) return Error::kVerifierFailed;
    part.bodies.reserve(m.bodies()->size());
    for (const wire::BodyState* b : *m.bodies()) {
      BodyState const state{b->id(),
                            from_wire(b->position()),
                            from_wire(b->rotation()),
                            from_wire(b->linear_velocity()),
                            from_wire(b->angular_velocity()),
                            b->flags()};
      if (!is_finite(state.rotation) || !is_finite(state.linear_velocity) ||
          !is_finite(state.angular_velocity))
        return Error::kNotFinite;
      part.bodies.push_back(state);
    }
  }
  if (m.removed() != nullptr) {
    if (!is_aligned(*m.removed())) return Error::kVerifierFailed;
    part.removed.reserve(m.removed()->size());
    for (std::uint64_t const id : *m.removed()) part.removed.push_back(id);
  }
  auto const ropes = bytes_of(m.ropes());  // read by whom they concern: rope_codec.h
  part.ropes.assign(ropes.begin(), ropes.end());
  if (m.removed_ropes() != nullptr) {
    if (!is_aligned(*m.removed_ropes())) return Error::kVerifierFailed;
    part.removed_ropes.assign(m.removed_ropes()->begin(), m.removed_ropes()->end());
  }
  part.deferred_ropes = m.deferred_ropes();
  if (m.movers() != nullptr) {
    if (!is_aligned(*m.movers())) return Error::kVerifierFailed;
    part.movers.reserve(m.movers()->size());
    for (const wire::MoverInput* in : *m.movers()) {
      MoverInput const mover{in->body(), from_wire(in->velocity()), in->turn(), in->flags()};
      if (!is_finite(mover.velocity) || !is_finite(mover.turn)) return Error::kNotFinite;
      part.movers.push_back(mover);
    }
  }
  return Message(std::move(part));
}

Read read_one(const wire::JoinImage& m) {
  auto const bytes = bytes_of(m.bytes());
  if (bytes.size() > kJoinSliceBytes || m.offset() > m.total_bytes() ||
      bytes.size() > m.total_bytes() - m.offset())
    return Error::kOutOfRange;
  return Message(JoinSlice{m.tick(), m.total_bytes(), m.hash(), m.offset(), {bytes.begin(), bytes.end()}});
}

Read read_one(const wire::Geometry& m) {
  auto const bytes = bytes_of(m.bytes());
  if (m.digest() == 0 || !enum_in_range(m.kind(), GeometryKind::kHeightField) ||
      m.total_bytes() > kGeometryBytesMax)
    return Error::kOutOfRange;
  if (bytes.size() > kGeometrySliceBytes || m.offset() > m.total_bytes() ||
      bytes.size() > m.total_bytes() - m.offset())
    return Error::kOutOfRange;
  return Message(GeometrySlice{m.digest(),
                               static_cast<GeometryKind>(m.kind()),
                               m.total_bytes(),
                               m.offset(),
                               {bytes.begin(), bytes.end()}});
}

Read read_one(const wire::BodiesAdded& m) {
  if (m.bodies() == nullptr) return Error::kMissingField;
  if (m.bodies()->size() > kBodyInfosPerMessage) return Error::kOutOfRange;
  BodiesAdded added;
  added.tick = m.tick();
  added.bodies.reserve(m.bodies()->size());
  for (const wire::BodyInfo* body : *m.bodies()) {
    BodyInfo info{body->id(), body->user_kind(), body->player(), {}, body->sequence()};
    if (info.id == 0) return Error::kOutOfRange;
    if (body->shapes() != nullptr) {
      if (body->shapes()->size() > kShapesPerBodyMax) return Error::kOutOfRange;
      if (!is_aligned(*body->shapes())) return Error::kVerifierFailed;
      for (const wire::ShapeInfo* s : *body->shapes()) {
        ShapeInfo const shape = from_wire(*s);
        if (auto const checked = check(shape); !checked) return checked.error();
        info.shapes.push_back(shape);
      }
    }
    added.bodies.push_back(std::move(info));
  }
  return Message(std::move(added));
}

Read read_one(const wire::BodiesRemoved& m) {
  if (m.ids() == nullptr) return Error::kMissingField;
  if (m.ids()->size() > kRemovedPerMessage) return Error::kOutOfRange;
  if (!is_aligned(*m.ids())) return Error::kVerifierFailed;
  BodiesRemoved removed;
  removed.tick = m.tick();
  removed.ids.reserve(m.ids()->size());
  for (std::uint64_t const id : *m.ids()) removed.ids.push_back(id);
  return Message(std::move(removed));
}

Read read_one(const wire::GameEvent& m) {
  auto const bytes = bytes_of(m.bytes());
  if (bytes.size() > kCustomBytesMax) return Error::kOutOfRange;
  return Message(GameEvent{m.tick(), {bytes.begin(), bytes.end()}});
}

Read read_one(const wire::ServerStats& m) {
  return Message(ServerStats{m.tick(), m.state_hash(), m.body_count(), m.awake_count(), m.client_count(),
                             m.tick_time_us(), m.tick_time_p99_us(), m.contact_count(), m.dropped_ticks()});
}

Read read_one(const wire::Confirmed& m) {
  auto const bytes = bytes_of(m.bytes());
  if (bytes.empty()) return Error::kMissingField;
  bool const is_whole = m.total_bytes() == 0;
  bool const is_inside = m.offset() <= m.total_bytes() && bytes.size() <= m.total_bytes() - m.offset();
  if (bytes.size() > kConfirmedSliceBytes || m.total_bytes() > kConfirmedBytesMax ||
      (is_whole ? m.offset() != 0 : !is_inside))
    return Error::kOutOfRange;
  return Message(ConfirmedSlice{{bytes.begin(), bytes.end()}, m.offset(), m.total_bytes(), m.mode_epoch()});
}

Read read_one(const wire::SealedAccept& m) {
  auto const sealed = bytes_of(m.sealed());
  if (sealed.empty()) return Error::kMissingField;
  if (sealed.size() > kSealedAcceptBytesMax) return Error::kOutOfRange;
  return Message(SealedAccept{m.nonce(), {sealed.begin(), sealed.end()}});
}

template <class Table>
Read read_member(const wire::Packet& packet) {
  auto const* table = packet.message_as<Table>();
  if (table == nullptr) return Error::kMissingField;
  return read_one(*table);
}

Read read_union(const wire::Packet& packet) {
  switch (packet.message_type()) {
    case wire::Message::ConnectRequest: return read_member<wire::ConnectRequest>(packet);
    case wire::Message::Challenge: return read_member<wire::Challenge>(packet);
    case wire::Message::ChallengeResponse: return read_member<wire::ChallengeResponse>(packet);
    case wire::Message::Accept: return read_member<wire::Accept>(packet);
    case wire::Message::Refuse: return read_member<wire::Refuse>(packet);
    case wire::Message::Disconnect: return read_member<wire::Disconnect>(packet);
    case wire::Message::KeepAlive: return read_member<wire::KeepAlive>(packet);
    case wire::Message::Ping: return read_member<wire::Ping>(packet);
    case wire::Message::Pong: return read_member<wire::Pong>(packet);
    case wire::Message::Inputs: return read_member<wire::Inputs>(packet);
    case wire::Message::InputAck: return read_member<wire::InputAck>(packet);
    case wire::Message::Snapshot: return read_member<wire::Snapshot>(packet);
    case wire::Message::JoinImage: return read_member<wire::JoinImage>(packet);
    case wire::Message::BodiesAdded: return read_member<wire::BodiesAdded>(packet);
    case wire::Message::BodiesRemoved: return read_member<wire::BodiesRemoved>(packet);
    case wire::Message::GameEvent: return read_member<wire::GameEvent>(packet);
    case wire::Message::ServerStats: return read_member<wire::ServerStats>(packet);
    case wire::Message::Control: return read_member<wire::Control>(packet);
    case wire::Message::ControlResult: return read_member<wire::ControlResult>(packet);
    case wire::Message::RoomState: return read_member<wire::RoomState>(packet);
    case wire::Message::RoomEntered: return read_member<wire::RoomEntered>(packet);
    case wire::Message::Inspect: return read_member<wire::Inspect>(packet);
    case wire::Message::Contacts: return read_member<wire::Contacts>(packet);
    case wire::Message::JointFrames: return read_member<wire::JointFrames>(packet);
    case wire::Message::Geometry: return read_member<wire::Geometry>(packet);
    case wire::Message::QueryRequest: return read_member<wire::QueryRequest>(packet);
    case wire::Message::QueryResult: return read_member<wire::QueryResult>(packet);
    case wire::Message::JointsBroken: return read_member<wire::JointsBroken>(packet);
    case wire::Message::Confirmed: return read_member<wire::Confirmed>(packet);
    case wire::Message::DesyncProbe: return read_member<wire::DesyncProbe>(packet);
    case wire::Message::DesyncAnswer: return read_member<wire::DesyncAnswer>(packet);
    case wire::Message::SealedAccept: return read_member<wire::SealedAccept>(packet);
    case wire::Message::ModeSwitch: return read_member<wire::ModeSwitch>(packet);
    default: return Error::kBadType;
  }
}

// Copies the bytes to `aligned` and verifies them there.
Result<const wire::Packet*, Error> verified(std::span<const std::byte> bytes, MessageClass message_class,
                                            std::vector<std::uint64_t>& aligned) {
  bool const datagram = message_class == MessageClass::kDatagram;
  // Handshake messages may fill a datagram to the brim; a section's header makes the others smaller.
  if (bytes.size() > (datagram ? kDatagramBytesMax : kReliableBytesMax)) return Error::kTooLong;
  if (bytes.size() < 12)
    return Error::kTooShort;  // root offset, identifier and an empty table's vtable offset
  aligned.resize((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  auto const* data = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kVerifierDepthMax,
                                 datagram ? kVerifierTablesDatagram : kVerifierTablesReliable);
  if (!wire::VerifyPacketBuffer(verifier)) return Error::kVerifierFailed;
  return wire::GetPacket(data);
}

}  // namespace

ClientHandshakeMessages::ClientHandshakeMessages() {
  for (ConnectRequest* const one : {&request, &response.request}) {
    one->player_name.reserve(kPlayerNameBytesMax);
    one->token.reserve(kConnectTokenBytesMax);
  }
  response.proof.reserve(std::max(kProofBytes, kNamedProofBytes));
}

MessageReader::MessageReader() { aligned_.reserve((kDatagramBytesMax + 7) / 8); }

Result<Message, Error> MessageReader::read(std::span<const std::byte> bytes, MessageClass message_class) {
  auto const packet = verified(bytes, message_class, aligned_);
  if (!packet) return packet.error();
  return read_union(**packet);
}

Result<ClientHandshakeKind, Error> MessageReader::read_handshake(std::span<const std::byte> bytes,
                                                                 ClientHandshakeMessages& out) {
  auto const packet = verified(bytes, MessageClass::kDatagram, aligned_);
  if (!packet) return packet.error();
  if (auto const* const request = (*packet)->message_as<wire::ConnectRequest>(); request != nullptr) {
    if (auto const read = read_request(*request, out.request); !read) return read.error();
    return ClientHandshakeKind::kRequest;
  }
  if (auto const* const response = (*packet)->message_as<wire::ChallengeResponse>(); response != nullptr) {
    if (auto const read = read_response(*response, out.response); !read) return read.error();
    return ClientHandshakeKind::kResponse;
  }
  return ClientHandshakeKind::kOther;
}

}  // namespace takt::protocol
