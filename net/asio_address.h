// to_protocol and to_udp convert between Asio's addresses and protocol::Address. to_failure converts an Asio
// error code to a net::Failure. The header includes Asio; sources of net/ and a unit test include it.
#pragma once

#include <asio/error_code.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <string>

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

}  // namespace takt::net
