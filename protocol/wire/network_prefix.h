// NetworkPrefix is a range of addresses in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32. parse_prefix()
// reads one. parse_ip() reads an address, as in a proxy's X-Forwarded-For header; forwarded_client() finds
// the client in that header. ServerOptions::proxies lists the trusted proxies as NetworkPrefixes. The
// functions accept numeric addresses only: no host names and no scope ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/wire/address.h"

namespace takt::protocol {

struct NetworkPrefix {
  Address network;          ///< port 0; all bits after the first `bits` are 0
  std::uint8_t bits = 128;  ///< 0 to 128, of the IPv6 form: an IPv4 /8 has 104

  /// True when the first `bits` bits of both addresses are equal; ports do not count.
  [[nodiscard]] bool contains(const Address& address) const noexcept;
  friend bool operator==(const NetworkPrefix&, const NetworkPrefix&) = default;
};

/// "192.0.2.1", "2001:db8::1" or "[2001:db8::1]"; the result has port 0. Text after the colon of an IPv4
/// address or after the bracket, such as a port, is not read. None when the address is malformed.
[[nodiscard]] std::optional<Address> parse_ip(std::string_view text);
/// "10.0.0.0/8", "2001:db8::/32", or an address alone, which is a range of one. None when the text is
/// malformed or the address has a bit set after the prefix.
[[nodiscard]] std::optional<NetworkPrefix> parse_prefix(std::string_view text);
/// True when one of the ranges contains the address.
[[nodiscard]] bool contains(std::span<const NetworkPrefix> networks, const Address& address) noexcept;

/// The client of a proxied HTTP request: the last entry of X-Forwarded-For that is not in `proxies`. Entries
/// before that one may be forged by the client. None when all entries are proxies, or when one after the
/// client's is no address.
[[nodiscard]] std::optional<Address> forwarded_client(std::span<const NetworkPrefix> proxies,
                                                      std::string_view forwarded_for);

}  // namespace takt::protocol
