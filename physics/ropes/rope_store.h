// These functions create, cut and destroy ropes in WorldState, and set or remove their pins. A pin attaches a
// node to a body or to a point of the world. World's rope calls (world_ropes.cpp) use the functions after
// rope_check.h has checked the arguments; World::destroy_body() uses unpin_body(). Nodes stay grouped by
// rope, and pins sorted by rope and node. unpin_body() wakes the ropes that it unpins; the other functions
// leave waking ropes and bodies to the caller.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Inserts a rope of a checked definition (rope_check.h), with its nodes at rest and without pins.
template <class Real>
RopeId insert_rope(WorldState<Real>& state, const RopeDef& def);
/// Erases a rope, its nodes and its pins.
template <class Real>
void erase_rope(WorldState<Real>& state, std::uint32_t rope);
/// Cuts segment `segment` (between nodes `segment` and `segment` + 1). The nodes after it become a new rope
/// with the same settings and with their pins. The result is the new rope's id. `segment` + 1 is below the
/// node count (asserted); a rope may have one node.
template <class Real>
RopeId part_rope(WorldState<Real>& state, std::uint32_t rope, std::uint32_t segment);

/// Inserts a pin, or replaces the node's pin. A null body pins the node to the world, by default where the
/// node is. pin.node is below the node count (asserted).
template <class Real>
void put_pin(WorldState<Real>& state, std::uint32_t rope, const RopePin& pin);
/// Removes the pin of a node; a node without one stays as it is.
template <class Real>
void drop_pin(WorldState<Real>& state, std::uint32_t rope, std::uint32_t node);
/// Removes all pins on a body, and wakes the ropes that had them.
template <class Real>
void unpin_body(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
