// HitReporter::report() appends a hit event for each contact that closed faster than the world's threshold
// and got an impulse. store_overlaps() replaces the sensor overlaps in WorldState by those of this tick, and
// reports overlaps that began and ended. StepPipeline calls both once a tick, after the substeps.
// to_overlap() returns the public form of a stored overlap. Begun and ended contacts are reported where
// contacts are stored (contact_persistence.h).
#pragma once

#include <span>

#include "physics/base/parallel_filter.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

/// The public form of a stored overlap.
[[nodiscard]] SensorOverlap to_overlap(const OverlapRecord& record) noexcept;

class HitReporter {
 public:
  /// Appends a hit event for each contact that closed faster than WorldDef::hit_threshold_m_s and got an
  /// impulse above 0. Call it after the substeps, before bodies are stored: `state` has the poses of the
  /// tick's start.
  template <class Real>
  void report(const WorldState<Real>& state, std::span<const PreparedContact<Real>> contacts,
              StepEvents& events, TaskPool* pool);

 private:
  FilteredItems<std::uint32_t> hits_;  ///< indices of contacts
};

/// Replaces state.overlaps by `found`, which is ascending by key, and appends begun and ended overlaps to
/// `events`, sorted.
template <class Real>
void store_overlaps(WorldState<Real>& state, std::span<const OverlapRecord> found, StepEvents& events);

}  // namespace takt
