// The shadow world: snapshots are read on another thread while the live world steps and captures (the tsan
// stage of CI runs this), hashes and answers are those of the live world at that tick, and a query goes back
// to the tick that its player saw, never farther than the bound.
#include "server/shadow_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "server/room.h"
#include "sim/replication/query_replication.h"
#include "tests/unit/server/counting_game.h"

namespace takt::server {
namespace {

constexpr std::string_view kPile = R"({
  "players": { "max_spawned": 1000 },
  "bodies": [
    { "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] },
    { "position": [4, 3, 0], "shapes": [{ "hull": { "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] } }] },
  ],
  "generators": [{ "grid": { "count": [5, 4, 5], "origin": [0, 1, 0], "spacing": [1.1, 1.3, 1.1], "shapes": [{ "box": { "size": [1, 1, 1] } }] } }],
})";

// A sphere that moves along x at 10 m/s, and nothing else.
constexpr std::string_view kRunner = R"({
  "world": { "gravity": [0, 0, 0] },
  "bodies": [{ "position": [0, 0, 0], "velocity": [10, 0, 0], "shapes": [{ "sphere": { "radius": 0.25 } }] }],
})";

sim::Scene shadow_scene_of(std::string_view json) {
  auto scene = sim::load_scene(json, "test");
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : message(scene.error()));
  return *std::move(scene);
}
protocol::Query down_at(double x, double length = 20) {
  protocol::Query query;
  query.position = {static_cast<std::int64_t>(x * 0x1p32), std::int64_t{10} << 32, 0};
  query.translation = {0, -length, 0};
  return query;
}
sim::Input spawn_at(std::uint64_t tick, std::uint32_t sequence, double x) {
  sim::SpawnCommand spawn;
  spawn.kind = ShapeKind::kBox;
  spawn.dimensions_m = {0.5f, 0.5f, 0.5f};
  spawn.position = Position::from_metres(x, 9, 0);
  return {tick, sim::kServerPlayer, sequence, spawn};
}

class Hashes final : public TickObserver {
 public:
  void handle_hash(std::uint64_t tick, std::uint64_t hash) override {
    EXPECT_TRUE(of_tick.empty() || of_tick.rbegin()->first < tick) << "in order";
    of_tick[tick] = hash;
  }
  void handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&& image) override {
    images[tick] = {hash, std::move(image)};
  }
  std::map<std::uint64_t, std::uint64_t> of_tick;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::vector<std::byte>>> images;
};

class ShadowWorldTest : public testing::TestWithParam<NumbersMode> {};

TEST_P(ShadowWorldTest, ReadsSnapshotsWhileTheLiveWorldStepsAndCaptures) {
  auto live = sim::Simulation::create(shadow_scene_of(kPile), GetParam());
  ASSERT_TRUE(live.ok());
  Hashes seen;
  std::map<std::uint64_t, std::uint64_t> hashes;
  std::map<std::uint64_t, double> heights;  // of the first hit of a ray, by tick
  std::vector<QueryReply> replies;
  {
    ShadowWorld shadow;
    shadow.set_observer(&seen);
    shadow.enter(*live, 1);
    shadow.start_thread();
    std::vector<BodyId> spawned;
    std::vector<QueryHit> hits;
    std::vector<BodyId> ignore;
    for (std::uint32_t i = 1; i <= 240; ++i) {
      // Shapes and definitions change, so that the parts that snapshots share are replaced meanwhile.
      std::vector<sim::Input> inputs{spawn_at(live->tick(), 2 * i, 0.1 * (i % 40))};
      if (i % 3 == 0)
        inputs.push_back({live->tick(), sim::kServerPlayer, 2 * i + 1, sim::DespawnCommand{spawned[i / 3]}});
      sim::TickResult const result = live->step(inputs);
      std::ranges::copy(result.spawned, std::back_inserter(spawned));
      hashes[result.tick] = result.hash;
      auto const found = live->world().query(sim::to_query(down_at(1.2), ignore), hits);
      ASSERT_TRUE(found.ok() && *found);
      heights[result.tick] = hits[0].fraction;
      std::uint64_t const back = i % 5;
      shadow.handle_query({1, {i, {down_at(1.2)}, result.tick - std::min<std::uint64_t>(back, i - 1)}, 1},
                          result.tick);
      shadow.end_tick(*live, {.hash = true, .image = i % 60 == 0, .inside = i % 6 == 0},
                      {{1, protocol::kInspectContacts | protocol::kInspectJoints}});
      auto results = shadow.take_results();
      std::ranges::move(results.replies, std::back_inserter(replies));
      while (i % 40 == 0 && shadow.is_behind()) std::this_thread::yield();
    }
    shadow.drain();
    auto results = shadow.take_results();
    std::ranges::move(results.replies, std::back_inserter(replies));
    EXPECT_EQ(seen.of_tick.size() + shadow.skipped_hash_count(), hashes.size());
    shadow.set_observer(nullptr);
  }
  EXPECT_GT(seen.of_tick.size(), 100u);
  for (auto const& [tick, hash] : seen.of_tick) ASSERT_EQ(hash, hashes[tick]) << tick;
  ASSERT_EQ(seen.images.size(), 4u);
  for (auto const& [tick, image] : seen.images) {
    EXPECT_EQ(image.first, hashes[tick]);
    auto const restored = sim::Simulation::restore(image.second);
    ASSERT_TRUE(restored.ok());
    EXPECT_EQ(restored->hash(), hashes[tick]);
  }
  std::size_t answered = 0;
  for (const QueryReply& reply : replies) {
    if (reply.result.status != protocol::QueryStatus::kAnswered) continue;
    ++answered;
    ASSERT_EQ(reply.result.hits.at(0).fraction, heights[reply.result.tick]) << reply.result.tick;
  }
  EXPECT_GT(answered, 10u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, ShadowWorldTest, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](auto const& mode) {
                           return std::string(mode.param == NumbersMode::kFloat ? "Float" : "Fixed");
                         });

TEST(ShadowWorld, HoldsTheStateOfAGameItHasNot) {
  sim::Scene const scene = shadow_scene_of(kPile);
  auto live = sim::Simulation::create(scene, NumbersMode::kFloat, std::make_unique<test::CountingGame<1>>());
  ASSERT_TRUE(live.ok());
  Hashes seen;
  ShadowWorld shadow;
  shadow.set_observer(&seen);
  shadow.enter(*live, 1);
  for (int i = 0; i < 5; ++i) {
    std::uint64_t const hash = live->step({}).hash;
    shadow.end_tick(*live, {.hash = true, .image = true}, {});
    shadow.run();
    EXPECT_EQ(seen.of_tick[live->tick()], hash);
    EXPECT_EQ(seen.images[live->tick()].second, live->save());
  }
}

class RewindTest : public testing::Test {
 protected:
  RewindTest() {
    room.emplace(*Room::create(shadow_scene_of(kRunner), {}));
    protocol::PlayerJoined joined;
    joined.player = 1;
    room->handle_event(joined);
  }
  // Where the sphere was at a tick, m.
  static double x_at(std::uint64_t tick) { return 10.0 * static_cast<double>(tick) / 60.0; }
  protocol::QueryResult ask(protocol::Query query, std::uint64_t at_tick) {
    room->handle_event(protocol::QueryArrived{1, {++request, {std::move(query)}, at_tick}, 1});
    return room->step().replies.at(0).result;
  }
  std::optional<Room> room;
  std::uint32_t request = 0;
};

TEST_F(RewindTest, AShotHitsWhereItsPlayerSawTheBody) {
  (void)ask(down_at(0), 0);  // the first query makes the server keep ticks
  int hits = 0;
  int misses_now = 0;
  int shots = 0;
  for (int i = 0; i < 300; ++i) {
    (void)room->step();
    std::uint64_t const now = room->simulation().tick() + 1;
    std::uint64_t const seen = now - std::min<std::uint64_t>(10 + i % 6, now);  // 167 to 250 ms ago
    if (seen < 20) continue;
    auto const result = ask(down_at(x_at(seen)), seen);
    EXPECT_EQ(result.tick, seen);
    EXPECT_TRUE(result.answers.at(0).found) << seen << " of " << now;
    ++shots;
    hits += result.answers.at(0).found ? 1 : 0;
    misses_now += ask(down_at(x_at(seen + 1)), 0).answers.at(0).found ? 0 : 1;
  }
  EXPECT_GT(shots, 200);
  EXPECT_EQ(hits, shots);
  EXPECT_EQ(misses_now, shots) << "without the tick each of them misses: the body is 1.6 to 2.5 m farther";
}

TEST_F(RewindTest, NoQueryGoesBackFartherThanTheBoundOrAhead) {
  for (int i = 0; i < 60; ++i) (void)ask(down_at(0), 0);
  std::uint64_t const next = room->simulation().tick() + 1;
  EXPECT_EQ(ask(down_at(0), 5).tick, next - 1 - 15) << "250 ms at 60 Hz before the tick of the arrival";
  EXPECT_EQ(ask(down_at(0), next + 1000).tick, next + 1);
  EXPECT_EQ(ask(down_at(0), next - 3).tick, next - 3);
}

TEST_F(RewindTest, AnswersAreEqualWhenTheTicksAreReplayed) {
  std::vector<protocol::QueryResult> first;
  for (int run = 0; run < 2; ++run) {
    Room twin = *Room::create(shadow_scene_of(kRunner), {});
    for (int i = 0; i < 50; ++i) {
      twin.handle_event(protocol::QueryArrived{1, {7, {down_at(x_at(30))}, 30}, 1});
      auto const replies = twin.step().replies;
      ASSERT_EQ(replies.size(), 1u);
      if (run == 0) {
        first.push_back(replies[0].result);
      } else {
        EXPECT_EQ(replies[0].result, first[static_cast<std::size_t>(i)]);
      }
    }
  }
}

// A join image went before each image of the recording, and the snapshot of that was overwritten in the end.
TEST(ShadowImages, AFloodOfJoinsDoesNotStarveTheRecording) {
  auto live = sim::Simulation::create(shadow_scene_of(kPile), NumbersMode::kFloat);
  ASSERT_TRUE(live.ok());
  /// Notes if a join image was ready when the recording's image came.
  class FirstImage final : public TickObserver {
   public:
    explicit FirstImage(ShadowWorld& shadow) : shadow_(shadow) {}
    void handle_hash(std::uint64_t, std::uint64_t) override {}
    void handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&&) override {
      image_tick = tick;
      image_hash = hash;
      join_image_came_first = shadow_.take_results().join_image.has_value();
    }
    std::uint64_t image_tick = 0;
    std::uint64_t image_hash = 0;
    bool join_image_came_first = false;

   private:
    ShadowWorld& shadow_;
  };
  ShadowOptions options;
  options.snapshots_max = 4;
  for (bool const is_old : {false, true}) {
    ShadowWorld shadow(options);
    FirstImage first(shadow);
    shadow.set_observer(&first);
    shadow.enter(*live, 1);
    (void)live->step({});
    std::uint64_t const tick = live->tick();
    std::uint64_t const hash = live->hash();
    shadow.end_tick(*live, {.image = true}, {});
    // The worker has no time meanwhile; each tick is hashed and wants a join image.
    for (std::uint64_t i = 0; i < (is_old ? ShadowWorld::kImageWaitTicks : 1); ++i) {
      (void)live->step({});
      shadow.end_tick(*live, {.hash = true, .join_image = true}, {});
    }
    shadow.run();
    EXPECT_EQ(first.image_tick, tick) << "its snapshot is not given up for hashes and joins";
    EXPECT_EQ(first.image_hash, hash);
    EXPECT_EQ(first.join_image_came_first, !is_old);
    shadow.set_observer(nullptr);
  }
}

