// ServerKeys has the key pairs with which a server agrees on session keys (key_exchange.h): the lasting pair,
// which clients may pin, and the short-lived pair, which is replaced every kShortLivedUs. A chain of seeds
// gives the short-lived pairs. A seed is overwritten when its pair is made, so whoever steals the server's
// memory computes no earlier pair. The pair before the present one is kept while cookies of its time are
// good, and then wiped. Only handle_time() replaces and wipes, so its caller's period adds to a pair's life.
// Seeds and times come in as arguments.
#pragma once

#include <cstdint>
#include <optional>

#include "crypto/key_exchange.h"

namespace takt::crypto {

/// A short-lived pair is the present one for this long. Whoever takes the server's memory while a pair is
/// there can read the recorded sessions that joined with it. A pair is there for this time, the `previous_us`
/// of handle_time(), and up to one period of its calls at each of the two ends.
inline constexpr std::uint64_t kShortLivedUs = 60'000'000;

class ServerKeys {
 public:
  /// `lasting_seed` gives the lasting pair, always the same one. `chain_seed` is random and used nowhere
  /// else.
  ServerKeys(const SecretKey& lasting_seed, const SecretKey& chain_seed);

  /// Replaces the short-lived pair when its time is over. `previous_us`: how long the one before is kept.
  /// Call it before agree(), too: the time of the first pair begins at 0.
  void handle_time(std::uint64_t now_us, std::uint64_t previous_us);
  [[nodiscard]] ServerPublicKeys public_keys() const;
  /// The public keys that were present at `issued_us`; none: the short-lived pair is gone.
  [[nodiscard]] std::optional<ServerPublicKeys> public_keys_of(std::uint64_t issued_us) const;
  /// Agrees on session keys by the short-lived pair that was present at `issued_us`. Error kMalformed: the
  /// pair is gone or past its end at `now_us`, or as agree_as_server(). The end does not wait for
  /// handle_time(): it is `previous_us` after the pair was replaced, or should have been.
  [[nodiscard]] Result<SessionKeys, Error> agree(std::uint64_t now_us, std::uint64_t issued_us,
                                                 const PublicKey& client, std::span<const std::byte> context,
                                                 const SessionKeyBytes* token) const;

 private:
  [[nodiscard]] static KeyPair next_pair(SecretKey& chain);

  KeyPair lasting_;
  SecretKey chain_;
  KeyPair present_;
  std::optional<KeyPair> previous_;
  std::uint64_t began_us_ = 0;           // of the present pair
  std::uint64_t previous_began_us_ = 0;  // of the one before
  std::uint64_t previous_us_ = 0;        // how long the one before is kept
};

}  // namespace takt::crypto
