// Movement of all movers of a tick (docs/MOVER.md). Before contacts are found, each mover in id order moves
// through its surroundings, and its kinematic body gets the end position as target. Binary64 in both number
// modes (docs/adr/0009); a function of canonical state alone.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Moves every mover whose body is enabled. Sets velocities, targets and forces of bodies, and wakes pushed
/// bodies. Requires up-to-date proxies. Returns false, without changes, when there is no mover.
template <class Real>
bool move_movers(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
