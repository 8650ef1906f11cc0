// Rope solver: Verlet's rule per substep, then passes that solve all segments of a rope at once, together
// with the bodies at its pins and under its nodes (docs/ROPES.md). Ropes are processed in pool order.
//
// A pass is one Newton step on the equations of the substep's end, with the geometric stiffness of segments
// under tension. That stiffness keeps a taut chain of light nodes stable. Sources: T. Jakobsen, Advanced
// Character Physics (2001), the rule; M. Macklin and others, XPBD (2016), compliance; M. Tournier and others,
// Stable Constrained Dynamics (2015), geometric stiffness.
#pragma once

#include "physics/step/step.h"
#include "physics/step/step_constants.h"

namespace takt {

/// Fills derived.ropes with the awake ropes. Requires the solver bodies and up-to-date proxies.
template <class Real>
void prepare_ropes(const WorldState<Real>& state, DerivedState<Real>& derived,
                   const StepConstants<Real>& constants);

/// Runs one substep: moves nodes and changes velocities of bodies. Call between the integration of velocities
/// and of positions.
template <class Real>
void solve_ropes(DerivedState<Real>& derived);

/// Writes nodes back. A rope that left the finite numbers or the world keeps its last position and is frozen.
/// Counts the ticks for which each rope has been still.
template <class Real>
void store_ropes(WorldState<Real>& state, DerivedState<Real>& derived);

}  // namespace takt
