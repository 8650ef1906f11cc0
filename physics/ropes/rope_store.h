// Storage of ropes in canonical state: creating, cutting and destroying them, and their pins. All lists stay
// sorted, so state does not depend on history. Nothing is woken here, and arguments must have been checked.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Inserts a rope with its nodes at rest and without pins.
template <class Real>
RopeId insert_rope(WorldState<Real>& state, const RopeDef& def);
template <class Real>
void erase_rope(WorldState<Real>& state, std::uint32_t rope);
/// The nodes after `segment` become a rope of their own.
template <class Real>
RopeId part_rope(WorldState<Real>& state, std::uint32_t rope, std::uint32_t segment);

/// Inserts a pin, or replaces the node's pin.
template <class Real>
void put_pin(WorldState<Real>& state, std::uint32_t rope, const RopePin& pin);
template <class Real>
void drop_pin(WorldState<Real>& state, std::uint32_t rope, std::uint32_t node);
/// Removes all pins on a body, and wakes the ropes that had them.
template <class Real>
void unpin_body(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
