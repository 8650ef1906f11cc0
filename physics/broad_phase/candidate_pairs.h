// The pairs of shapes that the narrow phase looks at: what the broad phase lists, and every movable shape
// with every half-space, kept when exact bounds overlap and one of them can move or notice. A pure function
// of poses and filters: what the broad phase reports beyond the truth is dropped here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/state/pair_key.h"
#include "physics/step/step.h"

namespace takt {

/// Tests whether a joint keeps two bodies from touching. `joined` has the keys of such pairs, ascending.
[[nodiscard]] inline bool are_joined(const std::vector<std::uint64_t>& joined, std::uint32_t a,
                                     std::uint32_t b) noexcept {
  if (joined.empty()) return false;
  std::uint64_t const key = pair_key(a, b);
  // Binary search without a branch: no processor could predict it.
  const std::uint64_t* at = joined.data();
  for (std::size_t left = joined.size(); left > 1;) {
    std::size_t const half = left / 2;
    at += at[half] <= key ? half : 0;
    left -= half;
  }
  return *at == key;
}

/// Sorted by key, unique; in the scratch of `derived`. Needs leaves and pairs in place (place_shapes).
template <class Real>
[[nodiscard]] std::span<const std::uint64_t> find_candidates(const WorldState<Real>& state,
                                                             DerivedState<Real>& derived, TaskPool* pool);

}  // namespace takt
