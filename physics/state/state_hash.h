// Hash of canonical state: XXH3-64 over the canonical encoding (world_image.h), without building the encoding
// in memory.
#pragma once

#include <cstdint>

#include "physics/state/world_state.h"
#include "takt/core/hash.h"

namespace takt {

/// `hasher` is scratch: it is reset first.
template <class Real>
[[nodiscard]] std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher);

}  // namespace takt
