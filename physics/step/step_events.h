// What a step says about hits and sensors. Contacts that begin and end are reported where contacts are stored
// (contact_persistence.h).
#pragma once

#include "physics/step/step.h"

namespace takt {

/// A record as the owner of a world sees it.
[[nodiscard]] SensorOverlap to_overlap(const OverlapRecord& record) noexcept;

/// Appends a hit for each contact that came in faster than the threshold and pushed. Before the step's motion
/// is stored.
template <class Real>
void report_hits(const WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                 TaskPool* pool);

/// Replaces state.overlaps by those found in the step and reports what began and ended.
template <class Real>
void store_overlaps(WorldState<Real>& state, const DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
