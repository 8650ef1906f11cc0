// list_body_states(), body_info() and to_protocol() describe a world's bodies and query hits for clients, in
// binary32 except for positions, which are fixed-point numbers of 64 bits. The server calls them. Clients
// convert commands and queries with replication.h and query_replication.h, whose sources link nothing of the
// solver.
#pragma once

#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/query_message.h"
#include "takt/physics/query.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// Every body of the world in id order, numbers as the nearest binary32; clears `out` first and keeps its
/// memory.
void list_body_states(const AnyWorld& world, std::vector<protocol::BodyState>& out);

/// The description with which a thin client draws a living body (asserted).
[[nodiscard]] protocol::BodyInfo body_info(const Simulation& simulation, BodyId body);

/// The hit must be of this world as it stands.
[[nodiscard]] protocol::QueryHit to_protocol(const AnyWorld& world, const QueryHit& hit);

}  // namespace takt::sim
