// siphash() computes SipHash-2-4, a keyed 64-bit hash that cannot be predicted without its 128-bit key. The
// handshake's cookies and session ids (challenge.h) and the table of AddressLimiter (rate_limiter.h) use it.
// Checksums use XXH3 (takt/core/hash.h), which has no secret. Source: J.-P. Aumasson, D. J. Bernstein,
// SipHash: a fast short-input PRF (2012).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace takt::protocol {

/// `key` = (k0, k1), the paper's little-endian halves of the 16-byte key.
[[nodiscard]] std::uint64_t siphash(const std::array<std::uint64_t, 2>& key,
                                    std::span<const std::byte> bytes) noexcept;

}  // namespace takt::protocol
