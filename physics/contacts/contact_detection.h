// Contact detection of a tick: from candidate pairs to the sorted list of prepared contacts. It runs the
// narrow phase, recycles manifolds, and matches impulses of the last tick by feature. It solves nothing and
// wakes nothing: it lists the sleeping bodies that something active reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/broad_phase/candidate_pairs.h"
#include "physics/contacts/narrow_phase_results.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class ContactDetection {
 public:
  /// Replaces results(): the contacts of active bodies, the indices of stored contacts of others, and sensor
  /// overlaps, all ascending by key. `joined` as in CandidatePairs. `solver_index`: by body, 0 for one that
  /// does not move. Needs Proxies::begin_step().
  void find(const WorldState<Real>& state, const Proxies& proxies, const std::vector<std::uint64_t>& joined,
            std::span<const std::uint32_t> solver_index, TaskPool* pool);

  [[nodiscard]] NarrowPhaseResults<Real>& results() noexcept { return results_; }
  [[nodiscard]] const NarrowPhaseResults<Real>& results() const noexcept { return results_; }

 private:
  void gather(std::span<const NarrowPhaseResults<Real>> runs, TaskPool* pool);

  CandidatePairs pairs_;
  NarrowPhaseResults<Real> results_;
  std::vector<NarrowPhaseResults<Real>> run_results_;  ///< by run of pairs, when workers share them
  std::vector<ResultsOffset> offsets_;                 ///< by run
  std::vector<PairScratch> workers_{PairScratch{}};    ///< at least 1
};

}  // namespace takt
