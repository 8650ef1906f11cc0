// read_proxy_header() reads the binary header of the PROXY protocol, version 2, that a proxy puts before the
// bytes of a TCP connection. The header names the client's address. Source: W. Tarreau, The PROXY protocol
// (2020), section 2.2. ServerTransport reads it from trusted proxies alone. The text form, version 1, is not
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/wire/address.h"

namespace takt::net {

struct ProxyHeader {
  enum class State : std::uint8_t {
    kIncomplete,  ///< more bytes decide
    kAbsent,      ///< the bytes are those of the connection itself
    kRead,
    kBad,  ///< begins like a header, and is none
  };
  State state = State::kIncomplete;
  std::size_t bytes = 0;                    ///< of the header, if it was read
  std::optional<protocol::Address> client;  ///< none = the proxy speaks for itself, as in a health check
};

[[nodiscard]] ProxyHeader read_proxy_header(std::span<const std::byte> bytes) noexcept;

}  // namespace takt::net
