// Functions that create, cut and destroy ropes in WorldState, and set or remove their pins. World's rope
// calls use them after rope_check.h has checked the arguments. Nodes stay grouped by rope and pins sorted by
// rope and node. unpin_body() wakes the ropes that it unpins; otherwise the caller wakes ropes and bodies.
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
