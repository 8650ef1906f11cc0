#include "protocol/session/challenge.h"

#include <vector>

#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

// First byte of everything hashed under the secret, so that a value made for one purpose never serves
// another.
enum class Purpose : std::uint8_t { kCookie = 1, kSession = 2 };

void put_address(ByteWriter& writer, const Address& address) {
  for (std::uint8_t const b : address.ip) writer.put(b);
  writer.put(address.port);
}

std::uint64_t cookie_tag(const std::array<std::uint64_t, 2>& secret, std::uint64_t issued_us,
                         const Address& address, const ConnectRequest& request) {
  std::vector<std::byte> bytes;
  bytes.reserve(128 + request.token.size());
  ByteWriter writer(bytes);
  writer.put(static_cast<std::uint8_t>(Purpose::kCookie));
  writer.put(issued_us);
  put_address(writer, address);
  writer.put(request.protocol_version);
  writer.put(request.scene_hash);
  writer.put(static_cast<std::uint8_t>(request.numbers_mode));
  writer.put(static_cast<std::uint8_t>(request.mode));
  writer.put(request.nonce);
  writer.put(static_cast<std::uint8_t>(request.role));
  writer.put(static_cast<std::uint8_t>(request.player_name.size()));
  writer.put_bytes(std::as_bytes(std::span(request.player_name)));
  writer.put_bytes(request.token);
  return siphash(secret, bytes);
}

}  // namespace

Cookie make_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us, const Address& address,
                   const ConnectRequest& request) {
  Cookie cookie;
  store_little_endian(cookie.data(), now_us);
  store_little_endian(cookie.data() + 8, cookie_tag(secret, now_us, address, request));
  return cookie;
}

CookieVerdict check_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us,
                           const Address& address, const ConnectRequest& request, const Cookie& cookie) {
  auto const issued_us = load_little_endian<std::uint64_t>(cookie.data());
  auto const tag = load_little_endian<std::uint64_t>(cookie.data() + 8);
  if (tag != cookie_tag(secret, issued_us, address, request)) return CookieVerdict::kForged;
  if (issued_us > now_us || now_us - issued_us > kCookieLifetime) return CookieVerdict::kExpired;
  return CookieVerdict::kGood;
}

std::uint64_t make_session_id(const std::array<std::uint64_t, 2>& secret, const Address& address,
                              std::uint64_t nonce, std::uint64_t count) {
  std::vector<std::byte> bytes;
  bytes.reserve(48);
  ByteWriter writer(bytes);
  writer.put(static_cast<std::uint8_t>(Purpose::kSession));
  put_address(writer, address);
  writer.put(nonce);
  writer.put(count);
  std::uint64_t const id = siphash(secret, bytes);
  return id != 0 ? id : 1;
}

}  // namespace takt::protocol
