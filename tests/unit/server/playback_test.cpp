// A recording that is played: every tick as it was recorded, seeks there and back, marks, and spectators who
// change nothing.
#include "server/playback.h"

#include <gtest/gtest.h>

#include "server/room.h"
#include "takt/server/game_registry.h"
#include "takt/sim/replay.h"
#include "tests/unit/server/counting_game.h"

namespace takt::server {
namespace {

using protocol::ControlAction;
using protocol::ControlStatus;

constexpr std::string_view kPlaybackScene = R"({
  "title": "Recorded", "camera": { "eye": [4, 2, 4], "target": [0, 1, 0] },
  "bodies": [
    { "type": "static", "shapes": [{ "half_space": {} }] },
    { "position": [0, 3, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
  ],
})";

/// 300 ticks with images every 100, a player who joins, spawns and leaves.
std::vector<std::byte> record() {
  auto scene = sim::load_scene(kPlaybackScene, "test");
  EXPECT_TRUE(scene.ok());
  RoomOptions options;
  options.recording.image_every_ticks = 100;
  auto room = *Room::create(*scene, options);
  sim::MemorySink sink;
  EXPECT_TRUE(room.start_recording(sink, *scene).ok());
  for (int tick = 0; tick < 300; ++tick) {
    if (tick == 40) {
      protocol::PlayerJoined joined;
      joined.player = 1;
      room.handle_event(joined);
    }
    if (tick == 50 || tick == 51) {
      protocol::SpawnCommand spawn;
      spawn.shape = {protocol::ShapeKind::kSphere, {0.3f, 0, 0}, {}, {}};
      spawn.position = {0, std::int64_t{4} << 32, 0};
      room.handle_event(protocol::InputsArrived{
          1, {{static_cast<std::uint64_t>(tick), static_cast<std::uint32_t>(tick - 49), spawn}}, 0});
    }
    if (tick == 200) room.handle_event(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}});
    (void)room.step();
  }
  EXPECT_TRUE(room.close_recording().ok());
  return sink.bytes();
}

class PlaybackTest : public testing::Test {
 protected:
  PlaybackTest()
      : bytes(record()),
        source(bytes),
        reader(*sim::RecordingReader::open(source)),
        playback(*Playback::open(reader)) {
    protocol::PlayerJoined joined;
    joined.player = 7;
    playback.handle_event(joined);
  }
  protocol::ControlResult control(ControlAction action, std::uint64_t tick = 0, float speed = 1) {
    playback.handle_event(protocol::ControlArrived{7, {++request, action, speed, tick, "pyramid"}});
    last = playback.idle({});
    EXPECT_FALSE(last.answers.empty());
    return last.answers.back().result;
  }
  std::uint64_t hash_at(std::uint64_t tick) const { return sim::seek(reader, tick)->hash(); }

  std::vector<std::byte> bytes;
  sim::MemorySource source;
  sim::RecordingReader reader;
  Playback playback;
  RoomUpdate last;
  std::uint32_t request = 0;
};

TEST(PlaybackOfAGame, PlaysAndSeeksWithTheGameThatTheRecordingNames) {
  auto scene = sim::load_scene(kPlaybackScene, "test");
  ASSERT_TRUE(scene);
  RoomOptions options;
  options.recording.image_every_ticks = 10;
  auto room = *Room::create(*scene, options, std::make_unique<test::CountingGame<1>>());
  sim::MemorySink sink;
  ASSERT_TRUE(room.start_recording(sink, *scene).ok());
  for (int tick = 0; tick < 30; ++tick) (void)room.step();
  ASSERT_TRUE(room.close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader);

  EXPECT_EQ(Playback::open(*reader).error(), sim::SimError::kGameMismatch);
  GameRegistry games;
  games.add<test::CountingGame<2>>();
  EXPECT_EQ(Playback::open(*reader, {}, {}, games.factory()).error(), sim::SimError::kGameMismatch);
  games.add<test::CountingGame<1>>();
  auto playback = Playback::open(*reader, {}, {}, games.factory());
  ASSERT_TRUE(playback);
  for (std::uint64_t tick = 1; tick <= 30; ++tick) {
    RoomUpdate const update = playback->step({.stats = true});
    ASSERT_TRUE(update.stats);
    ASSERT_EQ(update.stats->state_hash, reader->tick(tick - 1)->hash_after) << tick;
  }
  protocol::PlayerJoined joined;
  joined.player = 7;
  playback->handle_event(joined);
  playback->handle_event(protocol::ControlArrived{7, {1, ControlAction::kSeek, 1, 15, {}}});
  (void)playback->idle({});
  EXPECT_EQ(playback->hash(), reader->tick(14)->hash_after);
}

