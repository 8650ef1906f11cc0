// MessageReader makes a Message from untrusted bytes, once for each message that arrives at a server or
// client. It checks the size, runs the FlatBuffers verifier with low limits, checks presence, ranges and
// finite numbers, and copies the values. MessageClass selects the limits: those of a datagram or of the
// reliable channel. Bad bytes give an Error, never a failed assert. Bytes inside a message (ropes, slices of
// geometry and join images, a game's bytes) are copied unread; their receivers check them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Selects the limits: a message of the unreliable channel or a handshake datagram (kDatagramBytesMax,
/// kVerifierTablesDatagram), or of the reliable channel (kReliableBytesMax, kVerifierTablesReliable).
enum class MessageClass : std::uint8_t { kDatagram, kReliable };

/// Both messages of a client's handshake, with memory for the largest ones, which read_handshake() uses
/// again.
struct ClientHandshakeMessages {
  ClientHandshakeMessages();
  ConnectRequest request;
  ChallengeResponse response;
};
/// kOther: a message of another type, whose fields are not read.
enum class ClientHandshakeKind : std::uint8_t { kRequest, kResponse, kOther };

class MessageReader {
 public:
  MessageReader();
  /// The message of untrusted bytes. Errors: kTooShort, kTooLong, kVerifierFailed, kBadType, kMissingField,
  /// kOutOfRange, kNotFinite. An input whose command fails check() is no error: Inputs::invalid_sequences
  /// lists it, so that one bad command cannot block the inputs after it.
  [[nodiscard]] Result<Message, Error> read(std::span<const std::byte> bytes, MessageClass message_class);
  /// The handshake message of a client, of untrusted bytes that are a datagram's, into `out`. It allocates
  /// nothing, so that strangers cost no memory. Errors as of read().
  [[nodiscard]] Result<ClientHandshakeKind, Error> read_handshake(std::span<const std::byte> bytes,
                                                                  ClientHandshakeMessages& out);

 private:
  std::vector<std::uint64_t> aligned_;  // FlatBuffers reads scalars in place: they must be aligned
};

}  // namespace takt::protocol
