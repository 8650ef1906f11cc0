// QueryQueue stores the players' queries to a world (ray casts and others) and answers them, one request of
// each player in turn. All answers to one request come from one state of the world. ShadowWorld calls
// answer(), at most once for each RoomUpdate, and finds the state nearest to the tick that a request names.
// QueryBudget and the protocol's limits bound the work of a query, a request, a player and a call; further
// requests wait for the next call. A request beyond a player's kQueryRequestsWaiting waiting ones is refused
// as busy. A request for another epoch (an earlier world of the room) is refused as late. One thread at a
// time uses a QueryQueue.
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
  std::uint64_t steps_per_query = 65'536;  ///< a query with more is refused as busy; 4,000 runs of GJK
  std::uint64_t steps_per_request =
      131'072;  ///< once a request has used these, its further queries are refused as busy
  std::uint64_t steps_per_player = 131'072;  ///< in a call: a player begins no request after these
  std::uint64_t steps_per_call = 262'144;    ///< of all players: no request begins after these
};

class QueryQueue {
 public:
  /// A world at a tick, valid until the next call of FindWorld, and the work that it took to get there.
  struct WorldAt {
    const sim::AnyWorld& world;
    std::uint64_t steps = 0;
  };
  /// Finds the world of the available tick nearest to `at_tick`; 0 = the newest.
  using FindWorld = std::function<WorldAt(std::uint64_t at_tick)>;
  /// Steps per body that a change to another tick counts: a rollback, and an update of the trees.
  static constexpr std::uint64_t kRollStepsPerBody = 8;

  explicit QueryQueue(const QueryBudget& budget = {}) : budget_(budget) {}

  /// Sets the longest ray, cast or distance, m (Scene::max_query_length_m). Longer ones are refused as
  /// invalid.
  void set_max_length_m(double max_length_m) noexcept { max_length_m_ = max_length_m; }
  /// Stores or refuses a request. `epoch` is the room's: a request for another one is refused, 0 fits every
  /// epoch. `tick` is the tick that a refusal names.
  void handle(protocol::QueryArrived&& event, std::uint32_t epoch, std::uint64_t tick);
  /// Forgets a player that is gone, with its requests and refusals.
  void forget(protocol::PlayerId player);
  /// Refuses all waiting requests as late, because the world has been replaced. A refusal names `tick`.
  void refuse_all(std::uint64_t tick);
  /// Answers the requests that the budget allows, and returns their answers and the refusals since the last
  /// call.
  [[nodiscard]] std::vector<QueryReply> answer(const FindWorld& find_world);
  /// True while requests wait, or refusals for the next answer().
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