/// A CountingGame<1> whose counts differ from the recorded ones after tick 20.
class OtherGame final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "counting/1"; }
  [[nodiscard]] bool on_command(sim::WorldAccess&, sim::PlayerId, std::span<const std::byte>) override {
    return true;
  }
  void after_tick(sim::WorldAccess&, const StepEvents&) override { count_ += count_ < 20 ? 1 : 2; }
  void visit_state(sim::StateVisitor& state) override {
    std::uint64_t zero = 0;
    state.field("tick_count", count_);
    state.field("byte_count", zero);
  }

 private:
  std::uint64_t count_ = 0;
};

// A seek back erased the reason from the title, and the playback still ended at the differing tick.
TEST(PlaybackOfAGame, TheTitleKeepsTheReasonOfAnEarlyEndAfterASeek) {
  auto scene = sim::load_scene(kPlaybackScene, "test");
  ASSERT_TRUE(scene);
  auto room = *Room::create(*scene, {}, std::make_unique<test::CountingGame<1>>());
  sim::MemorySink sink;
  ASSERT_TRUE(room.start_recording(sink, *scene).ok());
  for (int tick = 0; tick < 30; ++tick) (void)room.step();
  ASSERT_TRUE(room.close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader);
  auto playback =
      Playback::open(*reader, {}, {}, [](std::string_view) { return std::make_unique<OtherGame>(); });
  ASSERT_TRUE(playback);
  for (int tick = 0; tick < 30; ++tick) (void)playback->step({});
  ASSERT_EQ(playback->end_tick(), 21u);
  std::string const title = playback->now().state.title;
  EXPECT_TRUE(title.starts_with("Recorded: tick 21 comes out differently here")) << title;
  playback->handle_event(protocol::ControlArrived{7, {1, ControlAction::kSeek, 1, 5, {}}});
  EXPECT_EQ(playback->idle({}).tick, 5u);
  EXPECT_EQ(playback->now().state.title, title);
}

TEST_F(PlaybackTest, TellsWhatItIs) {
  protocol::RoomState const state = playback.now().state;
  EXPECT_TRUE(state.is_recording);
  EXPECT_EQ(state.first_tick, 0u);
  EXPECT_EQ(state.end_tick, 300u);
  EXPECT_EQ(state.title, "Recorded");
  ASSERT_TRUE(state.camera);
  EXPECT_EQ(state.camera->eye.x, std::int64_t{4} << 32);
  EXPECT_TRUE(state.scenes.empty());
  std::vector<protocol::TimelineMark> const expected{
      {0, 1, protocol::MarkKind::kImage},   {40, 1, protocol::MarkKind::kJoin},
      {50, 1, protocol::MarkKind::kInput},  {51, 1, protocol::MarkKind::kInput},
      {100, 1, protocol::MarkKind::kImage}, {200, 1, protocol::MarkKind::kLeave},
      {200, 1, protocol::MarkKind::kImage}, {300, 1, protocol::MarkKind::kImage},
  };
  EXPECT_EQ(state.marks, expected);
}

