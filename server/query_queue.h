// QueryQueue stores the players' queries to a world (ray casts and others) and answers them, one request of
// each player in turn. All answers to one request come from one state of the world. ShadowWorld calls
// answer() once for each RoomUpdate, and hands out the world at the tick that a request names. QueryBudget
// bounds the work of a query, a request, a player and a call; further requests wait for the next call. A
// player with kQueryRequestsWaiting waiting requests gets a refusal. Requests for another epoch (an earlier
// world of the room) are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "protocol/wire/limits.h"
#include "server/room_update.h"
#include "takt/physics/query.h"
#include "takt/sim/any_world.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// Bounds of the work that queries cause, in steps of QueryWork. A step takes some 10 to 50 ns
/// (docs/PERFORMANCE.md).
struct QueryBudget {
  std::uint64_t steps_per_query = 65'536;     ///< GJK against 4,000 shapes or triangles
  std::uint64_t steps_per_request = 131'072;  ///< queries behind are refused as busy
  std::uint64_t steps_per_player = 131'072;   ///< a call; a player begins no request beyond
  std::uint64_t steps_per_call = 262'144;     ///< for all players; no request begins beyond
};

class QueryQueue {
 public:
  /// A world at a tick, valid until the next call, and the work that it took to get there.
  struct WorldAt {
    const sim::AnyWorld& world;
    std::uint64_t steps = 0;
  };
  /// The world at the tick nearest to `at_tick` that there is; 0 = the newest.
  using FindWorld = std::function<WorldAt(std::uint64_t at_tick)>;
  /// Work of going to another tick: a rollback, and an update of the trees.
  static constexpr std::uint64_t kRollStepsPerBody = 8;

  explicit QueryQueue(const QueryBudget& budget = {}) : budget_(budget) {}

  /// Longest ray, cast or distance that is answered, m: the scene's. Longer ones are refused as invalid.
  void set_max_length_m(double max_length_m) noexcept { max_length_m_ = max_length_m; }
  /// `epoch` is the room's: a request for another one is refused.
  void handle(protocol::QueryArrived&& event, std::uint32_t epoch, std::uint64_t tick);
  /// The player is gone, and nobody waits for its answers.
  void forget(protocol::PlayerId player);
  /// The world has been replaced: what waits was meant for the one before.
  void refuse_all(std::uint64_t tick);
  /// Answers what the budget allows, and takes what was refused since the last call.
  [[nodiscard]] std::vector<QueryReply> answer(const FindWorld& find_world);
  [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty() || !replies_.empty(); }

 private:
  /// Answers and work of a call so far.
  struct Spent {
    std::size_t queries = 0;
    std::size_t hits = 0;
    std::uint64_t steps = 0;
    std::map<protocol::PlayerId, std::uint64_t> steps_of;
  };

  [[nodiscard]] bool may_begin(protocol::PlayerId player, const Spent& spent) const;
  [[nodiscard]] protocol::QueryResult ask(const WorldAt& there, const protocol::QueryRequest& request,
                                          Spent& spent, std::uint64_t& steps_of_player);
  [[nodiscard]] bool is_allowed(const protocol::Query& query) const;

  QueryBudget budget_;
  double max_length_m_ = sim::Scene{}.max_query_length_m;
  std::map<protocol::PlayerId, std::deque<protocol::QueryRequest>> waiting_;  // no empty ones
  protocol::PlayerId last_player_ = 0;                                        // answered last
  std::vector<QueryReply> replies_;
  std::vector<QueryHit> hits_;  // of one question, reused
  std::vector<BodyId> ignore_;  // likewise
};

}  // namespace takt::server
