// Players' questions to a room's world: answered from one tick as the engine answers them, within a budget,
// refused by name, and a recording answers too.
#include "server/query_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "protocol/wire/limits.h"
#include "server/room.h"
#include "sim/replication/body_replication.h"
#include "sim/replication/query_replication.h"

namespace takt::server {
namespace {

using protocol::QueryKind;
using protocol::QueryMode;
using protocol::QueryStatus;

constexpr std::string_view kQueryScene = R"({
  "world": { "gravity": [0, 0, 0] },
  "bodies": [
    { "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] },
    { "position": [0, 1, 0], "shapes": [{ "sphere": { "radius": 0.25 } }, { "box": { "size": [1, 1, 1] }, "position": [0, 2, 0] }] },
    { "position": [4, 1, 0], "shapes": [{ "sphere": { "radius": 0.5 }, "filter": { "category": 2 } }] },
  ],
  "generators": [{ "grid": { "count": [30, 1, 30], "origin": [100, 1, 0], "spacing": [3, 3, 3], "shapes": [{ "sphere": { "radius": 0.5 } }] } }],
})";

protocol::Position at(double x, double y, double z) {
  auto const raw = [](double v) { return static_cast<std::int64_t>(v * 0x1p32); };
  return {raw(x), raw(y), raw(z)};
}
protocol::Query down(double x, double z) {
  protocol::Query query;
  query.position = at(x, 10, z);
  query.translation = {0, -20, 0};
  return query;
}
protocol::Query everything() {
  protocol::Query query;
  query.kind = QueryKind::kOverlap;
  query.mode = QueryMode::kAll;
  query.position = at(100, 1, 0);
  query.shape.kind = protocol::ShapeKind::kBox;
  query.shape.dimensions = {500, 5, 500};
  return query;
}

class QueryQueueTest : public testing::Test {
 protected:
  QueryQueueTest() {
    auto scene = sim::load_scene(kQueryScene, "test");
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : message(scene.error()));
    room.emplace(*Room::create(*scene, {}));
    for (protocol::PlayerId player : {1u, 2u}) {
      protocol::PlayerJoined joined;
      joined.player = player;
      room->handle_event(joined);
    }
    (void)room->step();
  }
  void ask(protocol::PlayerId player, std::uint32_t request, std::vector<protocol::Query> queries,
           std::uint32_t epoch = 1) {
    room->handle_event(protocol::QueryArrived{player, {request, std::move(queries)}, epoch});
  }
  QueryQueue::FindWorld now() {
    return [this](std::uint64_t) { return QueryQueue::WorldAt{room->simulation().world()}; };
  }
  std::optional<Room> room;
};

TEST_F(QueryQueueTest, AnswersAsTheEngineDoesAtTheTickItNames) {
  protocol::Query all = down(0, 0);
  all.mode = QueryMode::kAll;
  protocol::Query any = down(4, 0);
  any.mode = QueryMode::kAny;
  protocol::Query ignoring = down(0, 0);
  ignoring.ignore = {(std::uint64_t{1} << 32) | 1};
  protocol::Query filtered = down(4, 0);
  filtered.mask = 1;
  ask(1, 77, {down(0, 0), all, any, ignoring, filtered});
  RoomUpdate const update = room->step();
  ASSERT_EQ(update.replies.size(), 1u);
  EXPECT_EQ(update.replies[0].player, 1u);
  protocol::QueryResult const& result = update.replies[0].result;
  EXPECT_EQ(result.request, 77u);
  EXPECT_EQ(result.status, QueryStatus::kAnswered);
  EXPECT_EQ(result.tick, room->simulation().tick());
  ASSERT_EQ(result.answers.size(), 5u);
  ASSERT_EQ(result.hits.size(), 1u + 3u + 1u + 1u);
  EXPECT_TRUE(result.answers[2].found);
  EXPECT_EQ(result.answers[2].hit_count, 0u) << "which one is found first means nothing";
  EXPECT_EQ(result.hits[0].shape, 1u) << "the box on top of the sphere, second shape of its body";
  EXPECT_NEAR(result.hits[0].fraction, 6.5 / 20, 1e-9);
  EXPECT_EQ(result.hits[0].normal, (protocol::Vec3d{0, 1, 0}));
  EXPECT_EQ(result.hits[1], result.hits[0]);
  EXPECT_EQ(result.hits[2].shape, 0u);
  EXPECT_EQ(result.hits[3].body & 0xffffffffu, 0u) << "then the ground";
  EXPECT_EQ(result.hits[4], result.hits[3]) << "all that is left without the body";
  EXPECT_EQ(result.hits[5].body, result.hits[3].body) << "the sphere of another category is not met";
  // Hit for hit what the world says itself.
  std::vector<BodyId> ignore;
  std::vector<QueryHit> hits;
  ASSERT_TRUE(room->simulation().world().query(sim::to_query(all, ignore), hits).ok());
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(sim::to_protocol(room->simulation().world(), hits.at(i)), result.hits[1 + i]);
  EXPECT_TRUE(room->step().replies.empty()) << "once";
}

