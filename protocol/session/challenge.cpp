#include "protocol/session/challenge.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "protocol/session/handshake_context.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

// First byte of everything hashed under the secret, so that a value made for one purpose never serves
// another.
enum class Purpose : std::uint8_t { kCookie = 1, kConnection = 2, kTraps = 3, kUsedCookie = 4, kProbe = 5 };

std::uint64_t cookie_tag(const std::array<std::uint64_t, 2>& secret, std::uint64_t issued_us,
                         TransportKind transport, const Address& address, const ConnectRequest& request) {
  SipHasher hasher(secret);
  hasher.put(static_cast<std::uint8_t>(Purpose::kCookie));
  hasher.put(issued_us);
  hasher.put(static_cast<std::uint8_t>(transport));
  for (std::uint8_t const b : address.ip) hasher.put(b);
  hasher.put(address.port);
  append_request(request, hasher);
  return hasher.finish();
}

}  // namespace

Cookie make_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us, TransportKind transport,
                   const Address& address, const ConnectRequest& request) {
  Cookie cookie;
  store_little_endian(cookie.data(), now_us);
  store_little_endian(cookie.data() + 8, cookie_tag(secret, now_us, transport, address, request));
  return cookie;
}

CookieVerdict check_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us,
                           TransportKind transport, const Address& address, const ConnectRequest& request,
                           const Cookie& cookie) {
  std::uint64_t const issued_us = issue_time_of(cookie);
  auto const tag = load_little_endian<std::uint64_t>(cookie.data() + 8);
  if (tag != cookie_tag(secret, issued_us, transport, address, request)) return CookieVerdict::kForged;
  if (issued_us > now_us || now_us - issued_us > kCookieLifetime) return CookieVerdict::kExpired;
  return CookieVerdict::kGood;
}

std::uint64_t hash_used_cookie(const std::array<std::uint64_t, 2>& secret, const Cookie& cookie) {
  std::array<std::byte, 1 + std::tuple_size_v<Cookie>> bytes{static_cast<std::byte>(Purpose::kUsedCookie)};
  std::copy(cookie.begin(), cookie.end(), bytes.begin() + 1);
  return siphash(secret, bytes);
}

std::uint64_t issue_time_of(const Cookie& cookie) noexcept {
  return load_little_endian<std::uint64_t>(cookie.data());
}

namespace {

std::uint64_t number_for(Purpose purpose, const std::array<std::uint64_t, 2>& secret, std::uint64_t count) {
  SipHasher hasher(secret);
  hasher.put(static_cast<std::uint8_t>(purpose));
  hasher.put(count);
  return hasher.finish();
}

}  // namespace

std::uint32_t make_connection_id(const std::array<std::uint64_t, 2>& secret, std::uint64_t count) {
  auto const id = static_cast<std::uint32_t>(number_for(Purpose::kConnection, secret, count));
  return id != 0 ? id : 1;
}

std::array<std::byte, 8> make_probe(const std::array<std::uint64_t, 2>& secret, std::uint64_t count) {
  std::array<std::byte, 8> bytes;
  store_little_endian(bytes.data(), number_for(Purpose::kProbe, secret, count));
  return bytes;
}

std::uint64_t make_trap_seed(const std::array<std::uint64_t, 2>& secret, std::uint64_t count) {
  std::uint64_t const seed = number_for(Purpose::kTraps, secret, count);
  return seed != 0 ? seed : 1;
}

}  // namespace takt::protocol
