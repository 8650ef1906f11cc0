// siphash() computes SipHash-2-4, a keyed 64-bit hash that cannot be predicted without its 128-bit key. The
// handshake's cookies and session ids (challenge.h) and the table of AddressLimiter (rate_limiter.h) use it.
// Checksums use XXH3 (takt/core/hash.h), which has no secret. Source: J.-P. Aumasson, D. J. Bernstein,
// SipHash: a fast short-input PRF (2012).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "takt/core/bytes.h"

namespace takt::protocol {

/// `key` = (k0, k1), the paper's little-endian halves of the 16-byte key.
[[nodiscard]] std::uint64_t siphash(const std::array<std::uint64_t, 2>& key,
                                    std::span<const std::byte> bytes) noexcept;

/// siphash() of bytes that come in parts, without memory for them: a ByteWriter that appends to a hash.
class SipHasher {
 public:
  explicit SipHasher(const std::array<std::uint64_t, 2>& key) noexcept;

  template <LittleEndianEncodable T>
  void put(T value) noexcept {
    std::array<std::byte, sizeof(T)> bytes;
    store_little_endian(bytes.data(), value);
    put_bytes(bytes);
  }
  void put_bytes(std::span<const std::byte> bytes) noexcept;
  /// The hash of all bytes. The hasher is done.
  [[nodiscard]] std::uint64_t finish() noexcept;

 private:
  void absorb(std::uint64_t word) noexcept;
  void round() noexcept;

  std::uint64_t v0_, v1_, v2_, v3_;  // names of the paper
  std::uint64_t word_ = 0;           // the bytes that no round has taken yet, the first one lowest
  std::uint64_t count_ = 0;          // bytes so far
};

}  // namespace takt::protocol
