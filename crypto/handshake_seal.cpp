#include "crypto/handshake_seal.h"

#include <sodium.h>

#include <algorithm>
#include <string_view>

#include "crypto/sealed_datagram.h"
#include "crypto/sodium.h"

namespace takt::crypto {
namespace {

constexpr char kKeyContext[crypto_kdf_CONTEXTBYTES + 1] = "taktseal";
// sealed_datagram.cpp uses the numbers below.
constexpr std::uint64_t kProofKeyId = 3;
constexpr std::uint64_t kAcceptKeyId = 4;

// The key is wiped at the end of its scope.
struct DerivedKey {
  DerivedKey(const SecretKey& key, std::uint64_t id) {
    start_sodium();
    crypto_kdf_derive_from_key(sodium_bytes(bytes.data()), bytes.size(), id, kKeyContext,
                               sodium_bytes(key.reveal().data()));
  }
  DerivedKey(const DerivedKey&) = delete;
  DerivedKey& operator=(const DerivedKey&) = delete;
  ~DerivedKey() { wipe(bytes); }
  std::array<std::byte, 32> bytes{};
};

// Both messages have the nonce 0: a derived key seals one text.
void seal(const DerivedKey& key, std::span<const std::byte> head, std::span<const std::byte> text,
          std::vector<std::byte>& out) {
  auto const nonce = seal_nonce(0);
  std::size_t const at = out.size();
  out.resize(at + text.size() + kSealTagBytes);
  crypto_aead_chacha20poly1305_ietf_encrypt(sodium_bytes(out.data() + at), nullptr, sodium_bytes(text.data()),
                                            text.size(), sodium_bytes(head.data()), head.size(), nullptr,
                                            sodium_bytes(nonce.data()), sodium_bytes(key.bytes.data()));
}

bool open(const DerivedKey& key, std::span<const std::byte> head, std::span<const std::byte> sealed,
          std::vector<std::byte>& out) {
  out.clear();
  if (sealed.size() < kSealTagBytes) return false;
  auto const nonce = seal_nonce(0);
  out.resize(sealed.size() - kSealTagBytes);
  bool const is_genuine = crypto_aead_chacha20poly1305_ietf_decrypt(
                              sodium_bytes(out.data()), nullptr, nullptr, sodium_bytes(sealed.data()),
                              sealed.size(), sodium_bytes(head.data()), head.size(),
                              sodium_bytes(nonce.data()), sodium_bytes(key.bytes.data())) == 0;
  if (!is_genuine) out.clear();
  return is_genuine;
}

}  // namespace

void seal_proof(const SecretKey& key, std::span<const std::byte> context, std::span<const std::byte> text,
                std::vector<std::byte>& out) {
  seal(DerivedKey(key, kProofKeyId), context, text, out);
}

bool open_proof(const SecretKey& key, std::span<const std::byte> context, std::span<const std::byte> proof,
                std::vector<std::byte>& text) {
  return open(DerivedKey(key, kProofKeyId), context, proof, text);
}

TokenVerifier token_verifier(const SessionKeyBytes& keys) {
  start_sodium();
  static constexpr std::string_view kLabel = "takt token over a web socket 1";
  auto const label = std::as_bytes(std::span(kLabel));
  TokenVerifier verifier;
  crypto_generichash(sodium_bytes(verifier.data()), verifier.size(), sodium_bytes(label.data()), label.size(),
                     sodium_bytes(keys.data()), keys.size());
  return verifier;
}

TokenVerifier token_verifier(const SessionKeys& keys) {
  SessionKeyBytes bytes{};
  std::ranges::copy(keys.client_to_server.reveal(), bytes.begin());
  std::ranges::copy(keys.server_to_client.reveal(), bytes.begin() + SecretKey::kBytes);
  auto const verifier = token_verifier(bytes);
  wipe(bytes);
  return verifier;
}

void seal_accept(const SecretKey& key, std::span<const std::byte> accept, std::vector<std::byte>& out) {
  seal(DerivedKey(key, kAcceptKeyId), {}, accept, out);
}

bool open_accept(const SecretKey& key, std::span<const std::byte> sealed, std::vector<std::byte>& out) {
  return open(DerivedKey(key, kAcceptKeyId), {}, sealed, out);
}

}  // namespace takt::crypto
