// ContactDetection finds the contacts of a tick; StepPipeline calls find() after it has gathered the moving
// bodies. find() turns the candidate pairs of the broad phase into prepared contacts, ascending by key (pair
// of shapes), and sensor overlaps. A pair with an active body (awake, moving or just changed) reuses its
// manifold of an earlier tick while the bodies have hardly moved. Otherwise the narrow phase computes a new
// one, whose points get last tick's impulses. Stored contacts between two inactive bodies are kept and listed
// by index. Sleeping bodies that an active body reaches are only listed; StepPipeline wakes them and calls
// find() again. ContactSolver solves the contacts. WorldDef::max_contacts bounds them: of a pair with a mesh
// several may be beyond it, and cut() leaves those out.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/broad_phase/candidate_pairs.h"
#include "physics/contacts/narrow_phase_results.h"
#include "physics/state/world_state.h"

namespace takt {

/// Place of a contact in the order in which WorldDef::max_contacts keeps them.
struct ContactRank {
  std::uint64_t shape = 0;  ///< 2^32 if both shapes may move, and the one that decides
  std::uint64_t other = 0;  ///< the other shape and the child, as in a key
  std::uint32_t index = 0;  ///< of the contact
  friend auto operator<=>(const ContactRank&, const ContactRank&) = default;
};

template <class Real>
class ContactDetection {
 public:
  /// Replaces results(): the contacts of active bodies, the indices of stored contacts of others, and sensor
  /// overlaps, all ascending by key. `joined` as in CandidatePairs. `solver_index`: by body, 0 for one that
  /// does not move. Needs Proxies::begin_step().
  void find(const WorldState<Real>& state, const Proxies& proxies, const JoinedBodies& joined,
            std::span<const std::uint32_t> solver_index, TaskPool* pool);

  /// True when WorldDef::max_contacts left out pairs or contacts in the last find().
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  [[nodiscard]] NarrowPhaseResults<Real>& results() noexcept { return results_; }
  [[nodiscard]] const NarrowPhaseResults<Real>& results() const noexcept { return results_; }

 private:
  void gather(std::span<const NarrowPhaseResults<Real>> runs, TaskPool* pool);
  void cut(const WorldState<Real>& state);

  CandidatePairs pairs_;
  NarrowPhaseResults<Real> results_;
  std::vector<NarrowPhaseResults<Real>> run_results_;  ///< by run of pairs, when workers share them
  std::vector<ResultsOffset> offsets_;                 ///< by run
  std::vector<PairScratch> workers_{PairScratch{}};    ///< at least 1
  std::vector<ContactRank> ranks_;                     ///< scratch of cut()
  std::vector<std::uint8_t> is_kept_;                  ///< scratch of cut(): by contact
  bool is_cut_ = false;
};

}  // namespace takt
