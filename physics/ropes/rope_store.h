// Ropes in canonical state: making, parting and taking them away, and their pins. Everything stays sorted, so
// there is no history in it. Nothing here wakes anything, and what comes in is checked already.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// With its nodes at rest and without pins.
template <class Real>
RopeId insert_rope(WorldState<Real>& state, const RopeDef& def);
template <class Real>
void erase_rope(WorldState<Real>& state, std::uint32_t rope);
/// The nodes after `segment` become a rope of their own.
template <class Real>
RopeId part_rope(WorldState<Real>& state, std::uint32_t rope, std::uint32_t segment);

/// Puts a pin in, in place of the node's own if it has one.
template <class Real>
void put_pin(WorldState<Real>& state, std::uint32_t rope, const RopePin& pin);
template <class Real>
void drop_pin(WorldState<Real>& state, std::uint32_t rope, std::uint32_t node);
/// Drops all pins on a body, and wakes the ropes that had them.
template <class Real>
void unpin_body(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
