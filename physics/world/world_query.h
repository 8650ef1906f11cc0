// answer_query() answers one query of include/takt/physics/query.h, for World::query(). The broad phase finds
// candidates, the exact geometry of each shape tests them, and the hits are sorted.
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
/// only.
template <class Real>
[[nodiscard]] Result<bool, PhysicsError> answer_query(const WorldState<Real>& state, Proxies& proxies,
                                                      const Query& query, std::vector<QueryHit>& out);

}  // namespace takt