// A viewer of many ropes wants a list in each tick, and no join image was ever saved.
TEST(ShadowImages, AJoinImageGoesBeforeListsOfRopes) {
  auto live = sim::Simulation::create(shadow_scene_of(kPile), NumbersMode::kFloat);
  ASSERT_TRUE(live.ok());
  ShadowWorld::Inspections const inspections{{1, protocol::kInspectContacts}};
  for (int i = 0; i < 50; ++i) {
    ShadowWorld shadow;
    shadow.enter(*live, 1);
    shadow.start_thread();
    (void)live->step({});
    shadow.end_tick(*live, {.inside = true, .ropes = true, .join_image = true}, inspections);
    for (bool has_image = false; !has_image;) {
      ShadowWorld::Results const results = shadow.take_results();
      has_image = results.join_image.has_value();
      ASSERT_TRUE(has_image || !results.ropes) << "the list came first";
    }
  }
}

// Hashes, answers and inspections were computed on the tick's thread.
TEST(ShadowRoom, ItsThreadGivesStatisticsAndAnswersInALaterUpdate) {
  Room room = *Room::create(shadow_scene_of(kPile), {});
  room.start_shadow_thread();
  protocol::PlayerJoined joined;
  joined.player = 1;
  room.handle_event(joined);
  room.handle_event(protocol::InspectArrived{1, protocol::kInspectContacts});
  room.handle_event(protocol::QueryArrived{1, {9, {down_at(0)}, 0}, 1});
  RoomUpdate first = room.step({.snapshot = true, .stats = true, .inside = true});
  std::uint64_t const hash = room.hash();
  std::optional<protocol::ServerStats> stats = first.stats;
  std::vector<QueryReply> replies = first.replies;
  bool has_inside = first.inside.has_value();
  for (int i = 0; i < 10'000 && (!stats || replies.empty() || !has_inside); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    RoomUpdate update = room.idle({.snapshot = false});
    if (update.stats) stats = update.stats;
    std::ranges::move(update.replies, std::back_inserter(replies));
    has_inside = has_inside || update.inside.has_value();
  }
  ASSERT_TRUE(stats.has_value());
  EXPECT_EQ(stats->tick, 1u);
  EXPECT_EQ(stats->state_hash, hash);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].result.tick, 1u);
  EXPECT_TRUE(has_inside);
}

}  // namespace
}  // namespace takt::server
