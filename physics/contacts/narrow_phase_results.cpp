#include "physics/contacts/narrow_phase_results.h"

#include <algorithm>

namespace takt {

void reserve_equally(std::vector<PairScratch>& workers) {
  auto const reserve_all = [&workers](auto list) {
    std::size_t upper = 0;
    for (PairScratch& worker : workers) upper = std::max(upper, list(worker).capacity());
    for (PairScratch& worker : workers) list(worker).reserve(upper);
  };
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.facet_points; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.points; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.edges; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.manifolds; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.held; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.surface.sample; });
  reserve_all([](PairScratch & worker) -> auto& { return worker.taken_points; });
}

}  // namespace takt
