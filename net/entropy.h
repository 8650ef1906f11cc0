// draw_secret_key and draw_nonce return random bits of the operating system, for values that strangers must
// not guess: the server's secret key and a client's nonce. A simulation uses none of them.
#pragma once

#include <cstdint>

#include "protocol/session/server_endpoint.h"

namespace takt::net {

[[nodiscard]] protocol::SecretKey draw_secret_key();
/// Never 0.
[[nodiscard]] std::uint64_t draw_nonce();

}  // namespace takt::net
