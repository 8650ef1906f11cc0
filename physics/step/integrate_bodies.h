// integrate_velocities() and integrate_positions() integrate the solver bodies over one substep, in this
// order (semi-implicit Euler); run_substeps (substeps.h) solves the constraints between the two. Each body is
// integrated by itself: none reads another.
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
