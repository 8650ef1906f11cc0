// The hash of canonical state: XXH3-64 over the canonical encoding (world_image.h), which is never there as a
// whole.
#pragma once

#include <cstdint>

#include "physics/state/world_state.h"
#include "takt/core/hash.h"

namespace takt {

/// `hasher` is scratch: what it has heard before is forgotten.
template <class Real>
[[nodiscard]] std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher);

}  // namespace takt
