// Disjoint sets of places, each named by its lowest, so that the result does not depend on the order of joins. `parents` holds for each place one nearer to that lowest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Each place by itself.
inline void part_all(std::vector<std::uint32_t>& parents, std::uint32_t count) {
  parents.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) parents[i] = i;
}

/// The lowest place of a set. Halves paths on the way.
[[nodiscard]] inline std::uint32_t root_of(std::span<std::uint32_t> parents, std::uint32_t at) noexcept {
  while (parents[at] != at) {
    parents[at] = parents[parents[at]];
    at = parents[at];
  }
  return at;
}

inline void join(std::span<std::uint32_t> parents, std::uint32_t a, std::uint32_t b) noexcept {
  a = root_of(parents, a);
  b = root_of(parents, b);
  parents[a < b ? b : a] = a < b ? a : b;
}

}  // namespace takt
