// What a substep does to velocities and positions of the bodies that move. Each by itself: no body looks at
// another here.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// What gravity, forces and damping do to velocities in one substep.
template <class Real>
void integrate_velocities(DerivedState<Real>& derived, TaskPool* pool);
/// What velocities do to positions in a substep of h s.
template <class Real>
void integrate_positions(DerivedState<Real>& derived, Real h, TaskPool* pool);

}  // namespace takt
