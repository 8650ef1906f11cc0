// The moves of a tick's movers (docs/MOVER.md): before contacts are found, in id order, each mover goes its
// way through what is around it, and its kinematic body is sent to where that ends. Binary64 in both number
// modes (docs/adr/0009); a function of canonical state alone.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Moves every mover whose body takes part. Needs leaves in place; gives bodies velocities, targets and
/// forces, and wakes what is pushed. False: there is none, and nothing has changed.
template <class Real>
bool move_movers(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
