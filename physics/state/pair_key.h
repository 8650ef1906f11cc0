// The key of an unordered pair of pool indices. Contacts, overlaps and candidates are sorted by it, so it
// fixes the order of all contact work and stands in images.
#pragma once

#include <cstdint>

#include "takt/core/assert.h"

namespace takt {

/// Lower index in the upper 32 bits.
[[nodiscard]] inline std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) noexcept {
  TAKT_VALIDATE(a != b);
  return a < b ? (std::uint64_t{a} << 32u) | b : (std::uint64_t{b} << 32u) | a;
}
[[nodiscard]] inline std::uint32_t pair_first(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(key >> 32u);
}
[[nodiscard]] inline std::uint32_t pair_second(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(key);
}

}  // namespace takt
