// ContactPersistence stores the contacts of a tick in the world after the last substep, as the list that the
// next tick matches impulses against. The list belongs to the hashed state and ascends by key. The list
// contains the solved contacts and, unchanged, the records of contacts between inactive bodies. finish()
// replaces the world's list and reports the touches that began and ended.
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
