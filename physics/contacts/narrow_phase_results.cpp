#include "physics/contacts/narrow_phase_results.h"

#include <algorithm>

namespace takt {

void even_out(std::vector<PairScratch>& workers) {
  auto const widen = [&workers](auto list) {
    std::size_t upper = 0;
    for (PairScratch& worker : workers) upper = std::max(upper, list(worker).capacity());
    for (PairScratch& worker : workers) list(worker).reserve(upper);
  };
  widen([](PairScratch & worker) -> auto& { return worker.surface.facet_points; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.points; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.edges; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.manifolds; });
  widen([](PairScratch & worker) -> auto& { return worker.taken_points; });
  widen([](PairScratch & worker) -> auto& { return worker.tree_stack; });
}

}  // namespace takt
