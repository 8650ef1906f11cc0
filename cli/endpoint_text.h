// parse_endpoint() splits HOST:PORT, as a person types it on the command line, into an EndpointText: host and
// port number. An IPv6 address stands in brackets. `takt bot` parses the server's address with
// parse_endpoint(), `takt relay` both of its addresses. parse_endpoint() resolves no names:
// net/client_transport.h resolves them for bots, and the relay takes IP addresses. exit_code_of() is the exit
// code of a bot that cannot begin to connect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "takt/client/error.h"

namespace takt::cli {

struct EndpointText {
  std::string host;  ///< without brackets
  std::uint16_t port = 0;
};

/// Splits "host:port" or "[host]:port"; none for a text of neither form or a port above 65535. Port 0 is
/// allowed. The host is not empty, has no colon outside of brackets, and is not checked further.
[[nodiscard]] std::optional<EndpointText> parse_endpoint(const std::string& text);

/// Exit code of a client that could not begin to connect: kExitBadInput for an address, host or token that is
/// wrong, else kExitFailed.
[[nodiscard]] int exit_code_of(client::ClientError error) noexcept;

}  // namespace takt::cli
