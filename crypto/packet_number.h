// Packet numbers count the datagrams of one direction of a session from 1, in 64 bits. A datagram carries
// only the low 2 or 4 bytes, and the receiver restores the number from the newest one that it has opened.
// Source: RFC 9000, 17.1 and appendix A. One byte is not used: a datagram 128 numbers late would be restored
// to a wrong number and counted as forged instead of late.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt::crypto {

/// The bytes to send of `number`, when the peer has acknowledged `acked` (0 = nothing): 2 while the distance
/// is below 2^13, a quarter of what two bytes can restore, else 4.
[[nodiscard]] constexpr std::size_t packet_number_bytes(std::uint64_t number, std::uint64_t acked) noexcept {
  return number - acked < (std::uint64_t{1} << 13) ? 2 : 4;
}

/// The number nearest to newest + 1 whose low `bytes` (2 or 4) are `low`.
[[nodiscard]] constexpr std::uint64_t restore_packet_number(std::uint64_t newest, std::uint32_t low,
                                                            std::size_t bytes) noexcept {
  std::uint64_t const window = std::uint64_t{1} << (8 * bytes);
  std::uint64_t const expected = newest + 1;
  std::uint64_t const candidate = (expected & ~(window - 1)) | low;
  if (candidate + window / 2 <= expected && candidate <= UINT64_MAX - window) return candidate + window;
  if (candidate > expected + window / 2 && candidate >= window) return candidate - window;
  return candidate;
}

}  // namespace takt::crypto
