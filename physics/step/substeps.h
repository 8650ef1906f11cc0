// The solve of a tick: contacts into blocks, substep after substep, impulses back into the contacts. Workers
// share the blocks of one colour, which have no moving body in common, and the bodies while each moves by
// itself; a colour ends before the next begins. What depends on an order goes on alone, in that order:
// impacts, grabs, load groups and contacts past the last colour.
#pragma once

#include "physics/step/step.h"
#include "physics/step/step_constants.h"

namespace takt {

/// Takes derived.bodies, derived.moving and derived.found.contacts through the substeps. Counts colours,
/// overflow and points into `status`.
template <class Real>
void run_substeps(const WorldState<Real>& state, DerivedState<Real>& derived,
                  const StepConstants<Real>& constants, const StepOptions& options, StepStatus& status);

}  // namespace takt
