// Agreement of session keys by X25519, for sessions without a token and, mixed with the token's keys, for
// sessions with one. The client has a key pair for this session. The server has a lasting key pair, which a
// client may pin (takt://host:port#key), and a short-lived one, which it replaces every few minutes. Both
// ends compute BLAKE2b-512 over the two shared secrets, the three public keys and a context, keyed with the
// token's session keys if there is a token. Whoever records a session and later steals the lasting key or the
// token cannot read it, because the short-lived key is gone. Without a pin and without a token a man in the
// middle can put his own key in place of the server's. The pattern is NK of the Noise protocol framework
// (T. Perrin, revision 34, 2018), section 7, with other encodings; this is no implementation of Noise.
// Seeds and keys come in as arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "takt/core/result.h"
#include "takt/crypto/error.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

struct PublicKey {
  std::array<std::byte, 32> bytes{};
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

/// Base64url of 43 characters, the fragment of takt://host:port#key.
[[nodiscard]] std::string public_key_text(const PublicKey& key);
/// None for any other text.
[[nodiscard]] std::optional<PublicKey> read_public_key(std::string_view text);

/// The seed `number` of those that come from one seed. None tells another or the seed.
[[nodiscard]] SecretKey derive_seed(const SecretKey& seed, std::uint64_t number);

/// A secret key of X25519 with its public key.
class KeyPair {
 public:
  /// `seed`: random bytes of the operating system. One seed gives one pair.
  explicit KeyPair(const SecretKey& seed);
  [[nodiscard]] const PublicKey& public_key() const noexcept { return public_; }
  [[nodiscard]] const SecretKey& secret_key() const noexcept { return secret_; }

 private:
  SecretKey secret_;
  PublicKey public_;
};

/// The public keys of a server: the lasting one, and the short-lived one of this minute.
struct ServerPublicKeys {
  PublicKey lasting;
  PublicKey short_lived;
};

/// `context`: bytes that both ends must agree on, such as the protocol version and the cookie. `token`: the
/// session keys of the client's token, null without one. Error kMalformed: a public key of low order, which
/// no honest end sends.
[[nodiscard]] Result<SessionKeys, Error> agree_as_client(const KeyPair& client,
                                                         const ServerPublicKeys& server,
                                                         std::span<const std::byte> context,
                                                         const SessionKeyBytes* token);
[[nodiscard]] Result<SessionKeys, Error> agree_as_server(const KeyPair& lasting, const KeyPair& short_lived,
                                                         const PublicKey& client,
                                                         std::span<const std::byte> context,
                                                         const SessionKeyBytes* token);

}  // namespace takt::crypto
