// The integration of one substep: velocities, then positions (semi-implicit Euler). Each body by itself: no
// body reads another here.
#pragma once

#include "physics/constraints/solver_bodies.h"
#include "takt/core/task_pool.h"

namespace takt {

/// Adds gravity, forces and damping of one substep to the velocities, and clamps them.
template <class Real>
void integrate_velocities(SolverBodies<Real>& bodies, TaskPool* pool);
/// Adds the velocities of a substep of h s to positions and rotations.
template <class Real>
void integrate_positions(SolverBodies<Real>& bodies, Real h, TaskPool* pool);

}  // namespace takt
