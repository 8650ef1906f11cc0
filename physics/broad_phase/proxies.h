// Where the shapes stand in the broad phase: their leaves follow the pools and poses.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Brings the leaves of the broad phase and the list of half-spaces in line with the pools and poses.
template <class Real>
void update_proxies(const WorldState<Real>& state, PersistentState& derived, TaskPool* pool);
/// The same, and the pairs with them.
template <class Real>
void place_shapes(const WorldState<Real>& state, PersistentState& derived, PairSearch& search,
                  TaskPool* pool);

/// The same at once for the shapes of one body, which will not be looked at again while it sleeps.
template <class Real>
void place_sleeper(const WorldState<Real>& state, PersistentState& derived, std::uint32_t body);

}  // namespace takt
