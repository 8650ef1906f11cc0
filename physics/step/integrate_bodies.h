// integrate_velocities() and integrate_positions() advance the solver's bodies by one substep, in this order
// (semi-implicit Euler). integrate_velocities() adds gravity, forces and damping to dynamic bodies.
// integrate_positions() moves dynamic and kinematic bodies. run_substeps() (substeps.h) calls them, and
// between them runs the biased pass over all constraints. No body reads another one, so workers share the
// loops.
#pragma once

#include "physics/constraints/solver_bodies.h"
#include "takt/core/task_pool.h"

namespace takt {

/// Adds gravity, forces and damping of one substep to the velocities of dynamic bodies, and clamps these to
/// kMaxLinearSpeedMS and kMaxAngularSpeedRadS. `pool` may be null.
template <class Real>
void integrate_velocities(SolverBodies<Real>& bodies, TaskPool* pool);
/// Adds the displacement of a substep of `h` s > 0 (asserted) to delta positions, delta rotations and
/// rotations. `pool` may be null.
template <class Real>
void integrate_positions(SolverBodies<Real>& bodies, Real h, TaskPool* pool);

}  // namespace takt
