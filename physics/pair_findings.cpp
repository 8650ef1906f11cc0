#include "physics/pair_findings.h"

#include <algorithm>

namespace takt {

void even_out(std::vector<PairScratch>& workers) {
  auto const widen = [&workers](auto list) {
    std::size_t most = 0;
    for (PairScratch& worker : workers) most = std::max(most, list(worker).capacity());
    for (PairScratch& worker : workers) list(worker).reserve(most);
  };
  widen([](PairScratch & worker) -> auto& { return worker.surface.facet_points; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.points; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.edges; });
  widen([](PairScratch & worker) -> auto& { return worker.surface.manifolds; });
  widen([](PairScratch & worker) -> auto& { return worker.taken_points; });
  widen([](PairScratch & worker) -> auto& { return worker.tree_stack; });
}

}  // namespace takt
