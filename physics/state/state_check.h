// is_consistent() validates the decoded state of a saved world: definitions, indices, enums, links, order and
// ranges. The bytes are untrusted, so load_image() (world_image.h) calls it before any step. Joints and ropes
// are checked by joint_check.h and rope_check.h. is_ordered() checks pools and sorted lists of a world's own
// state; World calls it in builds with the costly checks (TAKT_VALIDATE).
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// True when indices name living records, enums have one of their values, lists are sorted, and numbers are
/// finite and in range. Use counts of geometry must be set (load_image() counts them). Contacts and overlaps
/// of destroyed shapes are accepted: code that reads their keys checks the generations of the shapes.
template <class Real>
[[nodiscard]] bool is_consistent(const WorldState<Real>& state);

/// True when every pool is consistent and every list is sorted by its key, on which the order of all work
/// rests. For TAKT_VALIDATE of a world's own state; is_consistent() is for untrusted states.
template <class Real>
[[nodiscard]] bool is_ordered(const WorldState<Real>& state);

}  // namespace takt