TEST_F(PlaybackTest, PlaysEveryTickAsItWasRecordedAndStopsAtTheEnd) {
  std::uint64_t added = 0;
  for (std::uint64_t tick = 1; tick <= 300; ++tick) {
    RoomUpdate const update = playback.step({.stats = true});
    ASSERT_EQ(update.tick, tick);
    ASSERT_TRUE(update.stats);
    ASSERT_EQ(update.stats->state_hash, reader.tick(tick - 1)->hash_after) << tick;
    added += update.added.size();
  }
  EXPECT_EQ(added, 2u);
  EXPECT_TRUE(playback.tick_rate().is_paused());
  EXPECT_EQ(playback.step({}).tick, 300u);
  EXPECT_EQ(control(ControlAction::kStep, 1).status, ControlStatus::kRefusedRange);
  // From its end it goes on at its beginning.
  EXPECT_EQ(control(ControlAction::kResume).status, ControlStatus::kDone);
  EXPECT_EQ(last.tick, 0u);
  EXPECT_FALSE(playback.tick_rate().is_paused());
}

TEST_F(PlaybackTest, ASeekShowsThatTickInANewEpochAndTellsItsHash) {
  (void)control(ControlAction::kPause);
  std::uint32_t epoch = 1;
  for (std::uint64_t const tick : {137u, 136u, 0u, 300u, 100u, 99u}) {
    EXPECT_EQ(control(ControlAction::kSeek, tick).status, ControlStatus::kDone);
    ASSERT_TRUE(last.change);
    EXPECT_EQ(last.change->state.epoch, ++epoch);
    EXPECT_EQ(last.change->state.tick, tick);
    EXPECT_TRUE(last.change->state.paused);
    EXPECT_EQ(last.tick, tick);
    ASSERT_TRUE(last.stats);
    EXPECT_EQ(last.stats->state_hash, hash_at(tick)) << tick;
    EXPECT_TRUE(last.snapshot);
  }
}

TEST_F(PlaybackTest, StepsGoOnFromWhereItWasSought) {
  (void)control(ControlAction::kPause);
  (void)control(ControlAction::kSeek, 120);
  (void)control(ControlAction::kStep, 3);
  while (playback.tick_rate().steps_left() > 0) last = playback.step({});
  EXPECT_EQ(last.tick, 123u);
  ASSERT_TRUE(last.stats);
  EXPECT_EQ(last.stats->state_hash, hash_at(123));
  ASSERT_TRUE(last.change);
  EXPECT_EQ(last.change->state.epoch, 2u);  // steps forward are not seeks
}

TEST_F(PlaybackTest, OfManySeeksTheLastIsDone) {
  for (std::uint64_t const tick : {10u, 20u, 30u})
    playback.handle_event(protocol::ControlArrived{7, {++request, ControlAction::kSeek, 1, tick, {}}});
  RoomUpdate const update = playback.idle({});
  EXPECT_EQ(update.tick, 30u);
  EXPECT_EQ(update.epoch, 2u);
  EXPECT_EQ(update.answers.size(), 3u);
}

TEST_F(PlaybackTest, ASeekForgetsStepsAskedForBeforeIt) {
  (void)control(ControlAction::kPause);
  playback.handle_event(protocol::ControlArrived{7, {++request, ControlAction::kStep, 1, 5, {}}});
  playback.handle_event(protocol::ControlArrived{7, {++request, ControlAction::kSeek, 1, 40, {}}});
  EXPECT_EQ(playback.tick_rate().steps_left(), 0u);
  EXPECT_EQ(playback.idle({}).tick, 40u);
}

// A change of the speed forgot the statistics that the beginning, or a seek, had asked for.
TEST_F(PlaybackTest, AChangeOfTheSpeedKeepsTheStatisticsThatAreDue) {
  (void)control(ControlAction::kSetSpeed, 0, 2);
  ASSERT_TRUE(last.stats);
  EXPECT_EQ(last.stats->state_hash, hash_at(0));
  EXPECT_FALSE(playback.idle({}).stats);
}

TEST_F(PlaybackTest, RefusesWhatARecordingCannotDo) {
  EXPECT_EQ(control(ControlAction::kSeek, 301).status, ControlStatus::kRefusedRange);
  EXPECT_EQ(control(ControlAction::kLoadScene).status, ControlStatus::kRefusedNotHere);
  EXPECT_EQ(control(ControlAction::kSetSpeed, 0, 0).status, ControlStatus::kRefusedRange);
}

