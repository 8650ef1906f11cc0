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

[[nodiscard]] protocol::Address to_protocol(const asio::ip::address& ip, std::uint16_t port);
/// As IPv6 (IPv4 mapped) for a dual-stack socket, or as plain IPv4 when `as_ipv4`.
[[nodiscard]] asio::ip::udp::endpoint to_udp(const protocol::Address& address, bool as_ipv4);

/// `about` names the thing: "port 7777", "host example.org".
[[nodiscard]] Failure to_failure(const asio::error_code& code, std::string about);

}  // namespace takt::net
