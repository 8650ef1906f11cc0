#include "crypto/key_exchange.h"

#include <sodium.h>

#include "crypto/base64url.h"
#include "crypto/sodium.h"

namespace takt::crypto {
namespace {

constexpr std::string_view kLabel = "takt key exchange 1";
constexpr std::size_t kKeyBytes = SecretKey::kBytes;
// One line each: libsodium's numbers are equal, and a joined condition looks redundant to clang-tidy.
static_assert(kKeyBytes == crypto_kx_SEEDBYTES);
static_assert(kKeyBytes == crypto_kx_SECRETKEYBYTES);
static_assert(kKeyBytes == crypto_kx_PUBLICKEYBYTES);
static_assert(kKeyBytes == crypto_scalarmult_BYTES);

// The shared secret of two pairs; false for a public key of low order.
bool multiply(const KeyPair& own, const PublicKey& other, std::span<std::byte, kKeyBytes> out) {
  return crypto_scalarmult(sodium_bytes(out.data()), sodium_bytes(own.secret_key().reveal().data()),
                           sodium_bytes(other.bytes.data())) == 0;
}

// Both shared secrets of an agreement, with the lasting and with the short-lived key of the server. They are
// on the stack, and wiped: pages of their own would cost more than the agreement.
struct SharedSecrets {
  SharedSecrets() = default;
  SharedSecrets(const SharedSecrets&) = delete;
  SharedSecrets& operator=(const SharedSecrets&) = delete;
  ~SharedSecrets() { wipe(bytes); }
  std::array<std::byte, 2 * kKeyBytes> bytes{};
};

// Every line determines the keys of a session, and both ends must compute the same.
SessionKeys derive(const SharedSecrets& shared, const PublicKey& client, const ServerPublicKeys& server,
                   std::span<const std::byte> context, const SessionKeyBytes* token) {
  std::array<std::byte, 2 * kKeyBytes> out{};
  crypto_generichash_state state;
  auto const add = [&](std::span<const std::byte> bytes) {
    crypto_generichash_update(&state, sodium_bytes(bytes.data()), bytes.size());
  };
  crypto_generichash_init(&state, token != nullptr ? sodium_bytes(token->data()) : nullptr,
                          token != nullptr ? token->size() : 0, out.size());
  add(std::as_bytes(std::span(kLabel)));
  add(shared.bytes);
  add(client.bytes);
  add(server.lasting.bytes);
  add(server.short_lived.bytes);
  add(context);
  crypto_generichash_final(&state, sodium_bytes(out.data()), out.size());
  sodium_memzero(&state, sizeof state);
  SessionKeys keys{SecretKey(std::span(out).first<kKeyBytes>()), SecretKey(std::span(out).last<kKeyBytes>())};
  wipe(out);
  return keys;
}

}  // namespace

std::string public_key_text(const PublicKey& key) {
  std::string text;
  append_base64url(key.bytes, text);
  return text;
}

std::optional<PublicKey> read_public_key(std::string_view text) {
  PublicKey key;
  if (decode_base64url(text, key.bytes) != key.bytes.size()) return std::nullopt;
  return key;
}

SecretKey derive_seed(const SecretKey& seed, std::uint64_t number) {
  static constexpr char kContext[crypto_kdf_CONTEXTBYTES + 1] = "taktseed";
  start_sodium();
  std::array<std::byte, kKeyBytes> bytes{};
  crypto_kdf_derive_from_key(sodium_bytes(bytes.data()), bytes.size(), number, kContext,
                             sodium_bytes(seed.reveal().data()));
  SecretKey derived{std::span<const std::byte, kKeyBytes>(bytes)};
  wipe(bytes);
  return derived;
}

KeyPair::KeyPair(const SecretKey& seed) : secret_(seed.clone()) {  // overwritten below
  crypto_kx_seed_keypair(sodium_bytes(public_.bytes.data()),
                         sodium_bytes(secret_.reveal_for_writing().data()),
                         sodium_bytes(seed.reveal().data()));
}

Result<SessionKeys, Error> agree_as_client(const KeyPair& client, const ServerPublicKeys& server,
                                           std::span<const std::byte> context, const SessionKeyBytes* token) {
  SharedSecrets shared;
  auto const out = std::span(shared.bytes);
  if (!multiply(client, server.lasting, out.first<kKeyBytes>()) ||
      !multiply(client, server.short_lived, out.last<kKeyBytes>()))
    return Error::kMalformed;
  return derive(shared, client.public_key(), server, context, token);
}

Result<SessionKeys, Error> agree_as_server(const KeyPair& lasting, const KeyPair& short_lived,
                                           const PublicKey& client, std::span<const std::byte> context,
                                           const SessionKeyBytes* token) {
  SharedSecrets shared;
  auto const out = std::span(shared.bytes);
  if (!multiply(lasting, client, out.first<kKeyBytes>()) ||
      !multiply(short_lived, client, out.last<kKeyBytes>()))
    return Error::kMalformed;
  return derive(shared, client, {lasting.public_key(), short_lived.public_key()}, context, token);
}

}  // namespace takt::crypto
