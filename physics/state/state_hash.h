// hash_state() returns the hash of a world's state: XXH3-64 over the bytes that encode_state()
// (world_image.h) would write, without building them in memory. World::hash() calls it.
#pragma once

#include <cstdint>

#include "physics/state/world_state.h"
#include "takt/core/hash.h"

namespace takt {

/// `hasher` is scratch: it is reset first.
template <class Real>
[[nodiscard]] std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher);

}  // namespace takt
