// ClientHandshake is the client's half of the connect handshake: ConnectRequest, then, after the server's
// Challenge, ChallengeResponse. Over datagrams poll_datagram() writes the present one again every
// kHandshakeRetry. Over TCP request() is the first message and response() the second. Over a web socket there
// is no challenge. The keys of the session come from the Challenge; keys() has them once the SealedAccept has
// opened. handle() classifies a server's message as a HandshakeStep; only messages with the nonce (a random
// number) of this attempt count. A challenge whose answer gets no answer is given up for another attempt.
// ClientEndpoint owns the handshake, ends it at Accept or Refuse, and has its
// time-out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "crypto/key_exchange.h"
#include "protocol/messages/message.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/client_event.h"

namespace takt::protocol {

/// Over datagrams a client waits for this time for the answer to its response. It then begins anew.
inline constexpr std::uint64_t kAnswerPatience = 3 * kSecond;

/// The seed of the key pair of an attempt, counted from 0. `seed`: of ClientHandshake::begin().
[[nodiscard]] crypto::SecretKey seed_of_attempt(const crypto::SecretKey& seed, std::uint64_t attempt);

/// The effect of a message on the handshake.
enum class HandshakeStep : std::uint8_t {
  kChallenged,  ///< the first Challenge: the response is next
  kRepeated,    ///< a further Challenge; nothing changes
  kAccepted,    ///< an Accept; over datagrams its session is a connection id
  kRefused,     ///< a Refuse
  kKeyBad,      ///< a Challenge with another key than ClientOptions::server_key, or with a malformed one
  kForged,      ///< a SealedAccept that does not open
  kUnexpected,  ///< not an answer to this attempt
};

class ClientHandshake {
 public:
  /// `options` must outlive the handshake.
  explicit ClientHandshake(const ClientOptions& options) : options_(&options) {}

  /// The first datagram is due at `now_us`. Makes the key pairs of all attempts of `seed`, which only a web
  /// socket does not need (asserted).
  void begin(std::uint64_t now_us, std::shared_ptr<const crypto::SecretKey> seed);
  /// After kAnswerPatience without an answer to the response: goes back to the request, with another nonce
  /// and key pair, and returns true. The datagrams of the attempts before are no answers any more.
  [[nodiscard]] bool begin_anew_if_due(std::uint64_t now_us);
  /// True after begin_anew_if_due() has returned true.
  [[nodiscard]] bool has_begun_anew() const noexcept { return attempt_ > 0; }
  /// The request of this attempt.
  [[nodiscard]] ConnectRequest request() const;
  /// The answer to the Challenge; after kChallenged alone.
  [[nodiscard]] ChallengeResponse response() const;
  /// Replaces `out` by the next handshake datagram; false: none is due yet.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, MessageWriter& writer, std::vector<std::byte>& out);
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept { return next_us_; }
  /// Classifies a message of the server; kChallenged makes the response due at `now_us`.
  [[nodiscard]] HandshakeStep handle(std::uint64_t now_us, const Message& message);
  /// The Accept of kAccepted.
  [[nodiscard]] const Accept& accept() const noexcept { return accept_; }
  /// The keys of the session; after kChallenged alone.
  [[nodiscard]] const crypto::SessionKeys& keys() const noexcept { return *keys_; }
  /// True once a Challenge was of another key than ClientOptions::server_key.
  [[nodiscard]] bool has_met_other_key() const noexcept { return has_met_other_key_; }
  /// Wipes all keys.
  void forget() noexcept;

 private:
  HandshakeStep handle_challenge(std::uint64_t now_us, const Challenge& challenge);
  HandshakeStep handle_accept(const SealedAccept& sealed);

  const ClientOptions* options_;
  std::shared_ptr<const crypto::SecretKey> seed_;
  std::uint64_t attempt_ = 0;
  std::uint64_t nonce_ = 0;          // of the attempt
  std::uint64_t challenged_us_ = 0;  // when keys_ came
  std::optional<crypto::KeyPair> pair_;
  std::optional<crypto::SessionKeys> keys_;
  Cookie cookie_{};
  std::vector<std::byte> proof_;
  Accept accept_;
  MessageReader reader_;
  std::uint64_t next_us_ = 0;
  bool has_met_other_key_ = false;
};

}  // namespace takt::protocol
