// read_proxy_header() reads the binary header of the PROXY protocol, version 2, that a proxy puts before the
// bytes of a TCP connection. The header names the client's address. Source: W. Tarreau, The PROXY protocol
// (2020), section 2.2. ServerTransport reads the header of connections from trusted proxies alone. The text
// form, version 1, is not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/wire/address.h"

namespace takt::net {

/// The result of read_proxy_header().
struct ProxyHeader {
  enum class State : std::uint8_t {
    kIncomplete,  ///< all bytes so far may begin a header; call again with more
    kAbsent,      ///< there is no header: the bytes are those of the connection itself
    kRead,        ///< a whole header
    kBad,         ///< the signature of a header, and then no header of TCP or UDP over IPv4 or IPv6
  };
  State state = State::kIncomplete;
  std::size_t bytes = 0;                    ///< kRead: size of the header; those of the connection follow
  std::optional<protocol::Address> client;  ///< kRead: none = a connection of the proxy itself (health check)
};

/// Reads the header at the front of `bytes`: all bytes of the connection so far, untrusted. A header with
/// more than 1,024 bytes after its first 16 is bad.
[[nodiscard]] ProxyHeader read_proxy_header(std::span<const std::byte> bytes) noexcept;

}  // namespace takt::net
