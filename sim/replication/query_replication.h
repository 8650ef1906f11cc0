// to_query() and to_protocol() convert queries between the types of protocol (network messages) and physics.
// Shapes and rotations become binary32 in network messages; all other numbers are copied exactly. The server
// (query_queue.cpp) and the C++ client (session.cpp) call these functions. The physics engine checks if a
// query is valid. body_replication.h converts the hits.
#pragma once

#include <optional>
#include <vector>

#include "protocol/messages/query_message.h"
#include "takt/physics/query.h"

namespace takt::sim {

/// The engine's query. `ignore` receives a copy of `question.ignore`, to which the result points: it must
/// outlive the result.
[[nodiscard]] Query to_query(const protocol::Query& question, std::vector<BodyId>& ignore);
/// The message form of a query. None for shapes that messages cannot have (hulls, half-spaces, surfaces), and
/// for more than kQueryIgnoredMax bodies to ignore.
[[nodiscard]] std::optional<protocol::Query> to_protocol(const Query& query);

}  // namespace takt::sim
