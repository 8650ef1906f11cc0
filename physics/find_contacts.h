// From poses to the sorted list of prepared contacts: broad phase, exact bounds, manifolds, and the match with last tick's impulses by feature id.
#pragma once

#include "physics/step.h"

namespace takt {

/// Brings the leaves of the broad phase in line with the pools and poses.
template <class Real>
void place_shapes(const WorldState<Real>& state, DerivedState<Real>& derived);

/// Fills derived.contacts, sorted by key. Needs derived.solver_index.
template <class Real>
void find_contacts(const WorldState<Real>& state, DerivedState<Real>& derived);

/// Replaces state.contacts by what the step left in derived.contacts, and reports touches that began and ended.
template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
