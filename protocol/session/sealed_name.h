// A ChallengeResponse proves that its client has the keys of the session, and the proof carries the name of a
// player without a token, so that nobody on the path of UDP and TCP reads it. prove_with_name() makes such a
// proof and open_name() opens it; prove() and is_proved() are for a client with a token, whose name is in
// that. The text of a name is one byte of length, the name, and zeros up to kPlayerNameBytesMax: every proof
// has kNamedProofBytes, whatever the name. The text has one form, so a name with other zeros is none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/crypto/error.h"
#include "takt/crypto/secret.h"

namespace takt::protocol {

/// `key`: of the direction from client to server. `context`: of handshake_context().
[[nodiscard]] std::vector<std::byte> prove(const crypto::SecretKey& key, std::span<const std::byte> context);
[[nodiscard]] bool is_proved(const crypto::SecretKey& key, std::span<const std::byte> context,
                             std::span<const std::byte> proof);

/// `name`: at most kPlayerNameBytesMax bytes (asserted).
[[nodiscard]] std::vector<std::byte> prove_with_name(const crypto::SecretKey& key,
                                                     std::span<const std::byte> context,
                                                     std::string_view name);
/// The name in the proof, which is verified first. Errors: kForged, the proof has another size or is not of
/// this key and context; kOutOfRange, its text is no name, or is not printable.
[[nodiscard]] Result<std::string, crypto::Error> open_name(const crypto::SecretKey& key,
                                                           std::span<const std::byte> context,
                                                           std::span<const std::byte> proof);

}  // namespace takt::protocol
