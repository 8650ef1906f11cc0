// Address is the network address of a peer as a plain value: 16 bytes of IPv6 (IPv4 as ::ffff:a.b.c.d) and a
// port. to_text() formats an Address for logs. The challenge of a handshake, the rate limiter and net/ use
// Address. Address resolves no names; net/client_transport.cpp does. Address has no scope id, so a link-local
// IPv6 address (fe80::...%eth0) cannot be answered over UDP.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace takt::protocol {

/// An endpoint of UDP or TCP. Comparison is by the bytes of `ip`, then by `port`. The all-zero default is no
/// endpoint.
struct Address {
  std::array<std::uint8_t, 16> ip{};  ///< network order; IPv4 mapped into IPv6
  std::uint16_t port = 0;             ///< host order

  /// The IPv4 address a.b.c.d as ::ffff:a.b.c.d; `port` in host order.
  [[nodiscard]] static constexpr Address from_ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c,
                                                   std::uint8_t d, std::uint16_t port) noexcept {
    return Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, port};
  }
  /// True for an IPv4 address, ::ffff:0:0/96.
  [[nodiscard]] constexpr bool is_ipv4() const noexcept {
    for (int i = 0; i < 10; ++i)
      if (ip[static_cast<unsigned>(i)] != 0) return false;
    return ip[10] == 0xff && ip[11] == 0xff;
  }

  /// True for an address of this machine itself: 127.0.0.0/8 or ::1.
  [[nodiscard]] constexpr bool is_loopback() const noexcept {
    if (is_ipv4()) return ip[12] == 127;
    for (int i = 0; i < 15; ++i)
      if (ip[static_cast<unsigned>(i)] != 0) return false;
    return ip[15] == 1;
  }

  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

/// "192.0.2.1:7777" or "[2001:db8:0:0:0:0:0:1]:7777" (zeros are not shortened), for logs and messages.
[[nodiscard]] std::string to_text(const Address& address);

}  // namespace takt::protocol
