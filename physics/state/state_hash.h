// hash_state() returns the hash of a world's state: XXH3-64 over the bytes that encode_state()
// (world_image.h) would write, without storing all of them in memory. World::hash() calls hash_state().
#pragma once

#include <cstdint>

#include "physics/state/world_state.h"
#include "takt/core/hash.h"

namespace takt {

/// `hasher` is scratch: it is reset first.
template <class Real>
[[nodiscard]] std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher);

}  // namespace takt
