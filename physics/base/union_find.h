// find_root() and unite() are union-find over the indices of an array, which reset_sets() initialises.
// Islands, joint groups, joint trees, welded bodies and the contact sets of mass lending are built with these
// functions. Each set is represented by its lowest index, so the result does not depend on the order of
// unions. `parents[i]` is a lower index of the set of i, or i itself if no index of the set is lower.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/core/assert.h"

namespace takt {

/// Puts each index into a set of its own.
inline void reset_sets(std::vector<std::uint32_t>& parents, std::uint32_t count) {
  parents.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) parents[i] = i;
}

/// Returns the lowest index of the set of `at`, and shortens the path to it in `parents`. `at` is below
/// parents.size().
[[nodiscard]] inline std::uint32_t find_root(std::span<std::uint32_t> parents, std::uint32_t at) noexcept {
  TAKT_VALIDATE(at < parents.size());
  while (parents[at] != at) {
    TAKT_VALIDATE(parents[at] < at);
    parents[at] = parents[parents[at]];
    at = parents[at];
  }
  return at;
}

/// Makes one set of the sets of a and b; both indices are below parents.size().
inline void unite(std::span<std::uint32_t> parents, std::uint32_t a, std::uint32_t b) noexcept {
  a = find_root(parents, a);
  b = find_root(parents, b);
  parents[a < b ? b : a] = a < b ? a : b;
}

}  // namespace takt
