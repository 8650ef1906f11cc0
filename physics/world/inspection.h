// Contacts and grabs of a world's canonical state as its owner sees them (takt/physics/inspection.h). Read
// only.
#pragma once

#include <vector>

#include "physics/state/world_state.h"
#include "takt/physics/inspection.h"
#include "takt/physics/step.h"

namespace takt {

/// Every point of every contact, in the order of the contacts' keys; clears `out` first.
template <class Real>
void list_contacts(const WorldState<Real>& state, std::vector<ContactView>& out);

/// Every overlap of a sensor between shapes that are still there; clears `out` first.
template <class Real>
void list_overlaps(const WorldState<Real>& state, std::vector<SensorOverlap>& out);

/// Every grab in the order of its place; clears `out` first.
template <class Real>
void list_grabs(const WorldState<Real>& state, std::vector<GrabView>& out);

}  // namespace takt
