// draw_secret_key and draw_nonce return random bits of std::random_device, for values that strangers must not
// guess: a server's secret key and a client's nonce. Simulations use neither, because their random numbers
// come from a seed.
#pragma once

#include <cstdint>

#include "protocol/session/server_endpoint.h"

namespace takt::net {

/// Throws std::exception if the system has no random device; so does draw_nonce().
[[nodiscard]] protocol::SecretKey draw_secret_key();
/// 64 random bits, never 0.
[[nodiscard]] std::uint64_t draw_nonce();

}  // namespace takt::net
