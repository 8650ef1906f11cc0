// The cipher of the datagrams of a session. Every end has ChaCha20-Poly1305 (RFC 8439). AES-256-GCM (NIST SP
// 800-38D) costs half of it or less on a CPU with instructions for it, so a session has it when both CPUs
// have them: without them AES is slow, or tells its key by its time. The client offers its ciphers in the
// ConnectRequest, and the server chooses in the sealed Accept (protocol/session/); the keys of the session
// depend on the offer, so nobody on the path can change either. Both ciphers have a key of 32 bytes, the
// nonce of a packet number and a tag of 16 bytes, so nothing else depends on the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace takt::crypto {

/// Values are the wire's.
enum class DatagramCipher : std::uint8_t { kChaCha20Poly1305 = 0, kAes256Gcm = 1 };

/// A set of ciphers that an end offers besides ChaCha20-Poly1305. The other bits mean nothing.
using CipherBits = std::uint8_t;
inline constexpr CipherBits kAes256GcmBit = 1;

/// The ciphers for which this CPU has instructions and libsodium has code. Version 1.0.18 has AES-256-GCM on
/// x86-64 with AES-NI and PCLMULQDQ alone.
[[nodiscard]] CipherBits ciphers_of_cpu();

/// The cipher of a session between an end that offers `a` and one that offers `b`.
[[nodiscard]] constexpr DatagramCipher choose_cipher(CipherBits a, CipherBits b) noexcept {
  return (a & b & kAes256GcmBit) != 0 ? DatagramCipher::kAes256Gcm : DatagramCipher::kChaCha20Poly1305;
}

/// True for the number of a DatagramCipher that an end which offers `bits` has.
[[nodiscard]] constexpr bool is_offered(CipherBits bits, std::uint8_t cipher) noexcept {
  return cipher == static_cast<std::uint8_t>(DatagramCipher::kChaCha20Poly1305) ||
         (cipher == static_cast<std::uint8_t>(DatagramCipher::kAes256Gcm) && (bits & kAes256GcmBit) != 0);
}

/// Encrypts `text` into `out` (text.size() bytes and the tag) with the nonce of `number`; `head` is
/// authenticated. A key must never see a number twice. kAes256Gcm: only with that bit of ciphers_of_cpu().
void encrypt_datagram(DatagramCipher cipher, std::span<const std::byte, 32> key, std::uint64_t number,
                      std::span<const std::byte> head, std::span<const std::byte> text,
                      std::byte* out) noexcept;
/// Decrypts `sealed`, which has at least the tag, into `out`. False: it is forged, and `out` has nothing of
/// it.
[[nodiscard]] bool decrypt_datagram(DatagramCipher cipher, std::span<const std::byte, 32> key,
                                    std::uint64_t number, std::span<const std::byte> head,
                                    std::span<const std::byte> sealed, std::byte* out) noexcept;

}  // namespace takt::crypto
