// read_one makes a QueryRequest or QueryResult (query_message.h) from a FlatBuffers table that the verifier
// has passed. A request is checked for its counts only: QueryQueue (server/) answers bad values with
// kRefusedInvalid. An unknown kind or mode becomes kNone, and an unknown shape a half-space, which are
// refused there. A result is checked for counts, enums and finite numbers. The Error is kMissingField,
// kOutOfRange, kNotFinite, or kVerifierFailed for a misaligned vector. message_reader.cpp is the one user; it
// verifies the bytes and calls the overload for the message.
#pragma once

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "schemas/protocol_generated.h"
#include "takt/core/result.h"

namespace takt::protocol {

[[nodiscard]] Result<Message, Error> read_one(const wire::QueryRequest& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::QueryResult& m);

}  // namespace takt::protocol
