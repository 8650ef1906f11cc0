#include "net/proxy_header.h"

#include <algorithm>
#include <array>

namespace takt::net {
namespace {

constexpr std::array<std::uint8_t, 12> kSignature{0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                                                  0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
constexpr std::size_t kFixedBytes = 16;
/// Addresses and extensions behind the fixed part; proxies write under 200 bytes.
constexpr std::size_t kRestBytesMax = 1024;

std::uint8_t at(std::span<const std::byte> bytes, std::size_t i) noexcept {
  return static_cast<std::uint8_t>(bytes[i]);
}

}  // namespace

ProxyHeader read_proxy_header(std::span<const std::byte> bytes) noexcept {
  using enum ProxyHeader::State;
  std::size_t const known = std::min(bytes.size(), kSignature.size());
  for (std::size_t i = 0; i < known; ++i)
    if (at(bytes, i) != kSignature[i]) return {kAbsent, 0, {}};
  if (bytes.size() < kFixedBytes) return {};
  unsigned const version = at(bytes, 12) >> 4;
  unsigned const command = at(bytes, 12) & 0xf;
  std::size_t const rest = std::size_t{at(bytes, 14)} << 8 | at(bytes, 15);
  if (version != 2 || command > 1 || rest > kRestBytesMax) return {kBad, 0, {}};
  if (bytes.size() < kFixedBytes + rest) return {};
  ProxyHeader header{kRead, kFixedBytes + rest, {}};
  if (command == 0) return header;  // "local"
  unsigned const family = at(bytes, 13) >> 4;
  auto const port_at = [&](std::size_t i) {
    return static_cast<std::uint16_t>(at(bytes, i) << 8 | at(bytes, i + 1));
  };
  if (family == 1 && rest >= 12) {
    header.client =
        protocol::Address::from_ipv4(at(bytes, 16), at(bytes, 17), at(bytes, 18), at(bytes, 19), port_at(24));
  } else if (family == 2 && rest >= 36) {
    protocol::Address client;
    for (std::size_t i = 0; i < 16; ++i) client.ip[i] = at(bytes, kFixedBytes + i);
    client.port = port_at(48);
    header.client = client;
  } else {
    return {kBad, 0, {}};
  }
  return header;
}

}  // namespace takt::net
