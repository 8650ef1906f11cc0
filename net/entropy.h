// draw_secret_key, draw_seed, draw_nonce and draw_bytes return random bits of the operating system's
// generator, for values that strangers must not guess: a server's secret key and seeds, a client's nonce,
// keys and nonces of tokens. Simulations use none of them: their random numbers come from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/session/server_endpoint.h"
#include "takt/crypto/secret.h"

namespace takt::net {

/// Throws std::exception if the system has no random device; so do the others.
[[nodiscard]] protocol::SecretKey draw_secret_key();
/// 32 random bytes, for a key pair.
[[nodiscard]] crypto::SecretKey draw_seed();
/// 64 random bits, never 0.
[[nodiscard]] std::uint64_t draw_nonce();
/// Fills `bytes`.
void draw_bytes(std::span<std::byte> bytes);

}  // namespace takt::net
