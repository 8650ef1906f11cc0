// The pairs of shapes that the narrow phase looks at: what the broad phase lists, and every movable shape
// with every half-space, kept when exact bounds overlap and one of them can move or notice. A pure function
// of poses and filters: what the broad phase reports beyond the truth is dropped here.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Sorted by key, unique; in the scratch of `derived`. Needs leaves and pairs in place (place_shapes).
template <class Real>
[[nodiscard]] std::span<const std::uint64_t> find_candidates(const WorldState<Real>& state,
                                                             DerivedState<Real>& derived, TaskPool* pool);

}  // namespace takt
