#include "client_sdk/cpp/url.h"

#include <charconv>

namespace takt::client {

Result<Url, Failure> parse_url(std::string_view text) {
  auto const bad = [&](std::string_view why) {
    return Failure{ClientError::kBadUrl,
                   "'" + std::string(text) + "': " + std::string(why) +
                       "; write udp://HOST:PORT or tcp://HOST:PORT, with #KEY to name the "
                       "server's key"};
  };
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("udp://")) {
    url.transport = protocol::TransportKind::kDatagram;
  } else if (rest.starts_with("tcp://")) {
    url.transport = protocol::TransportKind::kStream;
  } else if (!rest.starts_with("takt://")) {
    return bad("it names no transport");
  }
  rest.remove_prefix(rest.find("//") + 2);
  if (std::size_t const hash = rest.find('#'); hash != std::string_view::npos) {
    url.server_key = crypto::read_public_key(rest.substr(hash + 1));
    if (!url.server_key) return bad("a key has 43 characters, as the server prints it");
    rest = rest.substr(0, hash);
  }
  std::size_t const colon = rest.rfind(':');
  if (colon == std::string_view::npos) return bad("it names no port");
  std::string_view host = rest.substr(0, colon);
  std::string_view const port = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad("an IPv6 address goes in brackets");
  }
  if (host.empty()) return bad("it names no host");
  auto const [end, code] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (code != std::errc() || end != port.data() + port.size() || url.port == 0)
    return bad("a port is a number from 1 to 65535");
  url.host = std::string(host);
  return url;
}

}  // namespace takt::client
