// ContactPersistence stores the contacts of a tick in WorldState, after the last substep. The next tick reads
// this list for cached manifolds and impulses. The list belongs to the saved and hashed state, and ascends by
// key (pair of shapes), then child (part of a mesh). The list contains the solved contacts and, unchanged,
// the records of contacts between inactive bodies (asleep or static). StepPipeline calls begin(), write() for
// each part (workers share the parts), then finish(). finish() replaces the world's list and reports the
// shape pairs that began or ended to touch.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/contacts/narrow_phase_results.h"
#include "physics/state/world_state.h"
#include "takt/core/task_pool.h"
#include "takt/physics/step.h"

namespace takt {

/// Touches that began and ended, ascending by key. The lists of two workers share no cache line.
struct alignas(64) TouchChanges {
  std::vector<ContactEvent> begin;
  std::vector<ContactEvent> end;
};

template <class Real>
class ContactPersistence {
 public:
  /// Sizes the new list for `results`. Returns the number of parts for write().
  [[nodiscard]] std::size_t begin(const NarrowPhaseResults<Real>& results);
  /// Writes one part of the new list: surviving records, and records of solved contacts. Call it once for
  /// each part, in any order or concurrently.
  void write(const WorldState<Real>& state, const NarrowPhaseResults<Real>& results, std::size_t part);
  /// After all parts: reports begun and ended touches, and replaces state.contacts.
  void finish(WorldState<Real>& state, StepEvents& events, TaskPool* pool);

 private:
  std::vector<ContactRecord<Real>> records_;
  std::vector<TouchChanges> changes_;  ///< by part of the records
};

}  // namespace takt
