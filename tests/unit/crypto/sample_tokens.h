// Sample claims, keys and random bytes of the token tests. Every byte is fixed, so that tokens are too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "takt/crypto/connect_token.h"

namespace takt::crypto::test {

inline constexpr std::uint64_t kIssuedS = 1'764'129'600;

template <std::size_t Bytes>
std::array<std::byte, Bytes> counted_bytes(std::uint8_t first) {
  std::array<std::byte, Bytes> bytes{};
  for (std::size_t i = 0; i < Bytes; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

inline SecretKey sample_key(std::uint8_t first) { return SecretKey(counted_bytes<SecretKey::kBytes>(first)); }

inline TokenKeys sample_keys() {
  TokenKeys keys;
  keys.add(7, sample_key(0x10)).value();
  keys.add(8, sample_key(0x80)).value();
  return keys;
}

inline std::array<std::byte, kTokenRandomBytes> sample_random() {
  return counted_bytes<kTokenRandomBytes>(0x20);
}

/// The least that a token states.
inline TokenClaims plain_claims() {
  TokenClaims claims;
  claims.user_id = 1;
  claims.issued_s = kIssuedS;
  claims.expires_s = kIssuedS + 3600;
  return claims;
}

/// Every field with a value of its own.
inline TokenClaims full_claims() {
  TokenClaims claims = plain_claims();
  claims.user_id = 0x0102030405060708;
  claims.room_id = 42;
  claims.role = TokenRole::kSpectator;
  claims.admin = true;
  claims.modes = kTokenModeRollback;
  claims.bodies_max = 64;
  claims.commands_per_s_max = 120;
  claims.reconnect_grace_s = 45;
  claims.player_name = "Zoë";
  claims.servers = {"eu1.example.com:7777", "192.0.2.1:7777"};
  claims.user_data = {std::byte{1}, std::byte{0}, std::byte{255}};
  return claims;
}

inline ConnectToken mint_sample(const TokenClaims& claims) {
  return mint_token(claims, sample_keys(), 8, sample_random()).value();
}

}  // namespace takt::crypto::test
