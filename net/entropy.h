// Random bits of the operating system, for what strangers must not guess: the server's secret key and a
// client's nonce. Nothing that a simulation uses comes from here.
#pragma once

#include <cstdint>

#include "protocol/session/server_endpoint.h"

namespace takt::net {

[[nodiscard]] protocol::SecretKey draw_secret_key();
/// Never 0.
[[nodiscard]] std::uint64_t draw_nonce();

}  // namespace takt::net
