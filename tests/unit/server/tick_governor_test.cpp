// The governor of a room whose ticks take too long: whose bodies go, in which order and how many, and that
// what it did is in the recording.
#include "server/tick_governor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/room.h"
#include "server/tick_loop.h"
#include "takt/sim/replay.h"

namespace takt::server {
namespace {

constexpr std::uint32_t kPeriodUs = 16'667;
constexpr std::uint32_t kSlowUs = 40'000;
constexpr std::uint32_t kQuickUs = 400;

constexpr std::string_view kGovernedScene = R"({
  "players": { "max_players": 8, "max_overlaps": 1000 },
  "bodies": [
    { "type": "static", "shapes": [{ "half_space": {} }] },
    { "position": [30, 0.5, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
  ],
})";

class OverloadedRoom : public testing::Test {
 protected:
  OverloadedRoom() : scene_(*sim::load_scene(kGovernedScene, "test")) { start({}); }
  void start(const GovernorOptions& options) {
    RoomOptions room;
    room.governor = options;
    room_.emplace(*Room::create(scene_, room));
    for (protocol::PlayerId const player : {1u, 2u}) {
      protocol::PlayerJoined event;
      event.player = player;
      room_->handle_event(event);
    }
    (void)room_->step();
  }
  void spawn(protocol::PlayerId player, double x_m) {
    protocol::SpawnCommand command;
    command.shape.kind = protocol::ShapeKind::kBox;
    command.shape.dimensions = {0.5f, 0.5f, 0.5f};
    command.position.x = static_cast<std::int64_t>(x_m * 0x1p32);
    command.position.y = std::int64_t{1} << 31;
    room_->handle_event(protocol::InputsArrived{
        player, {{room_->simulation().tick(), ++sequence_[player], command}}, room_->epoch()});
  }
  RoomUpdate step(std::uint32_t tick_us) {
    RoomUpdate update = room_->step();
    room_->note_tick(tick_us, kPeriodUs);
    return update;
  }
  /// Steps until the governor has acted once; the update of the tick in which it did.
  RoomUpdate overload() {
    for (std::size_t i = 0; i < TickGovernor::kWindowTicks / 2; ++i)
      EXPECT_TRUE(step(kSlowUs).removed.empty());
    EXPECT_TRUE(step(kSlowUs).removed.empty());
    return step(kSlowUs);
  }
  [[nodiscard]] std::uint32_t living(protocol::PlayerId player) const {
    for (const sim::PlayerView& view : room_->simulation().players())
      if (view.player == player) return view.spawned_count;
    return 0;
  }
  static std::size_t overloaded_outcomes(const RoomUpdate& update, protocol::PlayerId player) {
    return static_cast<std::size_t>(std::ranges::count_if(update.outcomes, [&](const PlayerOutcome& told) {
      return told.player == player && told.outcome.refusal == protocol::CommandRefusal::kOverloaded;
    }));
  }

