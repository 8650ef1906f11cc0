// answer_query() answers one query of include/takt/physics/query.h; World::query() calls it for single
// queries and for batches. The broad phase finds candidates, and each is tested with its exact geometry. Hits
// are sorted by fraction of the cast or by distance, then by shape index. check() returns the first error of
// a query; answer_query() calls it first.
#pragma once

#include <optional>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/state/world_state.h"
#include "takt/core/result.h"
#include "takt/physics/query.h"

namespace takt {

/// Returns the first error in the fields of a query, or nothing. Errors of building a hull are not found
/// here.
[[nodiscard]] std::optional<PhysicsError> check(const Query& query) noexcept;

/// Answers a query: returns true if a shape was hit, and appends the sorted hits to `out`. Mode kAny appends
/// none, kClosest at most one. `proxies` are those of the world and are updated first; the state stays
/// unchanged. A query that passes the limit of `work` ends there: it returns false, appends nothing and sets
/// work.exceeded. Errors are those of check() and of make_hull().
template <class Real>
[[nodiscard]] Result<bool, PhysicsError> answer_query(const WorldState<Real>& state, Proxies& proxies,
                                                      const Query& query, std::vector<QueryHit>& out,
                                                      QueryWork& work);

}  // namespace takt
