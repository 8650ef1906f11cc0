// read_one decodes a QueryRequest or QueryResult (query_message.h) from a table that the verifier has passed:
// it checks limits and copies into plain structs. Private to message_reader.cpp, which verifies and
// dispatches.
#pragma once

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "schemas/protocol_generated.h"
#include "takt/core/result.h"

namespace takt::protocol {

[[nodiscard]] Result<Message, Error> read_one(const wire::QueryRequest& m);
[[nodiscard]] Result<Message, Error> read_one(const wire::QueryResult& m);

}  // namespace takt::protocol