  sim::Scene scene_;
  std::optional<Room> room_;
  std::map<protocol::PlayerId, std::uint32_t> sequence_;
};

// Bodies spawned into one another took a tick from 0.4 to 897 ms, for as long as they lived.
TEST_F(OverloadedRoom, RemovesTheNewestBodiesOfThePlayerWithMostContacts) {
  for (int i = 0; i < 20; ++i) spawn(1, 0.01 * i);
  spawn(2, -20);
  for (int i = 0; i < 3; ++i) (void)step(kQuickUs);
  ASSERT_EQ(living(1), 20u);
  RoomUpdate const update = overload();
  EXPECT_TRUE(room_->is_overloaded());
  EXPECT_EQ(update.removed.size(), 8u) << "at most so many a tick";
  EXPECT_EQ(living(1), 12u);
  EXPECT_EQ(living(2), 1u) << "its box has the fewest contacts";
  ASSERT_EQ(overloaded_outcomes(update, 1), 8u) << "its owner is told of each";
  EXPECT_EQ(overloaded_outcomes(update, 2), 0u);
  for (const PlayerOutcome& told : update.outcomes)
    EXPECT_GT(told.outcome.sequence, 12u) << "the newest went, and the input that spawned it is named";
  for (int i = 0; i < 10; ++i) (void)step(kSlowUs);
  EXPECT_EQ(living(1) + living(2), 0u);
  EXPECT_EQ(room_->simulation().world().body_count(), 2u) << "bodies of the scene are never removed";
  EXPECT_EQ(room_->counters().bodies_removed, 21u);
}

// A new body may get the index of one that is gone, so the order of ids is not that of the spawns.
TEST_F(OverloadedRoom, RemovesTheLastSpawnOfATickWhateverItsIdIs) {
  start({.share_percent = 75, .despawns_per_tick = 1});
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 3; ++i) spawn(1, 3.0 * i);
  for (const auto& info : step(kQuickUs).added) first.push_back(info.id);
  ASSERT_EQ(first.size(), 3u);
  for (std::size_t const i : {0u, 2u})
    room_->handle_event(protocol::InputsArrived{
        1,
        {{room_->simulation().tick(), ++sequence_[1], protocol::DespawnCommand{first[i]}}},
        room_->epoch()});
  (void)step(kQuickUs);
  for (int i = 0; i < 2; ++i) spawn(1, -3.0 * i);
  (void)step(kQuickUs);
  ASSERT_EQ(living(1), 3u);
  RoomUpdate const update = overload();
  ASSERT_EQ(overloaded_outcomes(update, 1), 1u);
  for (const PlayerOutcome& told : update.outcomes)
    EXPECT_EQ(told.outcome.sequence, sequence_[1]) << "the last input of that tick";
}

TEST_F(OverloadedRoom, RefusesSpawnsUntilTicksHaveFittedForAWhile) {
  spawn(1, 0);
  (void)step(kQuickUs);
  (void)overload();
  spawn(2, 5);
  RoomUpdate const update = step(kQuickUs);
  EXPECT_EQ(overloaded_outcomes(update, 2), 1u);
  EXPECT_EQ(room_->counters().spawns_refused, 1u);
  EXPECT_EQ(living(2), 0u);
  // Just below the share nothing is allowed again; a room whose ordinary tick is long recovers.
  for (std::uint32_t i = 0; i < 2 * TickGovernor::kCalmTicks; ++i) (void)step(7 * kPeriodUs / 10);
  EXPECT_TRUE(room_->is_overloaded());
  for (std::uint32_t i = 0; i < TickGovernor::kCalmTicks + TickGovernor::kWindowTicks; ++i)
    (void)step(6 * kPeriodUs / 10);
  EXPECT_FALSE(room_->is_overloaded());
  spawn(2, 5);
  (void)step(kQuickUs);
  EXPECT_EQ(living(2), 1u);
}

TEST_F(OverloadedRoom, StopsWithTheFirstTickThatFits) {
  for (int i = 0; i < 20; ++i) spawn(1, 0.01 * i);
  (void)step(kQuickUs);
  (void)overload();
  ASSERT_EQ(living(1), 12u);
  (void)step(kQuickUs);
  std::uint32_t const left = living(1);
  for (int i = 0; i < 20; ++i) (void)step(kQuickUs);
  EXPECT_EQ(living(1), left) << "the median is still long for some ticks";
}

TEST_F(OverloadedRoom, ASingleSlowTickChangesNothing) {
  for (int i = 0; i < 20; ++i) spawn(1, 0.01 * i);
  for (int i = 0; i < 60; ++i) (void)step(i % 10 < 4 ? 100 * kSlowUs : kQuickUs);
  EXPECT_FALSE(room_->is_overloaded());
  EXPECT_EQ(living(1), 20u);
}

std::uint64_t governed_cpu_ns = 0;

// Ticks that other programs of the machine made late removed the players' bodies.
TEST_F(OverloadedRoom, ABusyHostRemovesNobodysBodies) {
  for (std::uint64_t const cpu_us : {2'000u, 20'000u}) {
    start({});
    sequence_.clear();
    for (int i = 0; i < 20; ++i) spawn(1, 0.01 * i);
    (void)step(kQuickUs);
    std::uint64_t now_us = 1'000'000;
    // A tick lies between two readings.
    auto const clock = [&] {
      governed_cpu_ns += 1000 * cpu_us;
      return now_us += 25'000;
    };
    TickCost const cost([]() noexcept { return governed_cpu_ns; });
    TickLoop loop(*room_, 5, clock, cost);
    loop.start();
    for (int i = 0; i < 100; ++i) loop.run_due([](RoomUpdate&&) {});
    EXPECT_GT(loop.clock().dropped_ticks(), 10u);
    EXPECT_GT(loop.window().quantile_us(0.5), kPeriodUs);
    bool const is_of_the_world = cpu_us > kPeriodUs;
    EXPECT_EQ(room_->is_overloaded(), is_of_the_world);
    EXPECT_EQ(living(1), is_of_the_world ? 0u : 20u);
  }
}

TEST_F(OverloadedRoom, CanBeTurnedOff) {
  start({.share_percent = 0});
  sequence_.clear();
  spawn(1, 0);
  for (int i = 0; i < 60; ++i) (void)step(kSlowUs);
  EXPECT_FALSE(room_->is_overloaded());
  EXPECT_EQ(living(1), 1u);
}

TEST_F(OverloadedRoom, LeavesPlayersAloneWhoseBodiesAreNotTheCause) {
  std::string text = R"({ "players": {}, "bodies": [{ "type": "static", "shapes": [{ "half_space": {} }] })";
  for (int i = 0; i < 30; ++i)
    text += ", { \"position\": [" + std::to_string(3 * i + 30) + ", 0.5, 0], \"shapes\": [{ \"box\": {} }] }";
  scene_ = *sim::load_scene(text + "] }", "test");
  start({});
  sequence_.clear();
  spawn(1, 0);
  for (int i = 0; i < 60; ++i) (void)step(kSlowUs);
  EXPECT_TRUE(room_->is_overloaded()) << "spawns are refused all the same";
  EXPECT_EQ(living(1), 1u) << "one of 31 boxes costs a thirty-first of the tick";
}

TEST_F(OverloadedRoom, TheRecordingReplaysBitForBit) {
  sim::MemorySink sink;
  room_.emplace(*Room::create(scene_, {}));
  ASSERT_TRUE(room_->start_recording(sink, scene_).ok());
  protocol::PlayerJoined event;
  event.player = 1;
  room_->handle_event(event);
  (void)room_->step();
  for (int i = 0; i < 20; ++i) spawn(1, 0.01 * i);
  for (int i = 0; i < 5; ++i) (void)step(kQuickUs);
  for (int i = 0; i < 8; ++i) (void)step(kSlowUs);
  for (int i = 0; i < 3; ++i) spawn(1, 5 + i);
  for (int i = 0; i < 30; ++i) (void)step(kQuickUs);
  ASSERT_GT(room_->counters().bodies_removed, 0u);
  ASSERT_EQ(room_->counters().spawns_refused, 3u);
  std::uint64_t const hash = room_->hash();
  ASSERT_TRUE(room_->close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const recording = sim::RecordingReader::open(source);
  ASSERT_TRUE(recording.ok());
  auto const report = sim::verify(*recording);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->final_hash, hash);
}

}  // namespace
}  // namespace takt::server
