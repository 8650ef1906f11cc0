// The bodies of a tick that move: out of the pool, through the substeps, back into the pool. Each by itself:
// no body looks at another here.
#pragma once

#include "physics/step/step.h"
#include "physics/step/step_constants.h"

namespace takt {

/// Bodies that stand where they were sent have no velocity of their own any more.
template <class Real>
void end_targets(WorldState<Real>& state);

/// Fills the solver's bodies, masses, moving bodies and gyroscopes, in the order of the pool, and
/// derived.solver_index.
template <class Real>
void gather_moving(const WorldState<Real>& state, const StepConstants<Real>& constants,
                   DerivedState<Real>& derived, TaskPool* pool);

/// To the spin in the middle of the substep, with which the body turns (gyroscope.h). `lanes` as in
/// StepOptions.
template <class Real>
void begin_gyroscopic(DerivedState<Real>& derived, double substep_s, std::uint32_t lanes, TaskPool* pool);
/// To the spin at the substep's end, in the frame that the body has turned to.
template <class Real>
void end_gyroscopic(DerivedState<Real>& derived, std::uint32_t lanes, TaskPool* pool);

/// Writes the step's motion back; a body that left the finite numbers or the world stays where it was,
/// frozen. Kinematic bodies stand at their targets.
template <class Real>
void store_bodies(WorldState<Real>& state, const DerivedState<Real>& derived, StepEvents& events,
                  TaskPool* pool);

}  // namespace takt
