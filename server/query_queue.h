// QueryQueue stores the players' queries to a world (ray casts and others) and answers them between two
// ticks, in order of arrival. All answers to one request come from one state of the world. WorldPublisher
// calls answer() once for each RoomUpdate. One call answers at most kQueriesPerTick queries, and begins no
// request after kQueryHitsPerTick hits. Further requests wait for the next call; a player with
// kQueryRequestsWaiting waiting requests gets a refusal. Requests for another epoch (an earlier world of the
// room) are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "protocol/wire/limits.h"
#include "server/room_update.h"
#include "takt/physics/query.h"
#include "takt/sim/any_world.h"

namespace takt::server {

class QueryQueue {
 public:
  /// `epoch` is the room's: a request for another one is refused.
  void handle(protocol::QueryArrived&& event, std::uint32_t epoch, std::uint64_t tick);
  /// The player is gone, and nobody waits for its answers.
  void forget(protocol::PlayerId player);
  /// The world has been replaced: what waits was meant for the one before.
  void refuse_all(std::uint64_t tick);
  /// Answers what the budget allows, and takes what was refused since the last call.
  [[nodiscard]] std::vector<QueryReply> answer(const sim::AnyWorld& world);

 private:
  [[nodiscard]] protocol::QueryResult ask(const sim::AnyWorld& world, const protocol::QueryRequest& request,
                                          std::size_t& hits_found);

  std::deque<protocol::QueryArrived> waiting_;
  std::vector<QueryReply> replies_;
  std::vector<QueryHit> hits_;  // of one question, reused
  std::vector<BodyId> ignore_;  // likewise
};

}  // namespace takt::server
