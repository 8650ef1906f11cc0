// Fuzz target: connect tokens with a known key. The first byte says how the rest is used: bit 0: as a sealed
// token, else as text (a token's, and a key file's); bit 1: the claims are sealed first with the known key,
// so that the fuzzer reaches the code behind the seal.
#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/assert.h"
#include "takt/crypto/connect_token.h"

namespace {

using namespace takt::crypto;

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTagBytes = 16;
const std::array<std::byte, SecretKey::kBytes> kKey{};

TokenKeys make_keys() {
  TokenKeys keys;
  keys.add(1, SecretKey(kKey)).value();
  return keys;
}

// Seals the bytes between the header and the last 16 as a back end with the key does.
std::vector<std::byte> seal(std::span<const std::byte> bytes) {
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  if (sealed.size() < kHeaderBytes + kTagBytes) return sealed;
  std::size_t clear = kHeaderBytes;
  for (auto left = std::to_integer<std::size_t>(sealed[5]); left > 0 && clear < sealed.size(); --left)
    clear += 1 + std::to_integer<std::size_t>(sealed[clear]);
  if (clear + kTagBytes > sealed.size()) return sealed;
  auto* const all = reinterpret_cast<unsigned char*>(sealed.data());
  crypto_aead_xchacha20poly1305_ietf_encrypt(all + clear, nullptr, all + clear,
                                             sealed.size() - clear - kTagBytes, all, clear, nullptr, all + 20,
                                             reinterpret_cast<const unsigned char*>(kKey.data()));
  return sealed;
}

// A token that opens mints again, and its text holds the same token.
void check_opened(const OpenedToken& opened, const TokenKeys& keys) {
  std::array<std::byte, kTokenRandomBytes> const random{};
  auto const token = mint_token(opened.claims, keys, 1, random);
  TAKT_ASSERT(token.ok());
  auto const read = read_token_text(token_text(*token));
  TAKT_ASSERT(read.ok() && read->sealed == token->sealed);
  auto const again = open_token(token->sealed, keys, opened.claims.servers, opened.claims.issued_s);
  TAKT_ASSERT(again.ok() && again->claims == opened.claims);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TokenKeys kKeys = make_keys();
  static const std::vector<std::string> kServers{"a:1", "b:2"};
  if (size == 0) return 0;
  auto const rest = std::as_bytes(std::span(data + 1, size - 1));
  if ((data[0] & 1u) == 0) {
    std::string_view const text(reinterpret_cast<const char*>(rest.data()), rest.size());
    (void)read_token_text(text);
    auto const keys = read_token_keys(text);
    if (keys)
      for (std::uint32_t const id : keys->ids()) TAKT_ASSERT(id != 0 && keys->find(id) != nullptr);
    return 0;
  }
  std::vector<std::byte> const sealed =
      (data[0] & 2u) != 0 ? seal(rest) : std::vector<std::byte>(rest.begin(), rest.end());
  auto const header = read_token_header(sealed);
  auto const opened = open_token(sealed, kKeys, kServers, 1000);
  TAKT_ASSERT(header.ok() || !opened.ok());
  if (opened) check_opened(*opened, kKeys);
  return 0;
}