TEST_F(QueryQueueTest, WhatMayNotBeAskedIsRefusedByNameAndHarmsNoOther) {
  std::uint64_t const hash = room->hash();
  protocol::Query nan = down(0, 0);
  nan.translation.y = std::numeric_limits<double>::quiet_NaN();
  protocol::Query far_away = down(0, 0);
  far_away.translation.x = 1e8;
  protocol::Query unknown = down(0, 0);
  unknown.kind = static_cast<QueryKind>(9);
  protocol::Query no_mode = down(0, 0);
  no_mode.mode = QueryMode::kNone;
  protocol::Query hull = everything();
  hull.shape.kind = protocol::ShapeKind::kHull;
  protocol::Query strange = everything();
  strange.shape.kind = static_cast<protocol::ShapeKind>(200);
  protocol::Query flat = everything();
  flat.shape.dimensions.y = 0;
  protocol::Query turned = everything();
  turned.rotation = {0, 0, 0, 2};
  protocol::Query outside = down(0, 0);
  outside.position.x = std::numeric_limits<std::int64_t>::max();
  ask(1, 1, {nan, far_away, unknown, no_mode, hull, strange, flat, turned, outside, down(0, 0)});
  ask(2, 2, {down(4, 0)});
  RoomUpdate const update = room->idle({});
  ASSERT_EQ(update.replies.size(), 2u);
  auto const& answers = update.replies[0].result.answers;
  ASSERT_EQ(answers.size(), 10u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(answers[i].status, QueryStatus::kRefusedInvalid) << i;
  EXPECT_EQ(answers[9].status, QueryStatus::kAnswered);
  EXPECT_TRUE(answers[9].found);
  EXPECT_TRUE(update.replies[1].result.answers.at(0).found);
  EXPECT_EQ(room->hash(), hash) << "asking changes no bit";
}

TEST_F(QueryQueueTest, AMessageHoldsSoManyHitsAndARequestFindsSoMany) {
  ask(1, 1, std::vector<protocol::Query>(protocol::kQueriesPerRequest, everything()));
  RoomUpdate const update = room->idle({});
  protocol::QueryResult const& result = update.replies.at(0).result;
  EXPECT_EQ(result.hits.size(), protocol::kQueryHitsMax);
  EXPECT_EQ(result.answers[0].total, 904u)
      << "the grid, the two shapes of one body, the other sphere, the ground";
  EXPECT_EQ(result.answers[0].hit_count, protocol::kQueryHitsMax);
  EXPECT_EQ(result.answers[1].hit_count, 0u);
  EXPECT_EQ(result.answers[1].total, 904u);
  // 4,096 hits are passed with the fifth question.
  for (std::size_t i = 0; i < result.answers.size(); ++i)
    EXPECT_EQ(result.answers[i].status, i < 5 ? QueryStatus::kAnswered : QueryStatus::kRefusedBusy) << i;
}

TEST_F(QueryQueueTest, TheBudgetOfATickIsForAllAndWhatDoesNotFitWaits) {
  for (std::uint32_t request = 1; request <= 10; ++request)
    ask(1, request, std::vector<protocol::Query>(32, down(0, 0)));
  ask(2, 1, {down(0, 0)});
  RoomUpdate const first = room->idle({});
  // Eight of player 1 may wait, the ninth and tenth are refused at once; 256 questions are answered in this
  // turn.
  std::size_t busy = 0;
  for (const QueryReply& reply : first.replies) busy += reply.result.status == QueryStatus::kRefusedBusy;
  EXPECT_EQ(busy, 2u);
  EXPECT_EQ(first.replies.size(), 2u + protocol::kQueriesPerTick / 32);
  auto const of_second = std::ranges::count(first.replies, 2u, &QueryReply::player);
  EXPECT_EQ(of_second, 1) << "not starved by the other's flood: players take turns";
  RoomUpdate const second = room->idle({});
  ASSERT_EQ(second.replies.size(), 1u);
  EXPECT_EQ(second.replies[0].player, 1u);
}

// Questions stalled the tick: hits were counted, and "any" and "closest" have none or one of them.
TEST_F(QueryQueueTest, QuestionsThatFindLittleCostNoMoreThanTheirBudget) {
  QueryBudget budget;
  budget.steps_per_query = 5000;
  budget.steps_per_request = budget.steps_per_player = 12'000;
  QueryQueue queue(budget);
  queue.handle({1, {1, std::vector<protocol::Query>(32, everything()), 0}, 1}, 1, 0);
  queue.handle({1, {2, {down(0, 0)}, 0}, 1}, 1, 0);
  queue.handle({2, {3, {down(0, 0)}, 0}, 1}, 1, 0);
  auto const replies = queue.answer(now());
  ASSERT_EQ(replies.size(), 2u) << "player 1 has used up its work, player 2 has its turn";
  protocol::QueryResult const& result = replies[0].result;
  EXPECT_EQ(result.work_exceeded, 0b111u) << "three questions were begun";
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result.answers[i].status, QueryStatus::kRefusedBusy) << i;
    EXPECT_FALSE(result.answers[i].found);
  }
  EXPECT_TRUE(result.hits.empty());
  EXPECT_EQ(replies[1].player, 2u);
  EXPECT_TRUE(replies[1].result.answers.at(0).found);
  auto const later = queue.answer(now());
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].result.request, 2u);
}

