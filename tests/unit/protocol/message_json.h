// A message as one line of JSON, as the JavaScript SDK names its fields (client_sdk/js/src/message.ts): what
// both ends must agree on about the same bytes. Ids, hashes and Q31.32 numbers are decimal strings, because a
// JavaScript number cannot hold them; floats are written exactly. It reads no JSON.
#pragma once

#include <string>

#include "protocol/messages/message.h"

namespace takt::protocol::test {

[[nodiscard]] std::string to_json(const Message& message);
/// Returns true if the message names a tick from 2^53 on, which a JavaScript client refuses: it has no number
/// for it.
[[nodiscard]] bool has_wide_tick(const Message& message);

}  // namespace takt::protocol::test
