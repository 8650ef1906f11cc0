// NarrowPhaseResults holds the results of the narrow phase: contacts, indices of stored contacts between
// inactive bodies, sensor overlaps, and sleeping bodies to wake. ContactDetection divides the sorted
// candidate pairs into runs of consecutive pairs, and workers fill one NarrowPhaseResults for each run.
// ContactDetection appends the results of the runs in order, so the lists equal those of one worker. The
// contact solver and ContactPersistence read the complete lists. PairScratch is the scratch of one worker;
// reserve_equally() gives all workers equally large scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/contacts/contact_graph.h"
#include "physics/narrow_phase/collide_mesh.h"

namespace takt {

/// All lists but `reached` ascend by key. The lists of two workers share no cache line.
template <class Real>
struct alignas(64) NarrowPhaseResults {
  std::vector<PreparedContact<Real>> contacts;
  std::vector<ContactBodies> contact_bodies;     ///< of the contacts
  std::vector<std::uint32_t> surviving_records;  ///< indices in state.contacts of contacts between inactive
                                                 ///< bodies, ascending
  std::vector<OverlapRecord> overlaps;
  std::vector<std::uint32_t>
      reached;                  ///< sleeping bodies that an active body reaches within the tick; may repeat
  bool beside_sleeper = false;  ///< a contact has an active and a sleeping body

  void clear() noexcept {
    contacts.clear();
    contact_bodies.clear();
    surviving_records.clear();
    overlaps.clear();
    reached.clear();
    beside_sleeper = false;
  }
};

/// The first index of one run's results in the lists of the whole tick.
struct ResultsOffset {
  std::size_t contact = 0;
  std::size_t surviving_record = 0;
};

/// Scratch of one worker. The values have no meaning between pairs.
struct alignas(64) PairScratch {
  SurfaceScratch surface;
  std::vector<std::uint8_t>
      taken_points;  ///< by old contact of a pair: bits of the points whose impulses are matched
};

/// Raises the capacities of every worker's scratch to the largest among the workers. Any worker may process
/// any pair, so a steady tick allocates nothing only if all scratch is equally large.
void reserve_equally(std::vector<PairScratch>& workers);

}  // namespace takt
