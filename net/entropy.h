// draw_secret_key, draw_nonce and draw_bytes return random bits of std::random_device, for values that
// strangers must not guess: a server's secret key, a client's nonce, keys and nonces of connect tokens.
// Simulations use none of them, because their random numbers come from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/session/server_endpoint.h"

namespace takt::net {

/// Throws std::exception if the system has no random device; so do the others.
[[nodiscard]] protocol::SecretKey draw_secret_key();
/// 64 random bits, never 0.
[[nodiscard]] std::uint64_t draw_nonce();
/// Fills `bytes`.
void draw_bytes(std::span<std::byte> bytes);

}  // namespace takt::net
