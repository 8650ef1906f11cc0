// Disjoint sets of places, each named by its lowest, so that the result does not depend on the order of
// joins. `parents` holds for each place one nearer to that lowest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Each place by itself.
inline void reset_sets(std::vector<std::uint32_t>& parents, std::uint32_t count) {
  parents.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) parents[i] = i;
}

/// The lowest place of a set. Halves paths on the way.
[[nodiscard]] inline std::uint32_t find_root(std::span<std::uint32_t> parents, std::uint32_t at) noexcept {
  while (parents[at] != at) {
    parents[at] = parents[parents[at]];
    at = parents[at];
  }
  return at;
}

inline void unite(std::span<std::uint32_t> parents, std::uint32_t a, std::uint32_t b) noexcept {
  a = find_root(parents, a);
  b = find_root(parents, b);
  parents[a < b ? b : a] = a < b ? a : b;
}

}  // namespace takt
