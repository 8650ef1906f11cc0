#include "takt/crypto/connect_token.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "crypto/base64url.h"
#include "crypto/sodium.h"
#include "takt/core/bytes.h"

namespace takt::crypto {
namespace {

// Layout of docs/TOKENS.md; every number here determines bytes of tokens.
constexpr std::array<std::byte, 4> kMagic{std::byte{'T'}, std::byte{'K'}, std::byte{'C'}, std::byte{'T'}};
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kNonceAt = 20;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kServersAt = kNonceAt + kNonceBytes;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kKeysAt = 42;  // in the claims
constexpr std::size_t kClaimsBytesMin = kKeysAt + 2 * SecretKey::kBytes;
constexpr std::size_t kClaimsBytesMax = kClaimsBytesMin + kTokenNameBytesMax + kTokenUserDataBytesMax;
constexpr std::uint8_t kRightAdmin = 1u << 0;
constexpr std::string_view kTextPrefix = "takt1_";
constexpr std::size_t kKeyPairBytes = 2 * SecretKey::kBytes;
static_assert(SecretKey::kBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(kNonceBytes + kKeyPairBytes == kTokenRandomBytes);
static_assert(std::tuple_size_v<TokenTag> == kTagBytes);

// Wipes the bytes at the end of a scope.
class WipeAtEnd {
 public:
  explicit WipeAtEnd(std::span<std::byte> bytes) : bytes_(bytes) {}
  WipeAtEnd(const WipeAtEnd&) = delete;
  WipeAtEnd& operator=(const WipeAtEnd&) = delete;
  ~WipeAtEnd() { wipe(bytes_); }

 private:
  std::span<std::byte> bytes_;
};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string_view view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SecretKey key_at(std::span<const std::byte> bytes, std::size_t at) {
  return SecretKey(bytes.subspan(at).first<SecretKey::kBytes>());
}

bool is_name(std::string_view name) { return name.size() <= kTokenNameBytesMax && is_printable(name); }
bool is_server(std::string_view server) {
  return !server.empty() && server.size() <= kTokenServerBytesMax &&
         std::ranges::all_of(server, [](char c) { return c > ' ' && c < 0x7f; });
}

// True if the expiry is more than kTokenLifetimeMaxS after a time.
bool is_too_far(std::uint64_t expires_s, std::uint64_t time_s) {
  return expires_s > time_s && expires_s - time_s > kTokenLifetimeMaxS;
}

// The lifetime's bound is checked apart: its refusal has a name.
bool are_in_range(const TokenClaims& claims) {
  return claims.user_id != 0 && claims.expires_s > claims.issued_s &&
         (claims.role == TokenRole::kPlayer || claims.role == TokenRole::kSpectator) && claims.modes != 0 &&
         (claims.modes & ~kTokenModesAll) == 0 && is_name(claims.player_name) &&
         claims.servers.size() <= kTokenServersMax && std::ranges::all_of(claims.servers, is_server) &&
         claims.user_data.size() <= kTokenUserDataBytesMax;
}

void write_claims(const TokenClaims& claims, std::span<const std::byte> session_keys, ByteWriter& writer) {
  writer.put(claims.user_id);
  writer.put(claims.room_id);
  writer.put(claims.issued_s);
  writer.put(static_cast<std::uint8_t>(claims.role));
  writer.put(claims.admin ? kRightAdmin : std::uint8_t{0});
  writer.put(claims.modes);
  writer.put(static_cast<std::uint8_t>(claims.player_name.size()));
  writer.put(claims.bodies_max);
  writer.put(claims.commands_per_s_max);
  writer.put(claims.reconnect_grace_s);
  writer.put(static_cast<std::uint16_t>(claims.user_data.size()));
  writer.put_bytes(session_keys);
  writer.put_bytes(bytes_of(claims.player_name));
  writer.put_bytes(claims.user_data);
}

// Reads claims of a verified token; their expiry and servers are in the header. A fault is the back end's.
Result<TokenClaims, Error> read_claims(std::span<const std::byte> bytes, const TokenHeader& header) {
  ByteReader reader(bytes);
  TokenClaims claims;
  claims.expires_s = header.expires_s;
  claims.servers = header.servers;
  claims.user_id = reader.get<std::uint64_t>();
  claims.room_id = reader.get<std::uint64_t>();
  claims.issued_s = reader.get<std::uint64_t>();
  claims.role = static_cast<TokenRole>(reader.get<std::uint8_t>());
  auto const rights = reader.get<std::uint8_t>();
  claims.modes = reader.get<std::uint8_t>();
  auto const name_bytes = reader.get<std::uint8_t>();
  claims.bodies_max = reader.get<std::uint32_t>();
  claims.commands_per_s_max = reader.get<std::uint32_t>();
  claims.reconnect_grace_s = reader.get<std::uint32_t>();
  auto const user_data_bytes = reader.get<std::uint16_t>();
  (void)reader.get_bytes(kKeyPairBytes);
  claims.player_name = view_of(reader.get_bytes(name_bytes));
  auto const user_data = reader.get_bytes(user_data_bytes);
  claims.user_data.assign(user_data.begin(), user_data.end());
  claims.admin = rights == kRightAdmin;
  if (!reader.ok() || reader.remaining() != 0 || (rights & ~kRightAdmin) != 0 || !are_in_range(claims))
    return Error::kMalformed;
  if (is_too_far(claims.expires_s, claims.issued_s)) return Error::kTooLongLived;
  return claims;
}

// The parts of a sealed token, not verified. The spans point into the token.
struct Parts {
  std::uint32_t key_id = 0;
  std::uint64_t expires_s = 0;
  std::size_t server_count = 0;
  std::span<const std::byte> servers;  // texts, each behind its length
  std::span<const std::byte> header;   // all bytes before the encrypted claims: the associated data
  std::span<const std::byte> claims;   // encrypted, with the tag
};

Result<Parts, Error> split(std::span<const std::byte> sealed) {
  if (sealed.size() < kServersAt + kClaimsBytesMin + kTagBytes || sealed.size() > kSealedTokenBytesMax)
    return Error::kMalformed;
  ByteReader reader(sealed);
  if (!std::ranges::equal(reader.get_bytes(kMagic.size()), kMagic)) return Error::kMalformed;
  if (reader.get<std::uint8_t>() != kVersion) return Error::kWrongVersion;
  Parts parts;
  parts.server_count = reader.get<std::uint8_t>();
  if (reader.get<std::uint16_t>() != sealed.size()) return Error::kMalformed;
  parts.key_id = reader.get<std::uint32_t>();
  parts.expires_s = reader.get<std::uint64_t>();
  (void)reader.get_bytes(kNonceBytes);
  if (parts.server_count > kTokenServersMax) return Error::kMalformed;
  for (std::size_t i = 0; i < parts.server_count; ++i)
    if (!is_server(view_of(reader.get_bytes(reader.get<std::uint8_t>())))) return Error::kMalformed;
  std::size_t const claims_bytes = reader.remaining();
  if (!reader.ok() || claims_bytes < kClaimsBytesMin + kTagBytes ||
      claims_bytes > kClaimsBytesMax + kTagBytes)
    return Error::kMalformed;
  parts.servers = sealed.subspan(kServersAt, reader.offset() - kServersAt);
  parts.header = sealed.first(reader.offset());
  parts.claims = sealed.subspan(reader.offset());
  return parts;
}

TokenHeader header_of(const Parts& parts) {
  TokenHeader header{parts.key_id, parts.expires_s, {}};
  ByteReader reader(parts.servers);
  for (std::size_t i = 0; i < parts.server_count; ++i)
    header.servers.emplace_back(view_of(reader.get_bytes(reader.get<std::uint8_t>())));
  return header;
}

// True if the token is for any server, or lists one of `own_servers`.
bool is_for(const Parts& parts, std::span<const std::string> own_servers) {
  ByteReader reader(parts.servers);
  for (std::size_t i = 0; i < parts.server_count; ++i) {
    auto const listed = reader.get_bytes(reader.get<std::uint8_t>());
    for (const std::string& own : own_servers)
      if (std::ranges::equal(listed, bytes_of(own))) return true;
  }
  return parts.server_count == 0;
}

}  // namespace

Result<ConnectToken, Error> mint_token(const TokenClaims& claims, const TokenKeys& keys, std::uint32_t key_id,
                                       std::span<const std::byte, kTokenRandomBytes> random) {
  SecretKey const* const key = keys.find(key_id);
  if (key == nullptr) return Error::kWrongKey;
  if (!are_in_range(claims)) return Error::kOutOfRange;
  if (is_too_far(claims.expires_s, claims.issued_s)) return Error::kTooLongLived;
  auto const nonce = random.first<kNonceBytes>();
  auto const session_keys = random.last<kKeyPairBytes>();

  std::size_t sealed_bytes =
      kServersAt + kClaimsBytesMin + claims.player_name.size() + claims.user_data.size() + kTagBytes;
  for (const std::string& server : claims.servers) sealed_bytes += 1 + server.size();
  if (sealed_bytes > kSealedTokenBytesMax) return Error::kOutOfRange;

  std::vector<std::byte> sealed;
  sealed.reserve(sealed_bytes);
  ByteWriter writer(sealed);
  writer.put_bytes(kMagic);
  writer.put(kVersion);
  writer.put(static_cast<std::uint8_t>(claims.servers.size()));
  writer.put(static_cast<std::uint16_t>(sealed_bytes));
  writer.put(key_id);
  writer.put(claims.expires_s);
  writer.put_bytes(nonce);
  for (const std::string& server : claims.servers) {
    writer.put(static_cast<std::uint8_t>(server.size()));
    writer.put_bytes(bytes_of(server));
  }
  std::size_t const header_bytes = sealed.size();
  sealed.resize(sealed_bytes);
  std::vector<std::byte> plain;
  plain.reserve(kClaimsBytesMax);  // a vector that grows would leave the keys in freed memory
  ByteWriter claims_writer(plain);
  write_claims(claims, session_keys, claims_writer);
  start_sodium();
  crypto_aead_xchacha20poly1305_ietf_encrypt(sodium_bytes(sealed.data() + header_bytes), nullptr,
                                             sodium_bytes(plain.data()), plain.size(),
                                             sodium_bytes(sealed.data()), header_bytes, nullptr,
                                             sodium_bytes(nonce.data()), sodium_bytes(key->reveal().data()));
  wipe(plain);
  return ConnectToken{SessionKeys{key_at(session_keys, 0), key_at(session_keys, SecretKey::kBytes)},
                      std::move(sealed)};
}

std::string token_text(const ConnectToken& token) {
  std::vector<std::byte> bytes;
  bytes.reserve(kKeyPairBytes + token.sealed.size());
  ByteWriter writer(bytes);
  writer.put_bytes(token.keys.client_to_server.reveal());
  writer.put_bytes(token.keys.server_to_client.reveal());
  writer.put_bytes(token.sealed);
  std::string text(kTextPrefix);
  text.reserve(text.size() + bytes.size() * 4 / 3 + 4);
  append_base64url(bytes, text);
  wipe(bytes);
  return text;
}

Result<ConnectToken, Error> read_token_text(std::string_view text) {
  std::size_t const begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (!text.starts_with(kTextPrefix)) return Error::kMalformed;
  std::array<std::byte, kKeyPairBytes + kSealedTokenBytesMax> bytes{};
  WipeAtEnd const wiped(bytes);
  auto const count = decode_base64url(text.substr(kTextPrefix.size()), bytes);
  if (!count || *count < kKeyPairBytes) return Error::kMalformed;
  auto const sealed = std::span(bytes).subspan(kKeyPairBytes, *count - kKeyPairBytes);
  Result<Parts, Error> const parts = split(sealed);
  if (!parts) return parts.error();
  return ConnectToken{SessionKeys{key_at(bytes, 0), key_at(bytes, SecretKey::kBytes)},
                      std::vector<std::byte>(sealed.begin(), sealed.end())};
}

Result<TokenHeader, Error> read_token_header(std::span<const std::byte> sealed) {
  Result<Parts, Error> const parts = split(sealed);
  if (!parts) return parts.error();
  return header_of(*parts);
}

namespace {

// Checks, verifies and decrypts the token into `plain`, which the caller wipes.
Result<VerifiedToken, Error> decrypt(std::span<const std::byte> sealed, const TokenKeys& keys,
                                     std::span<const std::string> own_servers, std::uint64_t now_s,
                                     std::span<std::byte, kClaimsBytesMax> plain_buffer) {
  Result<Parts, Error> const parts = split(sealed);
  if (!parts) return parts.error();
  if (now_s >= parts->expires_s) return Error::kExpired;
  if (is_too_far(parts->expires_s, now_s)) return Error::kTooLongLived;
  SecretKey const* const key = keys.find(parts->key_id);
  if (key == nullptr) return Error::kWrongKey;
  if (!is_for(*parts, own_servers)) return Error::kWrongServer;
  auto const plain = plain_buffer.first(parts->claims.size() - kTagBytes);
  start_sodium();
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          sodium_bytes(plain.data()), nullptr, nullptr, sodium_bytes(parts->claims.data()),
          parts->claims.size(), sodium_bytes(parts->header.data()), parts->header.size(),
          sodium_bytes(sealed.data() + kNonceAt), sodium_bytes(key->reveal().data())) != 0)
    return Error::kForged;
  Result<TokenClaims, Error> claims = read_claims(plain, header_of(*parts));
  if (!claims) return claims.error();
  VerifiedToken verified{*std::move(claims), {}};
  std::ranges::copy(sealed.last(kTagBytes), verified.tag.begin());
  return verified;
}

}  // namespace

Result<OpenedToken, Error> open_token(std::span<const std::byte> sealed, const TokenKeys& keys,
                                      std::span<const std::string> own_servers, std::uint64_t now_s) {
  std::array<std::byte, kClaimsBytesMax> plain{};
  WipeAtEnd const wiped(plain);
  Result<VerifiedToken, Error> verified = decrypt(sealed, keys, own_servers, now_s, plain);
  if (!verified) return verified.error();
  return OpenedToken{std::move(verified->claims),
                     SessionKeys{key_at(plain, kKeysAt), key_at(plain, kKeysAt + SecretKey::kBytes)},
                     verified->tag};
}

Result<VerifiedToken, Error> verify_token(std::span<const std::byte> sealed, const TokenKeys& keys,
                                          std::span<const std::string> own_servers, std::uint64_t now_s,
                                          SessionKeyBytes* session_keys) {
  std::array<std::byte, kClaimsBytesMax> plain{};
  WipeAtEnd const wiped(plain);
  auto verified = decrypt(sealed, keys, own_servers, now_s, plain);
  if (verified && session_keys != nullptr)
    std::ranges::copy(std::span(plain).subspan<kKeysAt, kKeyPairBytes>(), session_keys->begin());
  return verified;
}

}  // namespace takt::crypto
