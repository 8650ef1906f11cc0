// answer_query() answers one query of include/takt/physics/query.h; World::query() calls it for single
// queries and for batches. The broad phase finds candidates, and the exact geometry of each shape tests them.
// The hits are sorted by fraction of the cast or by distance, then by shape index. check() returns the first
// error of a query; answer_query() calls it first.
#pragma once

#include <optional>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/state/world_state.h"
#include "takt/core/result.h"
#include "takt/physics/query.h"

namespace takt {

/// The first error in a query, without building its shape, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const Query& query) noexcept;

/// Answers a query: returns whether a shape was hit, and appends its hits to `out`, sorted. Changes proxies
/// only. A query that passes the limit of `work` ends at once, finds nothing and appends nothing.
template <class Real>
[[nodiscard]] Result<bool, PhysicsError> answer_query(const WorldState<Real>& state, Proxies& proxies,
                                                      const Query& query, std::vector<QueryHit>& out,
                                                      QueryWork& work);

}  // namespace takt
