// From a step's contacts to the stored ones, which the next tick finds again.
#pragma once

#include "physics/step.h"

namespace takt {

/// Replaces state.contacts by the kept records and what the step left in the contacts found, and reports touches that began and ended.
template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events, TaskPool* pool);

}  // namespace takt
