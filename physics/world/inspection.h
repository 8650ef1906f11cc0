// list_contacts(), list_overlaps() and list_grabs() copy contacts, sensor overlaps and grabs (springs that
// pull a body to a target) of WorldState into their public form. The public types are in
// takt/physics/inspection.h and takt/physics/step.h. The functions of World with these names call the ones
// here. WorldState stays unchanged.
#pragma once

#include <vector>

#include "physics/state/world_state.h"
#include "takt/physics/inspection.h"
#include "takt/physics/step.h"

namespace takt {

/// Replaces `out` by every point of every contact between shapes that still exist, in the order of the
/// contacts' keys. Normals, separations and lever arms are those of the cached manifold, which may be some
/// ticks old. state.contacts must be unpacked.
template <class Real>
void list_contacts(const WorldState<Real>& state, std::vector<ContactView>& out);

/// Replaces `out` by every sensor overlap between shapes that still exist, sorted by SensorOverlap's order.
template <class Real>
void list_overlaps(const WorldState<Real>& state, std::vector<SensorOverlap>& out);

/// Replaces `out` by every grab, in index order.
template <class Real>
void list_grabs(const WorldState<Real>& state, std::vector<GrabView>& out);

}  // namespace takt
