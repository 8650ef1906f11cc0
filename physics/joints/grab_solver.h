// The grab: a soft three-row point constraint that pulls a point of one body to a target, its impulse held
// within a maximum (CONSTRAINTS 1.9, 1.10, 2.4). It has no relax pass: that would undo a spring that is meant
// to be soft.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Fills derived.grabs in id order. Needs the solver's bodies.
template <class Real>
void prepare_grabs(const WorldState<Real>& state, DerivedState<Real>& derived, Real substep);
template <class Real>
void warm_start_grabs(DerivedState<Real>& derived);
template <class Real>
void solve_grabs(DerivedState<Real>& derived, const ContactSoftness<Real>& soft);
/// Puts the impulses back into the pool.
template <class Real>
void store_grabs(WorldState<Real>& state, const DerivedState<Real>& derived);

}  // namespace takt
