// ContactDetection finds the contacts of a tick; StepPipeline calls find() after it has gathered the moving
// bodies. find() turns the candidate pairs of the broad phase into prepared contacts, ascending by key (pair
// of shapes), and sensor overlaps. A body is active if it is awake, moving or just changed (is_active() of
// activity.h). A pair with an active body reuses a loaded manifold of an earlier tick while both bodies stay
// within the tolerances of manifold_cache.h. Otherwise the narrow phase computes a new manifold, whose points
// get the impulses of the last tick. Stored contacts between two inactive bodies are not computed; find()
// lists their indices. Sleeping bodies that an active body reaches are only listed; StepPipeline wakes them
// and calls find() again. ContactSolver solves the contacts. CandidatePairs limits pairs by
// WorldDef::max_contacts, and TriangleBudget the triangles that pairs test. Pairs with half-spaces, and
// several contacts of a pair with a mesh, may still exceed that number; cut() then leaves out contacts.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/broad_phase/candidate_pairs.h"
#include "physics/contacts/narrow_phase_results.h"
#include "physics/contacts/triangle_budget.h"
#include "physics/state/world_state.h"

namespace takt {

/// Rank of a contact in the order in which cut() keeps contacts: lower ranks first.
struct ContactRank {
  /// The shape that decides: the one of a dynamic body, or the higher index of two. Plus 2^32 if both bodies
  /// are dynamic.
  std::uint64_t shape = 0;
  std::uint64_t other = 0;  ///< the other shape x 2^32 + the child
  std::uint32_t index = 0;  ///< of the contact
  friend auto operator<=>(const ContactRank&, const ContactRank&) = default;
};

template <class Real>
class ContactDetection {
 public:
  /// Replaces results(): the contacts of active bodies, the indices of stored contacts of others, and sensor
  /// overlaps, all ascending by key. `joined` is the result of list_joined() for this state. `solver_index`
  /// is SolverBodies::solver_index, one entry per body slot. Proxies::begin_step() must have run for this
  /// state. A null `pool` means the calling thread.
  void find(const WorldState<Real>& state, const Proxies& proxies, const JoinedBodies& joined,
            std::span<const std::uint32_t> solver_index, TaskPool* pool);

  /// True when WorldDef::max_contacts left out pairs, triangles or contacts in the last find().
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  /// Results of the last find(). The solver writes impulses into them.
  [[nodiscard]] NarrowPhaseResults<Real>& results() noexcept { return results_; }
  [[nodiscard]] const NarrowPhaseResults<Real>& results() const noexcept { return results_; }

 private:
  void gather(std::span<const NarrowPhaseResults<Real>> runs, TaskPool* pool);
  void cut(const WorldState<Real>& state);

  CandidatePairs pairs_;
  TriangleBudget<Real> triangles_;
  NarrowPhaseResults<Real> results_;
  std::vector<NarrowPhaseResults<Real>> run_results_;  ///< by run of pairs, when workers share them
  std::vector<ResultsOffset> offsets_;                 ///< by run
  std::vector<PairScratch> workers_{PairScratch{}};    ///< at least 1
  std::vector<ContactRank> ranks_;                     ///< scratch of cut()
  std::vector<std::uint8_t> is_kept_;                  ///< scratch of cut(): by contact
  bool is_cut_ = false;
};

}  // namespace takt