TEST_F(QueryQueueTest, TheSceneBoundsTheLengthOfAQuestion) {
  protocol::Query far = down(0, 0);
  far.translation.y = -1001;
  protocol::Query wide;
  wide.kind = QueryKind::kClosestPoint;
  wide.max_distance = 1001;
  ask(1, 1, {far, wide, down(0, 0)});
  RoomUpdate const update = room->idle({});
  auto const& answers = update.replies.at(0).result.answers;
  EXPECT_EQ(answers.at(0).status, QueryStatus::kRefusedInvalid);
  EXPECT_EQ(answers.at(1).status, QueryStatus::kRefusedInvalid);
  EXPECT_TRUE(answers.at(2).found);
}

TEST_F(QueryQueueTest, AQuestionForAnotherWorldOrOfAPlayerWhoLeftIsNotAnswered) {
  ask(1, 5, {down(0, 0)}, 9);
  ask(2, 6, {down(0, 0)});
  room->handle_event(protocol::PlayerLeft{2, protocol::DisconnectReason::kClientLeft, {}});
  RoomUpdate const update = room->idle({});
  ASSERT_EQ(update.replies.size(), 1u);
  EXPECT_EQ(update.replies[0].result.status, QueryStatus::kRefusedLate);
  QueryQueue desk;
  desk.handle({1, {3, {down(0, 0)}}, 1}, 1, 10);
  desk.refuse_all(10);
  auto const replies = desk.answer(now());
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].result.status, QueryStatus::kRefusedLate);
  EXPECT_EQ(replies[0].result.request, 3u);
}

}  // namespace
}  // namespace takt::server
