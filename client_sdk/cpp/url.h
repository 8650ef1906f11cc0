// parse_url splits an address that a person types, udp://HOST:PORT or tcp://HOST:PORT with IPv6 in brackets,
// into transport, host and port. It resolves no names: net/client_transport.h does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/session/server_endpoint.h"
#include "takt/client/error.h"
#include "takt/core/result.h"

namespace takt::client {

struct Url {
  protocol::TransportKind transport = protocol::TransportKind::kDatagram;
  std::string host;        ///< without brackets
  std::uint16_t port = 0;  ///< 1 .. 65535
};

/// kBadUrl with what is wrong and what is allowed.
[[nodiscard]] Result<Url, Failure> parse_url(std::string_view text);

}  // namespace takt::client
