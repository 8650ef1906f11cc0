// list_body_states(), body_info() and to_protocol() describe a world's bodies and query hits for clients.
// World positions stay fixed-point numbers of 64 bits; other numbers of bodies become binary32, those of hits
// stay binary64. The server calls the functions. Clients convert commands and queries with replication.h and
// query_replication.h, whose sources link nothing of the solver.
#pragma once

#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/query_message.h"
#include "takt/physics/query.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// Replaces `out` by the states of all bodies in id order, and reuses its memory.
void list_body_states(const AnyWorld& world, std::vector<protocol::BodyState>& out);

/// Replaces `out` by the inputs of all movers in id order, and reuses its memory. Numbers are rounded to
/// binary32. A jump is left out: the step before has used it.
void list_mover_inputs(const AnyWorld& world, std::vector<protocol::MoverInput>& out);

/// The description with which a thin client draws a living body (asserted). BodyInfo::user_kind is the low 32
/// bits of the user tag, and the sequence is not set.
[[nodiscard]] protocol::BodyInfo body_info(const Simulation& simulation, BodyId body);

/// The message form of a hit, which a query found in `world` since its last change.
[[nodiscard]] protocol::QueryHit to_protocol(const AnyWorld& world, const QueryHit& hit);

}  // namespace takt::sim
