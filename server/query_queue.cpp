#include "server/query_queue.h"

#include <algorithm>
#include <utility>

#include "server/world_view.h"
#include "sim/replication/body_replication.h"
#include "sim/replication/query_replication.h"

namespace takt::server {

using protocol::QueryStatus;

void QueryQueue::handle(protocol::QueryArrived&& event, std::uint32_t epoch, std::uint64_t tick) {
  auto const refuse = [&](QueryStatus why) {
    replies_.push_back({event.player, {event.request.request, why, tick, {}, {}}});
  };
  if (event.epoch != 0 && event.epoch != epoch) return refuse(QueryStatus::kRefusedLate);
  auto const own = std::ranges::count_if(
      waiting_, [&](const protocol::QueryArrived& other) { return other.player == event.player; });
  if (static_cast<std::size_t>(own) >= protocol::kQueryRequestsWaiting)
    return refuse(QueryStatus::kRefusedBusy);
  waiting_.push_back(std::move(event));
}

void QueryQueue::forget(protocol::PlayerId player) {
  std::erase_if(waiting_, [&](const protocol::QueryArrived& event) { return event.player == player; });
  std::erase_if(replies_, [&](const QueryReply& reply) { return reply.player == player; });
}

void QueryQueue::refuse_all(std::uint64_t tick) {
  for (const protocol::QueryArrived& event : waiting_)
    replies_.push_back({event.player, {event.request.request, QueryStatus::kRefusedLate, tick, {}, {}}});
  waiting_.clear();
}

protocol::QueryResult QueryQueue::ask(const sim::AnyWorld& world, const protocol::QueryRequest& request,
                                      std::size_t& hits_found) {
  protocol::QueryResult result{request.request, QueryStatus::kAnswered, world.tick(), {}, {}};
  std::size_t found_here = 0;
  for (const protocol::Query& question : request.queries) {
    protocol::QueryAnswer& answer = result.answers.emplace_back();
    if (found_here >= protocol::kQueryHitsPerRequest) {
      answer.status = QueryStatus::kRefusedBusy;
      continue;
    }
    // The protocol's bounds first: what passes them is safe to convert; the engine's are stricter.
    auto const found = protocol::check(question) ? world.query(sim::to_query(question, ignore_), hits_)
                                                 : PhysicsError::kOutOfRange;
    if (!found) {
      answer.status = QueryStatus::kRefusedInvalid;
      continue;
    }
    answer.found = *found;
    if (question.mode == protocol::QueryMode::kAny) continue;
    std::erase_if(hits_, [](const QueryHit& hit) { return !is_nameable(hit.body); });
    found_here += hits_.size();
    answer.total = static_cast<std::uint32_t>(hits_.size());
    answer.hit_count =
        static_cast<std::uint32_t>(std::min(hits_.size(), protocol::kQueryHitsMax - result.hits.size()));
    for (std::uint32_t i = 0; i < answer.hit_count; ++i)
      result.hits.push_back(sim::to_protocol(world, hits_[i]));
  }
  hits_found += found_here;
  return result;
}

std::vector<QueryReply> QueryQueue::answer(const sim::AnyWorld& world) {
  std::size_t asked = 0;
  std::size_t hits_found = 0;
  while (!waiting_.empty() && hits_found < protocol::kQueryHitsPerTick) {
    const protocol::QueryArrived& next = waiting_.front();
    asked += next.request.queries.size();
    if (asked > protocol::kQueriesPerTick) break;
    replies_.push_back({next.player, ask(world, next.request, hits_found)});
    waiting_.pop_front();
  }
  return std::exchange(replies_, {});
}

}  // namespace takt::server
