// Answers to the questions of include/takt/physics/query.h: candidates from the broad phase, each decided by
// the exact geometry of its shape, sorted.
#pragma once

#include <optional>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/state/world_state.h"
#include "takt/core/result.h"
#include "takt/physics/query.h"

namespace takt {

/// The first thing wrong with a question, without building its shape, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const Query& query) noexcept;

/// Whether anything was found; its hits are appended to `out`, sorted. Changes derived state only.
template <class Real>
[[nodiscard]] Result<bool, PhysicsError> answer_query(const WorldState<Real>& state, Proxies& proxies,
                                                      const Query& query, std::vector<QueryHit>& out);

}  // namespace takt
