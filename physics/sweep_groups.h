// Where continuous collision takes one body of a group of joints back, the whole group ends the tick at that moment of its way: joints would else be torn open by as
// much as the body was taken back. A car or a ragdoll so loses a part of a tick when a part of it hits something fast, and of its speed only what gravity would have added in that part. What lies on it without a joint goes on alone.
#pragma once

#include "physics/step.h"

namespace takt {

/// Brings every body of a group to the least share of its way that derived.way_shares has for any of them, as seen by what stops that one.
template <class Real>
void hold_groups_back(const WorldState<Real>& state, DerivedState<Real>& derived);

}  // namespace takt
