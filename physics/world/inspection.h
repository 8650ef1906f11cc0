// list_contacts(), list_overlaps() and list_grabs() copy contacts, sensor overlaps and grabs (springs that
// pull a body to a target) of WorldState into their public form. The public types are in
// takt/physics/inspection.h and takt/physics/step.h. World's functions of these names call them. WorldState
// stays unchanged.
#pragma once

#include <vector>

#include "physics/state/world_state.h"
#include "takt/physics/inspection.h"
#include "takt/physics/step.h"

namespace takt {

/// Lists every point of every contact between shapes that still exist, in the order of the contacts' keys;
/// clears `out` first.
template <class Real>
void list_contacts(const WorldState<Real>& state, std::vector<ContactView>& out);

/// Lists every sensor overlap between shapes that still exist; clears `out` first.
template <class Real>
void list_overlaps(const WorldState<Real>& state, std::vector<SensorOverlap>& out);

/// Lists every grab in index order; clears `out` first.
template <class Real>
void list_grabs(const WorldState<Real>& state, std::vector<GrabView>& out);

}  // namespace takt
