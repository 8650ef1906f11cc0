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

/// The engine's question. It looks at `question.ignore` as copied into `ignore`, which must live as long.
[[nodiscard]] Query to_query(const protocol::Query& question, std::vector<BodyId>& ignore);
/// None for shapes that have no place on the wire (hulls, half-spaces, surfaces), and for more bodies to
/// ignore than it takes.
[[nodiscard]] std::optional<protocol::Query> to_protocol(const Query& query);

}  // namespace takt::sim
