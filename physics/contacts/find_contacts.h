// From candidate pairs to the sorted list of prepared contacts: manifolds, and the match with last tick's
// impulses by feature id.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Fills derived.found with the contacts of active bodies, the places of stored contacts of others, and what
/// overlaps sensors, all sorted by key. Needs leaves and pairs in place (place_shapes) and
/// derived.solver_index. True: a sleeping body was reached and woken, so that the contacts must be found
/// again.
template <class Real>
[[nodiscard]] bool find_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                                 TaskPool* pool);

}  // namespace takt
