#include "net/server_url.h"

#include <charconv>
#include <string>
#include <system_error>

namespace takt::net {

namespace {

// `is_short`: scheme and port may be left out. `forms`: the texts that the caller takes, for an error.
Result<ServerUrl, Failure> parse(std::string_view text, bool is_short, std::string_view forms) {
  auto const bad = [&](std::string_view why) {
    return Failure{Error::kBadAddress, "'" + std::string(text) + "': " + std::string(why) + "; write " +
                                           std::string(forms) + ", with #KEY to name the server's key"};
  };
  ServerUrl url;
  std::string_view rest = text;
  std::size_t const scheme_bytes = rest.find("://");
  bool const has_scheme = scheme_bytes != std::string_view::npos;
  std::string_view const scheme = has_scheme ? rest.substr(0, scheme_bytes) : "takt";
  if (scheme == "tcp") {
    url.transport = protocol::TransportKind::kStream;
  } else if ((scheme != "udp" && scheme != "takt") || (!has_scheme && !is_short)) {
    return bad("it names no transport");
  }
  if (has_scheme) rest.remove_prefix(scheme_bytes + 3);
  if (std::size_t const hash = rest.find('#'); hash != std::string_view::npos) {
    url.server_key = crypto::read_public_key(rest.substr(hash + 1));
    if (!url.server_key) return bad("a key has 43 characters, as the server prints it");
    rest = rest.substr(0, hash);
  }
  std::size_t const colon = rest.rfind(':');
  bool const has_port = colon != std::string_view::npos && !rest.ends_with(']');
  if (!has_port && !is_short) return bad("it names no port");
  std::string_view host = has_port ? rest.substr(0, colon) : rest;
  std::string_view const port = has_port ? rest.substr(colon + 1) : std::string_view();
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad("an IPv6 address goes in brackets");
  }
  if (host.empty()) return bad("it names no host");
  url.host = std::string(host);
  url.port = kDefaultPort;
  if (!has_port) return url;
  auto const [end, code] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (code != std::errc() || end != port.data() + port.size() || url.port == 0)
    return bad("a port is a number from 1 to 65535");
  return url;
}

}  // namespace

Result<ServerUrl, Failure> parse_url(std::string_view text) {
  return parse(text, false, "udp://HOST:PORT or tcp://HOST:PORT");
}

Result<ServerUrl, Failure> parse_server_address(std::string_view text) {
  return parse(text, true, "HOST, HOST:PORT or takt://HOST:PORT");
}

}  // namespace takt::net
