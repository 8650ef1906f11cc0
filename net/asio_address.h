// to_protocol and to_udp convert between Asio's addresses and protocol::Address. to_failure converts an Asio
// error code to a net::Failure. resolve_ipv4_first() resolves a host. The header includes Asio; sources of
// net/ and a unit test include it.
#pragma once

#include <algorithm>
#include <asio/error_code.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <string>
#include <vector>

#include "net/error.h"
#include "protocol/wire/address.h"

namespace takt::net {

/// IPv4 becomes ::ffff:a.b.c.d; the scope id of an IPv6 address is lost.
[[nodiscard]] protocol::Address to_protocol(const asio::ip::address& ip, std::uint16_t port);
/// An IPv6 endpoint (IPv4 mapped) for a socket that serves both. With `as_ipv4` an IPv4 address becomes a
/// plain IPv4 endpoint.
[[nodiscard]] asio::ip::udp::endpoint to_udp(const protocol::Address& address, bool as_ipv4);

/// The Failure of an error code. `about` names what failed, such as "port 7777" or "host example.org", and
/// begins the detail.
[[nodiscard]] Failure to_failure(const asio::error_code& code, std::string about);

/// The host's addresses, IPv4 first: a name such as localhost often has both, and a server without IPv6
/// answers only on IPv4. Protocol: asio::ip::tcp or asio::ip::udp. The system's resolver may block.
/// The Failure of a host without an address. `code` is that of resolve_ipv4_first(). Errors: kBadAddress when
/// no such host exists; kConnectFailed when no resolver answered, which proves nothing about the name.
[[nodiscard]] Failure resolve_failure(const asio::error_code& code, const std::string& host);

template <class Protocol>
std::vector<asio::ip::address> resolve_ipv4_first(asio::io_context& io, const std::string& host,
                                                  asio::error_code& code) {
  std::vector<asio::ip::address> addresses;
  typename Protocol::resolver resolver(io);
  for (auto const& entry : resolver.resolve(host, "", code)) {
    auto const address = entry.endpoint().address();
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
  }
  std::stable_partition(addresses.begin(), addresses.end(),
                        [](const asio::ip::address& a) { return a.is_v4(); });
  return addresses;
}

}  // namespace takt::net
