// From poses to the sorted list of prepared contacts: broad phase, exact bounds, manifolds, and the match with last tick's impulses by feature id.
#pragma once

#include "physics/step.h"

namespace takt {

/// Brings the leaves of the broad phase and the list of half-spaces in line with the pools and poses.
template <class Real>
void place_leaves(const WorldState<Real>& state, DerivedState<Real>& derived);
/// The same, and the pairs with them.
template <class Real>
void place_shapes(const WorldState<Real>& state, DerivedState<Real>& derived);

/// The same at once for the shapes of one body, which will not be looked at again while it sleeps.
template <class Real>
void place_sleeper(const WorldState<Real>& state, DerivedState<Real>& derived, std::uint32_t body);

/// Fills derived.contacts with the contacts of active bodies and derived.kept_records with those of others, and
/// derived.overlaps with what overlaps sensors, all sorted by key. Needs derived.solver_index. True: a
/// sleeping body was reached and woken, so that the contacts must be found again.
template <class Real>
[[nodiscard]] bool find_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

/// Replaces state.contacts by the kept records and what the step left in derived.contacts, and reports touches that began and ended.
template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
