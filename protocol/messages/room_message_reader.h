// read_one makes one message about a room (room_message.h) or a desync from a FlatBuffers table that the
// verifier has passed. read_one checks ranges, lengths and finite numbers, and copies the values. The Error
// is kMissingField, kOutOfRange, kNotFinite, or kVerifierFailed for a misaligned vector. A Control is refused
// only for values that no honest client sends; the room answers other bad values. message_reader.cpp is the
// one user; it verifies the bytes and calls the overload for the message.
#pragma once

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "schemas/protocol_generated.h"
#include "takt/core/result.h"

namespace takt::protocol {

[[nodiscard]] Result<Message, Error> read_one(const wire::Control& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::ControlResult& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::RoomState& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::RoomEntered& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::Inspect& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::Contacts& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::JointFrames& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::JointsBroken& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::DesyncProbe& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::DesyncAnswer& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::ModeSwitch& m);

}  // namespace takt::protocol
