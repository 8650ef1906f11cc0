// The golden messages of schemas/golden: bytes that both implementations of the protocol, C++ and JavaScript,
// must read alike.
//
//   <name>.bin        one message as our writer makes it
//   messages.json     a line each: its name and what it says (message_json.h)
//   geometries.json   a line each: golden_geometries.h
//   mutations.json    a line each: its name and, for every byte and each of three changes of it, what a
//   reader makes of the result, one letter:
//                     o read; w read, but with a tick from 2^53 on; v verifier_failed, b bad_type, m
//                     missing_field, r out_of_range, f not_finite
//
// write_golden_messages makes them; golden_messages_test.cpp and client_sdk/js/test/unit/golden_test.mjs hold
// the two ends to them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol::test {

struct GoldenMessage {
  std::string name;
  Message message;
};
/// One of every kind, and some with extreme or absent values.
[[nodiscard]] std::vector<GoldenMessage> golden_messages();

[[nodiscard]] std::vector<std::byte> to_bytes(const Message& message);
/// The letters of mutations.json for these bytes.
[[nodiscard]] std::string mutations_of(const std::vector<std::byte>& bytes);

/// Every file that schemas/golden must hold, by name, with its content.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> golden_files();

}  // namespace takt::protocol::test
