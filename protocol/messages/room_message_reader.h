// read_one decodes one message about a room (room_message.h) from a table that the verifier has passed: it
// checks ranges and copies into plain structs. Private to message_reader.cpp, which verifies and dispatches.
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

}  // namespace takt::protocol
