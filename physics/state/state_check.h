// is_consistent() validates the decoded state of a saved world. The bytes are untrusted, so load_image()
// (world_image.h) calls it before any step. is_ordered() is a debug check of a world's own state.
// is_consistent() calls joint_check.h and rope_check.h for the records of joints and ropes.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// True when every index names a living record, every enum has one of its values, and every number is finite
/// and in range.
template <class Real>
[[nodiscard]] bool is_consistent(const WorldState<Real>& state);

/// True when every pool is consistent and every list is sorted by its key, on which the order of all work
/// rests. For TAKT_VALIDATE of a world's own state; is_consistent() is for untrusted states.
template <class Real>
[[nodiscard]] bool is_ordered(const WorldState<Real>& state);

}  // namespace takt
