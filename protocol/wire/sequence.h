// sequence_distance and sequence_after compare the 32-bit sequences of datagrams, which wrap at 2^32 (serial
// number arithmetic). AckWindow uses the first, DatagramLink the second. Sequences of inputs and serials of
// snapshots do not wrap and are compared as plain numbers. Source: R. Elz, R. Bush, RFC 1982 (1996).
#pragma once

#include <cstdint>

namespace takt::protocol {

/// How far `a` is ahead of `b`; negative = behind. The true distance must be less than 2^31.
[[nodiscard]] constexpr std::int32_t sequence_distance(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b);
}

/// True when `a` comes after `b`; their distance must be less than 2^31.
[[nodiscard]] constexpr bool sequence_after(std::uint32_t a, std::uint32_t b) noexcept {
  return sequence_distance(a, b) > 0;
}

}  // namespace takt::protocol
