// ClientHandshake is the client's half of the connect handshake. Over datagrams, poll_datagram() writes the
// ConnectRequest, and after the server's Challenge the ChallengeResponse, again every kHandshakeRetry. Over a
// stream, request() is the first message, and there is no challenge. handle() classifies a server's message
// as a HandshakeStep; only messages with the nonce (a random number) of this attempt count. ClientEndpoint
// owns the handshake, ends it at Accept or Refuse, and has its time-out.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/client_event.h"

namespace takt::protocol {

/// The effect of a message on the handshake.
enum class HandshakeStep : std::uint8_t {
  kChallenged,  ///< the first Challenge: the next datagram is the ChallengeResponse
  kRepeated,    ///< a further Challenge; nothing changes
  kAccepted,    ///< an Accept; over datagrams its session is not 0
  kRefused,     ///< a Refuse
  kUnexpected,  ///< not an answer to this attempt
};

class ClientHandshake {
 public:
  /// `options` must outlive the handshake.
  explicit ClientHandshake(const ClientOptions& options) : options_(&options) {}

  /// The first datagram is due at `now_us`.
  void begin(std::uint64_t now_us) noexcept { next_us_ = now_us; }
  /// The request of this attempt; over a stream it is the first message.
  [[nodiscard]] ConnectRequest request() const;
  /// Replaces `out` by the next handshake datagram; false: none is due yet.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, MessageWriter& writer, std::vector<std::byte>& out);
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept { return next_us_; }
  /// Classifies a message of the server; kChallenged makes the response due at `now_us`.
  [[nodiscard]] HandshakeStep handle(std::uint64_t now_us, const Message& message);

 private:
  const ClientOptions* options_;
  Cookie cookie_{};
  std::uint64_t next_us_ = 0;
  bool is_challenged_ = false;
};

}  // namespace takt::protocol
