// MessageReader makes messages from untrusted bytes, once per arrived message. It checks the size, runs the
// FlatBuffers verifier with low limits, checks presence, ranges and finite numbers, and copies the values
// into plain structs. Bad bytes give an Error, never a failed assert. The object API of FlatBuffers is not
// used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Selects the limits: a message of the unreliable kind or handshake (kUnreliableBytesMax,
/// kVerifierTablesDatagram), or of the reliable channel.
enum class MessageClass : std::uint8_t { kDatagram, kReliable };

class MessageReader {
 public:
  /// The message, or why it is refused. Inputs with a command that fails check() do not fail the message:
  /// they are listed in Inputs::invalid_sequences, so that one bad command cannot block the ones behind it.
  [[nodiscard]] Result<Message, Error> read(std::span<const std::byte> bytes, MessageClass message_class);

 private:
  std::vector<std::uint64_t> aligned_;  // FlatBuffers reads scalars in place: they must be aligned
};

}  // namespace takt::protocol
