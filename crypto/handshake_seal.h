// seal_proof(), seal_accept() and their counterparts protect the last two messages of a handshake, before
// DatagramSealer or StreamSealer begin. The proof shows that a client has the session keys, and so the keys
// of its token, and it carries a text of the client that nobody else reads. The accept tells the client its
// session. Each uses a key of its own, derived from the key of its direction, so no nonce is used twice: a
// direction proves once and repeats that proof, and repeats the same accept.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "takt/crypto/secret.h"

namespace takt::crypto {

/// Appends the encrypted `text`, which may be empty, and its tag (16 bytes) to `out`. `key`: of the direction
/// from client to server; a key seals one text. `context`: bytes of both ends, which the tag covers, too.
void seal_proof(const SecretKey& key, std::span<const std::byte> context, std::span<const std::byte> text,
                std::vector<std::byte>& out);
/// Replaces `text` by that of the proof; false, with an empty `text`: it is not of this key and context.
/// `proof` must not be in `text`. The tags are compared in constant time.
[[nodiscard]] bool open_proof(const SecretKey& key, std::span<const std::byte> context,
                              std::span<const std::byte> proof, std::vector<std::byte>& text);

using TokenVerifier = std::array<std::byte, 16>;

/// A hash of the session keys of a token. Over a web socket, where nothing is agreed on or sealed, it shows
/// that the client has the whole token and not the sealed part alone, which UDP and TCP carry in clear.
[[nodiscard]] TokenVerifier token_verifier(const SessionKeyBytes& keys);
[[nodiscard]] TokenVerifier token_verifier(const SessionKeys& keys);

/// Appends the encrypted `accept` and its tag (16 bytes) to `out`. `key`: of the direction from server to
/// client. A key seals one text.
void seal_accept(const SecretKey& key, std::span<const std::byte> accept, std::vector<std::byte>& out);
/// Replaces `out` by the accept; false, with an empty `out`: it is forged, or of another session. `sealed`
/// must not be in `out`.
[[nodiscard]] bool open_accept(const SecretKey& key, std::span<const std::byte> sealed,
                               std::vector<std::byte>& out);

}  // namespace takt::crypto
