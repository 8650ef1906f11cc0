#include "crypto/server_keys.h"

#include <array>
#include <utility>

#include "crypto/sealed_datagram.h"
#include "crypto/sodium.h"

namespace takt::crypto {

ServerKeys::ServerKeys(const SecretKey& lasting_seed, const SecretKey& chain_seed)
    : lasting_(lasting_seed), chain_(chain_seed.clone()), present_(next_pair(chain_)) {}

KeyPair ServerKeys::next_pair(SecretKey& chain) {
  start_sodium();
  SecretKey seed(std::array<std::byte, SecretKey::kBytes>{});
  advance_key_chain(chain.reveal_for_writing(), seed.reveal_for_writing());
  return KeyPair(seed);
}

void ServerKeys::handle_time(std::uint64_t now_us, std::uint64_t previous_us) {
  previous_us_ = previous_us;
  if (now_us - began_us_ >= kShortLivedUs) {
    previous_.emplace(std::exchange(present_, next_pair(chain_)));
    previous_began_us_ = std::exchange(began_us_, now_us);
  } else if (previous_ && now_us - began_us_ > previous_us) {
    previous_.reset();
  }
}

ServerPublicKeys ServerKeys::public_keys() const { return {lasting_.public_key(), present_.public_key()}; }

std::optional<ServerPublicKeys> ServerKeys::public_keys_of(std::uint64_t issued_us) const {
  if (issued_us >= began_us_) return public_keys();
  if (!previous_ || issued_us < previous_began_us_) return std::nullopt;
  return ServerPublicKeys{lasting_.public_key(), previous_->public_key()};
}

Result<SessionKeys, Error> ServerKeys::agree(std::uint64_t now_us, std::uint64_t issued_us,
                                             const PublicKey& client, std::span<const std::byte> context,
                                             const SessionKeyBytes* token) const {
  std::uint64_t const age_us = now_us - began_us_;
  if (issued_us >= began_us_) {
    if (age_us > kShortLivedUs + previous_us_) return Error::kMalformed;
    return agree_as_server(lasting_, present_, client, context, token);
  }
  if (!previous_ || issued_us < previous_began_us_ || age_us > previous_us_) return Error::kMalformed;
  return agree_as_server(lasting_, *previous_, client, context, token);
}

}  // namespace takt::crypto