TEST_F(PlaybackTest, SpectatorsChangeNothing) {
  (void)playback.step({});
  playback.handle_event(protocol::InputsArrived{
      7, {{1, 1, protocol::DespawnCommand{playback.step({}).snapshot->back().id}}}, 1});
  RoomUpdate const update = playback.step({.stats = true});
  ASSERT_EQ(update.outcomes.size(), 1u);
  EXPECT_EQ(update.outcomes[0].player, 7u);
  EXPECT_EQ(update.outcomes[0].outcome.status, protocol::CommandStatus::kRefusedPermission);
  EXPECT_EQ(update.stats->state_hash, hash_at(update.tick));
}

TEST_F(PlaybackTest, SpectatorsAreWelcomedInEachEpochTheyEnter) {
  EXPECT_EQ(playback.idle({}).welcomes.size(), 1u);
  (void)control(ControlAction::kSeek, 150);
  EXPECT_TRUE(last.welcomes.empty());
  playback.handle_event(protocol::EpochEntered{7, 1});  // an answer that was overtaken
  EXPECT_TRUE(playback.idle({}).welcomes.empty());
  playback.handle_event(protocol::EpochEntered{7, 2});
  RoomUpdate const update = playback.idle({});
  ASSERT_EQ(update.welcomes.size(), 1u);
  EXPECT_EQ(update.welcomes[0].bodies->size(), 4u);
}

TEST(Marks, AreThinnedOutByJoiningNeighboursOfAKind) {
  std::vector<protocol::TimelineMark> marks;
  std::uint64_t inputs = 0;
  for (std::uint64_t tick = 100; tick < 100'000; ++tick) {
    if (tick % 600 == 0) marks.push_back({tick, 1, protocol::MarkKind::kImage});
    marks.push_back({tick, static_cast<std::uint32_t>(tick % 3 + 1), protocol::MarkKind::kInput});
    inputs += tick % 3 + 1;
  }
  auto const thin = thin_out(marks, 2048);
  EXPECT_LE(thin.size(), 2048u);
  EXPECT_GT(thin.size(), 800u);
  std::uint64_t kept = 0;
  std::uint64_t images = 0;
  for (std::size_t i = 0; i < thin.size(); ++i) {
    EXPECT_GE(thin[i].tick, i > 0 ? thin[i - 1].tick : 0);
    (thin[i].kind == protocol::MarkKind::kInput ? kept : images) += thin[i].count;
  }
  EXPECT_EQ(kept, inputs);
  EXPECT_EQ(images, 166u);
  EXPECT_EQ(thin_out({marks.begin(), marks.begin() + 5}, 2048).size(), 5u);
}

TEST_F(PlaybackTest, AnswersQuestionsAboutTheTickThatIsShown) {
  protocol::Query ray;
  ray.position = {0, std::int64_t{10} << 32, 0};
  ray.translation = {0, -20, 0};
  playback.handle_event(protocol::QueryArrived{7, {5, {ray}}, 1});
  RoomUpdate const update = playback.idle({});
  ASSERT_EQ(update.replies.size(), 1u);
  EXPECT_EQ(update.replies[0].player, 7u);
  EXPECT_EQ(update.replies[0].result.tick, 0u);
  ASSERT_EQ(update.replies[0].result.hits.size(), 1u);
  EXPECT_NEAR(update.replies[0].result.hits[0].fraction, 6.5 / 20, 1e-6) << "the box has not fallen yet";
  playback.handle_event(protocol::QueryArrived{7, {6, {ray}}, 1});
  (void)control(ControlAction::kSeek, 200);
  ASSERT_EQ(last.replies.size(), 1u);
  EXPECT_EQ(last.replies[0].result.status, protocol::QueryStatus::kRefusedLate)
      << "meant for the world before the seek";
  playback.handle_event(protocol::QueryArrived{7, {7, {ray}}, 2});
  RoomUpdate const after = playback.idle({});
  ASSERT_EQ(after.replies.size(), 1u);
  EXPECT_EQ(after.replies[0].result.tick, 200u);
}

}  // namespace
}  // namespace takt::server
