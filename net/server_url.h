// parse_url() splits an address of a server that a person types into a ServerUrl: transport, host, port and
// key. The forms are udp://HOST:PORT, tcp://HOST:PORT and takt://HOST:PORT, which is UDP, with an IPv6 host
// in brackets. An address may end with # and the lasting key of the server, as a server prints it.
// parse_server_address() also takes HOST and HOST:PORT, for `takt ping`. Both neither check nor resolve the
// host; ClientTransport and LatencyProber resolve it. The C++ clients call parse_url().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/key_exchange.h"
#include "net/error.h"
#include "protocol/session/server_event.h"
#include "takt/core/result.h"

namespace takt::net {

struct ServerUrl {
  protocol::TransportKind transport = protocol::TransportKind::kDatagram;
  std::string host;        ///< without brackets, not empty
  std::uint16_t port = 0;  ///< [1, 65535]
  /// The key that the server must have; none = any.
  std::optional<crypto::PublicKey> server_key;
};

/// Errors: kBadAddress, with a text about the fault and the allowed forms.
[[nodiscard]] Result<ServerUrl, Failure> parse_url(std::string_view text);

/// The port of `takt serve` without --port.
inline constexpr std::uint16_t kDefaultPort = 7777;
/// As parse_url(), but a text without a scheme is of takt://, and one without a port has kDefaultPort.
[[nodiscard]] Result<ServerUrl, Failure> parse_server_address(std::string_view text);

}  // namespace takt::net
