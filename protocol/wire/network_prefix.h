// NetworkPrefix is a range of addresses in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32. parse_prefix()
// reads one, and parse_ip() reads an address without a port, such as a proxy's X-Forwarded-For header names.
// NetworkPrefix says which peers are trusted proxies (ServerOptions::proxies). It resolves no names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/wire/address.h"

namespace takt::protocol {

struct NetworkPrefix {
  Address network;          ///< port 0; bits behind the prefix are 0
  std::uint8_t bits = 128;  ///< of the IPv6 form, so an IPv4 /8 has 104

  [[nodiscard]] bool contains(const Address& address) const noexcept;
  friend bool operator==(const NetworkPrefix&, const NetworkPrefix&) = default;
};

/// "192.0.2.1", "2001:db8::1" or "[2001:db8::1]", with or without a port behind; the port is dropped.
[[nodiscard]] std::optional<Address> parse_ip(std::string_view text);
/// "10.0.0.0/8", "2001:db8::/32", or an address alone. None when a bit behind the prefix is set.
[[nodiscard]] std::optional<NetworkPrefix> parse_prefix(std::string_view text);
[[nodiscard]] bool contains(std::span<const NetworkPrefix> networks, const Address& address) noexcept;

/// The client of a proxied HTTP request: the last entry of X-Forwarded-For that is no trusted proxy itself.
/// Entries before it are the client's own word. None when there is no such entry.
[[nodiscard]] std::optional<Address> forwarded_client(std::span<const NetworkPrefix> proxies,
                                                      std::string_view forwarded_for);

}  // namespace takt::protocol
