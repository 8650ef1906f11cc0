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
  auto& own = waiting_[event.player];
  if (own.size() >= protocol::kQueryRequestsWaiting) return refuse(QueryStatus::kRefusedBusy);
  own.push_back(std::move(event.request));
}

void QueryQueue::forget(protocol::PlayerId player) {
  waiting_.erase(player);
  std::erase_if(replies_, [&](const QueryReply& reply) { return reply.player == player; });
}

void QueryQueue::refuse_all(std::uint64_t tick) {
  for (auto const& [player, requests] : waiting_)
    for (const protocol::QueryRequest& request : requests)
      replies_.push_back({player, {request.request, QueryStatus::kRefusedLate, tick, {}, {}}});
  waiting_.clear();
}

// The protocol's bounds first: what passes them is safe to convert; the engine's are stricter.
bool QueryQueue::is_allowed(const protocol::Query& query) const {
  if (!protocol::check(query)) return false;
  protocol::Vec3d const& t = query.translation;
  switch (query.kind) {
    case protocol::QueryKind::kRay:
    case protocol::QueryKind::kShapeCast:
      return t.x * t.x + t.y * t.y + t.z * t.z <= max_length_m_ * max_length_m_;
    case protocol::QueryKind::kClosestPoint: return query.max_distance <= max_length_m_;
    case protocol::QueryKind::kOverlap:
    case protocol::QueryKind::kNone: break;
  }
  return true;
}

protocol::QueryResult QueryQueue::ask(const WorldAt& there, const protocol::QueryRequest& request,
                                      Spent& spent, std::uint64_t& steps_of_player) {
  const sim::AnyWorld& world = there.world;
  protocol::QueryResult result{request.request, QueryStatus::kAnswered, world.tick(), {}, {}};
  std::size_t found_here = 0;
  std::uint64_t steps_here = there.steps;
  for (const protocol::Query& question : request.queries) {
    protocol::QueryAnswer& answer = result.answers.emplace_back();
    if (found_here >= protocol::kQueryHitsPerRequest || steps_here >= budget_.steps_per_request) {
      answer.status = QueryStatus::kRefusedBusy;
      continue;
    }
    QueryWork work;
    work.max_steps = budget_.steps_per_query;
    auto const found = is_allowed(question) ? world.query(sim::to_query(question, ignore_), hits_, &work)
                                            : PhysicsError::kOutOfRange;
    steps_here += work.steps;
    if (!found) {
      answer.status = QueryStatus::kRefusedInvalid;
      continue;
    }
    if (work.exceeded) {
      answer.status = QueryStatus::kRefusedBusy;
      result.work_exceeded |= 1u << (result.answers.size() - 1);
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
  spent.hits += found_here;
  spent.steps += steps_here;
  steps_of_player += steps_here;
  return result;
}

bool QueryQueue::may_begin(protocol::PlayerId player, const Spent& spent) const {
  auto const own = spent.steps_of.find(player);
  return own == spent.steps_of.end() || own->second < budget_.steps_per_player;
}

std::vector<QueryReply> QueryQueue::answer(const FindWorld& find_world) {
  Spent spent;
  protocol::PlayerId before = last_player_;
  // A whole round without a request that may begin ends the call.
  for (std::size_t passed = 0; passed < waiting_.size();) {
    auto next = waiting_.upper_bound(before);
    if (next == waiting_.end()) next = waiting_.begin();
    before = next->first;
    if (!may_begin(next->first, spent)) {
      ++passed;
      continue;
    }
    if (spent.hits >= protocol::kQueryHitsPerTick || spent.steps >= budget_.steps_per_call) break;
    const protocol::QueryRequest& request = next->second.front();
    spent.queries += request.queries.size();
    if (spent.queries > protocol::kQueriesPerTick) break;
    replies_.push_back(
        {next->first, ask(find_world(request.at_tick), request, spent, spent.steps_of[next->first])});
    passed = 0;
    last_player_ = next->first;
    next->second.pop_front();
    if (next->second.empty()) waiting_.erase(next);
  }
  return std::exchange(replies_, {});
}

}  // namespace takt::server
