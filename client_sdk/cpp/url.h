// parse_url() splits an address that a person types into a Url: transport, host, port and key. The forms are
// udp://HOST:PORT, tcp://HOST:PORT and takt://HOST:PORT, which is UDP, with an IPv6 host in brackets. An
// address may end with # and the lasting key of the server, as a server prints it. parse_url() neither checks
// nor resolves the host; net/client_transport.h resolves it. Client::connect (client.cpp) calls parse_url().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/key_exchange.h"
#include "protocol/session/server_endpoint.h"
#include "takt/client/error.h"
#include "takt/core/result.h"

namespace takt::client {

struct Url {
  protocol::TransportKind transport = protocol::TransportKind::kDatagram;
  std::string host;        ///< without brackets, not empty
  std::uint16_t port = 0;  ///< [1, 65535]
  /// The key that the server must have; none = any.
  std::optional<crypto::PublicKey> server_key;
};

/// Errors: kBadUrl, with a text about the fault and the allowed forms.
[[nodiscard]] Result<Url, Failure> parse_url(std::string_view text);

}  // namespace takt::client
