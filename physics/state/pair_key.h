// pair_key() combines two shape or body indices into one 64-bit key, equal for both orders; pair_first() and
// pair_second() return the lower and the higher index. Contacts (with the triangle of a surface), overlaps of
// sensors and candidate pairs are sorted by these keys. The keys thus fix the order of all contact work.
// Saved worlds contain them.
#pragma once

#include <cstdint>

#include "takt/core/assert.h"

namespace takt {

/// Combines two different indices; the lower one is in the upper 32 bits.
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
