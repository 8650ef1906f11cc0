// ContactPersistence stores the contacts of a tick in WorldState, after the last substep. The next tick reads
// this list for cached manifolds and impulses. The list belongs to the saved and hashed state, and ascends by
// key (pair of shapes), then child (part of a mesh). The list contains the solved contacts and, unchanged,
// the records of contacts between inactive bodies (asleep, static or at rest). StepPipeline calls begin(),
// then write() for each part on several workers, then finish(). finish() replaces the world's list and
// reports the pairs of shapes whose touch began or ended.
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
  /// Sizes the new list for `results`. Returns the number of parts for write(), at least 1.
  [[nodiscard]] std::size_t begin(const NarrowPhaseResults<Real>& results);
  /// Writes one part of the new list: surviving records of state.contacts, and records of solved contacts.
  /// Call it once for each part below the result of begin(), with the same `results`, in any order or
  /// concurrently.
  void write(const WorldState<Real>& state, const NarrowPhaseResults<Real>& results, std::size_t part);
  /// Appends begun and ended touches to `events`, and replaces state.contacts, after all parts are written.
  void finish(WorldState<Real>& state, StepEvents& events, TaskPool* pool);

 private:
  std::vector<ContactRecord<Real>> records_;
  std::vector<TouchChanges> changes_;  ///< by part of the records
};

}  // namespace takt
