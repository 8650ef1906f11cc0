#include "crypto/datagram_cipher.h"

#include <sodium.h>

#include "crypto/sealed_datagram.h"
#include "crypto/sodium.h"

namespace takt::crypto {

// One line each: libsodium's numbers are equal, and a joined condition looks redundant to clang-tidy.
static_assert(kSealTagBytes == crypto_aead_chacha20poly1305_ietf_ABYTES);
static_assert(kSealTagBytes == crypto_aead_aes256gcm_ABYTES);
static_assert(crypto_aead_chacha20poly1305_ietf_KEYBYTES == 32);
static_assert(crypto_aead_aes256gcm_KEYBYTES == 32);
static_assert(crypto_aead_chacha20poly1305_ietf_NPUBBYTES == 12);
static_assert(crypto_aead_aes256gcm_NPUBBYTES == 12);

CipherBits ciphers_of_cpu() {
  start_sodium();
  return crypto_aead_aes256gcm_is_available() != 0 ? kAes256GcmBit : CipherBits{0};
}

void encrypt_datagram(DatagramCipher cipher, std::span<const std::byte, 32> key, std::uint64_t number,
                      std::span<const std::byte> head, std::span<const std::byte> text,
                      std::byte* out) noexcept {
  auto const nonce = seal_nonce(number);
  auto const encrypt = cipher == DatagramCipher::kAes256Gcm ? crypto_aead_aes256gcm_encrypt
                                                            : crypto_aead_chacha20poly1305_ietf_encrypt;
  (void)encrypt(sodium_bytes(out), nullptr, sodium_bytes(text.data()), text.size(), sodium_bytes(head.data()),
                head.size(), nullptr, sodium_bytes(nonce.data()), sodium_bytes(key.data()));
}

bool decrypt_datagram(DatagramCipher cipher, std::span<const std::byte, 32> key, std::uint64_t number,
                      std::span<const std::byte> head, std::span<const std::byte> sealed,
                      std::byte* out) noexcept {
  auto const nonce = seal_nonce(number);
  auto const decrypt = cipher == DatagramCipher::kAes256Gcm ? crypto_aead_aes256gcm_decrypt
                                                            : crypto_aead_chacha20poly1305_ietf_decrypt;
  return decrypt(sodium_bytes(out), nullptr, nullptr, sodium_bytes(sealed.data()), sealed.size(),
                 sodium_bytes(head.data()), head.size(), sodium_bytes(nonce.data()),
                 sodium_bytes(key.data())) == 0;
}

}  // namespace takt::crypto
