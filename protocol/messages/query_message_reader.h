// read_one makes a QueryRequest or QueryResult (query_message.h) from a FlatBuffers table that the verifier
// has passed. Of a request it checks counts only: QueryQueue (server/) answers bad values with
// kRefusedInvalid. Of a result it checks counts, enums and finite numbers. message_reader.cpp is the one
// user; it verifies the bytes and calls the overload for the message.
#pragma once

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "schemas/protocol_generated.h"
#include "takt/core/result.h"

namespace takt::protocol {

[[nodiscard]] Result<Message, Error> read_one(const wire::QueryRequest& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::QueryResult& m);

}  // namespace takt::protocol
