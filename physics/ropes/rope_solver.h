// The ropes of a tick in the substeps: Verlet's rule, then passes that solve all segments of a rope at once,
// with the bodies at its pins and under its nodes (docs/ROPES.md). Ropes go on one after another, in the
// order of their places.
//
// A pass is one Newton step on the equations of the substep's end, with the geometric stiffness of segments
// that pull (which keeps a taut chain of light nodes still): Source of the rule: T. Jakobsen, Advanced
// Character Physics (2001); of compliance: M. Macklin and others, XPBD (2016); of the geometric stiffness: M.
// Tournier and others, Stable Constrained Dynamics (2015).
#pragma once

#include "physics/step/step.h"
#include "physics/step/step_constants.h"

namespace takt {

/// Fills derived.ropes with the ropes that are awake. Needs the solver's bodies and leaves in place.
template <class Real>
void prepare_ropes(const WorldState<Real>& state, DerivedState<Real>& derived,
                   const StepConstants<Real>& constants);

/// One substep: moves nodes and changes velocities of bodies. Between the integration of velocities and of
/// positions.
template <class Real>
void solve_ropes(DerivedState<Real>& derived);

/// Writes nodes back; a rope that left the finite numbers or the world stays where it was, frozen. Counts how
/// long each has been still.
template <class Real>
void store_ropes(WorldState<Real>& state, DerivedState<Real>& derived);

}  // namespace takt
