// What the narrow phase finds in a run of candidate pairs, and the memory it works in. Runs are cut by place
// in the sorted list of candidates, so that their findings, one after the other, are those of the whole list,
// whoever worked them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/contacts/contact_graph.h"
#include "physics/narrow_phase/collide_mesh.h"

namespace takt {

/// All in the order of the pairs' keys. Two workers' lists share no cache line.
template <class Real>
struct alignas(64) NarrowPhaseResults {
  std::vector<PreparedContact<Real>> contacts;
  std::vector<ContactBodies> contact_bodies;     ///< of the contacts
  std::vector<std::uint32_t> surviving_records;  ///< places in state.contacts of contacts between bodies none
                                                 ///< of which is active, ascending
  std::vector<OverlapRecord> overlaps;
  std::vector<std::uint32_t>
      reached;  ///< sleeping bodies that something active reaches within the tick, as often as that was seen

  void clear() noexcept {
    contacts.clear();
    contact_bodies.clear();
    surviving_records.clear();
    overlaps.clear();
    reached.clear();
  }
};

/// Where the findings of one run go in the lists of the whole tick.
struct ResultsOffset {
  std::size_t contact = 0;
  std::size_t surviving_record = 0;
};

/// Scratch of one worker.
struct alignas(64) PairScratch {
  SurfaceScratch surface;
  std::vector<std::uint8_t> taken_points;  ///< of old contacts of a pair: whose impulses have been taken over
  std::vector<std::int32_t> tree_stack;
};

/// All workers' scratch grows to that of the largest: who meets which pair is chance, and a steady tick
/// allocates nothing whoever does.
void even_out(std::vector<PairScratch>& workers);

}  // namespace takt
