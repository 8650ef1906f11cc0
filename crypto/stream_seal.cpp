#include "crypto/stream_seal.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "crypto/sodium.h"

namespace takt::crypto {

StreamKey::StreamKey(const SecretKey& key) : keys_(std::array<std::byte, 64>{}) {
  start_sodium();
  std::ranges::copy(key.reveal(), keys_.reveal_for_writing().last<32>().begin());
}

std::span<const std::byte, 32> StreamKey::next(std::uint64_t& number) {
  number = next_number_++;
  auto const keys = keys_.reveal_for_writing();
  if (number % kFramesPerKey == 0) advance_key_chain(keys.last<32>(), keys.first<32>());
  return keys.first<32>();
}

void StreamSealer::seal(std::span<const std::byte> head, std::span<const std::byte> payload,
                        std::span<std::byte> out) {
  TAKT_ASSERT(out.size() == payload.size() + kSealTagBytes);
  std::uint64_t number = 0;
  auto const key = key_.next(number);
  auto const nonce = seal_nonce(number);
  crypto_aead_chacha20poly1305_ietf_encrypt(sodium_bytes(out.data()), nullptr, sodium_bytes(payload.data()),
                                            payload.size(), sodium_bytes(head.data()), head.size(), nullptr,
                                            sodium_bytes(nonce.data()), sodium_bytes(key.data()));
}

bool StreamOpener::open(std::span<const std::byte> head, std::span<std::byte> sealed,
                        std::span<std::byte>& out) {
  if (failed_ || sealed.size() < kSealTagBytes) {
    failed_ = true;
    return false;
  }
  std::uint64_t number = 0;
  auto const key = key_.next(number);
  auto const nonce = seal_nonce(number);
  out = sealed.first(sealed.size() - kSealTagBytes);
  failed_ =
      crypto_aead_chacha20poly1305_ietf_decrypt(
          sodium_bytes(out.data()), nullptr, nullptr, sodium_bytes(sealed.data()), sealed.size(),
          sodium_bytes(head.data()), head.size(), sodium_bytes(nonce.data()), sodium_bytes(key.data())) != 0;
  return !failed_;
}

}  // namespace takt::crypto
