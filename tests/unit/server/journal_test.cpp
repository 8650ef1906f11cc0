// The journal: inputs are in the store before their tick is stepped, hashes and images follow, a store that
// fails or is too slow never stops a tick, and what was written can be read after a cut at any byte.
#include "server/journal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "server/room.h"
#include "takt/core/random.h"
#include "takt/sim/replay.h"

namespace takt::server {
namespace {

constexpr std::string_view kBoxes = R"({
  "players": { "commands_per_second": 120, "command_burst": 20 },
  "bodies": [{ "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] }],
  "generators": [{ "grid": { "count": [3, 3, 3], "origin": [0, 1, 0], "spacing": [1.2, 1.2, 1.2], "shapes": [{ "box": { "size": [1, 1, 1] } }] } }],
})";

/// Files in memory, on a disk with so much room.
class MemoryFiles final : public JournalStore {
 public:
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override {
    std::unique_lock lock(mutex);
    is_open.wait(lock, [this] { return !is_stuck; });
    std::size_t const count = std::min(bytes.size(), room);
    files.back().insert(files.back().end(), bytes.begin(),
                        bytes.begin() + static_cast<std::ptrdiff_t>(count));
    room -= count;
    return count == bytes.size();  // a short write leaves a part of a chunk
  }
  [[nodiscard]] bool sync() override {
    ++sync_count;
    return true;
  }
  [[nodiscard]] bool begin_next() override {
    std::unique_lock const lock(mutex);
    if (room == 0) return false;
    files.emplace_back();
    return true;
  }
  [[nodiscard]] bool has_next() const override { return true; }
  void set_stuck(bool stuck) {
    std::unique_lock const lock(mutex);
    is_stuck = stuck;
    is_open.notify_all();
  }

  std::mutex mutex;
  std::condition_variable is_open;
  bool is_stuck = false;
  std::size_t room = SIZE_MAX;
  std::vector<std::vector<std::byte>> files{1};
  std::atomic<int> sync_count{0};
};

protocol::ServerEvent push(protocol::PlayerId player, std::uint64_t tick, std::uint32_t sequence) {
  protocol::ImpulseCommand impulse;
  impulse.body = (std::uint64_t{1} << 32) | 5;
  impulse.impulse = {10, 500, 0};
  return protocol::InputsArrived{player, {{tick, sequence, impulse}}};
}

class JournalTest : public testing::Test {
 protected:
  void start(JournalOptions options = {}) {
    scene = *sim::load_scene(kBoxes, "test");
    room.emplace(*Room::create(scene, {}));
    ASSERT_TRUE(room->start_journal(files, scene, options).ok());
    protocol::PlayerJoined joined;
    joined.player = 1;
    room->handle_event(joined);
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      if (i % 7 == 0) room->handle_event(push(1, room->simulation().tick(), ++sequence));
      (void)room->step();
      hashes.push_back(room->hash());
    }
  }
  // Verifies a file up to its end and returns that tick.
  static std::uint64_t verified_end(std::span<const std::byte> file) {
    sim::MemorySource const source(file);
    auto const reader = sim::RecordingReader::open(source);
    EXPECT_TRUE(reader.ok());
    auto const report = sim::verify(*reader);
    EXPECT_TRUE(report.ok() && !report->mismatch && !report->stopped_by);
    return report->final_tick;
  }

  sim::Scene scene;
  MemoryFiles files;
  std::optional<Room> room;
  std::uint32_t sequence = 0;
  std::vector<std::uint64_t> hashes;  // after tick i + 1
};

// append() ran after the step and kept 60 ticks: a crash lost the one input that one needs.
TEST_F(JournalTest, InputsAreInTheStoreBeforeTheirTickIsStepped) {
  scene = *sim::load_scene(kBoxes, "test");
  auto const live = sim::Simulation::create(scene, NumbersMode::kFloat);
  Journal journal(files, {});
  ASSERT_TRUE(journal.begin(*live, sim::head_of(*live, &scene, "test")));
  for (std::uint64_t tick = 0; tick < 5; ++tick) journal.begin_tick(tick, {});
  sim::Input const join{5, sim::kServerPlayer, 1, sim::JoinCommand{1, false, "ann"}};
  journal.begin_tick(5, {&join, 1});
  // Nothing was stepped.
  sim::MemorySource const source(files.files[0]);
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->info().version, sim::kJournalVersion);
  EXPECT_EQ(reader->info().end_tick, 6u);
  EXPECT_TRUE(reader->info().is_last_in_work);
  auto const tick = reader->tick(5);
  ASSERT_TRUE(tick.ok());
  ASSERT_EQ(tick->inputs.size(), 1u);
  EXPECT_EQ(tick->inputs[0], join);
  EXPECT_FALSE(tick->has_hash);
  journal.begin_tick(6, {&join, 1});
  sim::MemorySource const later(files.files[0]);
  EXPECT_EQ(sim::RecordingReader::open(later)->info().end_tick, 7u);
  // A game that throws ends the room, which closes its recording: the step has not ended all the same.
  EXPECT_TRUE(journal.close());
  sim::MemorySource const closed(files.files[0]);
  auto const whole = sim::RecordingReader::open(closed);
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->info().closed);
  EXPECT_TRUE(whole->info().is_last_in_work);
}

TEST_F(JournalTest, AWholeJournalHasEachHashAndImage) {
  JournalOptions options;
  options.image_every_ticks = 50;
  start(options);
  run(200);
  ASSERT_TRUE(room->close_recording().ok());
  sim::MemorySource const source(files.files.at(0));
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->info().closed);
  EXPECT_FALSE(reader->info().is_last_in_work);
  EXPECT_EQ(reader->info().end_tick, 200u);
  EXPECT_EQ(reader->info().image_count, 5u);
  for (std::uint64_t tick = 0; tick < 200; ++tick) {
    auto const recorded = reader->tick(tick);
    ASSERT_TRUE(recorded.ok() && recorded->has_hash) << tick;
    ASSERT_EQ(recorded->hash_after, hashes[tick]) << tick;
  }
  EXPECT_EQ(verified_end(files.files[0]), 200u);
}

TEST_F(JournalTest, AFileThatIsCutAtAnyByteIsReadUpToThere) {
  JournalOptions options;
  options.image_every_ticks = 50;
  start(options);
  run(120);
  ASSERT_TRUE(room->close_recording().ok());
  std::vector<std::byte> const& whole = files.files.at(0);
  std::size_t image_bytes = 0;
  while (!sim::RecordingReader::open(sim::MemorySource(std::span(whole).first(image_bytes))).ok())
    ++image_bytes;
  Random random(11);
  std::uint64_t before = 0;
  for (std::size_t size = image_bytes; size < whole.size(); size += 1 + random.next_below(40)) {
    sim::MemorySource const source{std::span(whole).first(size)};
    auto const reader = sim::RecordingReader::open(source);
    ASSERT_TRUE(reader.ok()) << size;
    EXPECT_GE(reader->info().end_tick, before);
    before = reader->info().end_tick;
    if (random.next_below(20) == 0) {
      EXPECT_EQ(verified_end(std::span(whole).first(size)), before);
    }
  }
  EXPECT_EQ(before, 120u);
  // And flipped bits are never believed.
  for (int i = 0; i < 50; ++i) {
    std::vector<std::byte> damaged = whole;
    std::size_t const at =
        image_bytes + random.next_below(static_cast<std::uint32_t>(whole.size() - image_bytes));
    damaged[at] ^= std::byte{4};
    sim::MemorySource const source(damaged);
    auto const reader = sim::RecordingReader::open(source);
    ASSERT_TRUE(reader.ok());
    EXPECT_TRUE(sim::verify(*reader).ok());
    EXPECT_LE(reader->info().cut_at_bytes, whole.size());
  }
}

// A full disk ended the recording for good.
TEST_F(JournalTest, AFullDiskIsSurvivedAndTheRecordingGoesOnInTheNextFile) {
  JournalOptions options;
  options.retry_ms = 0;
  start(options);
  run(60);
  files.room = 100;  // the next chunk is written in part
  run(100);
  JournalStatus const full = room->journal_status();
  EXPECT_TRUE(full.is_suspended);
  EXPECT_FALSE(full.has_ended);
  EXPECT_GT(full.lost_ticks, 0u);
  EXPECT_GE(full.failures, 2u) << "it has tried again";
  EXPECT_FALSE(room->has_recording_failed());
  files.room = SIZE_MAX;
  run(100);
  EXPECT_FALSE(room->journal_status().is_suspended);
  ASSERT_TRUE(room->close_recording().ok());
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_LT(verified_end(files.files[0]), 161u);
  EXPECT_EQ(verified_end(files.files[1]), 260u);
  sim::MemorySource const source(files.files[1]);
  auto const reader = sim::RecordingReader::open(source);
  std::uint64_t const first = reader->info().first_tick;
  EXPECT_EQ(*reader->image_hash(first), hashes.at(first - 1));
  // The ticks that were on their way to the disk were missing in the count.
  EXPECT_EQ(room->journal_status().lost_ticks, first - verified_end(files.files[0]));
}

TEST_F(JournalTest, ADiskThatHangsStopsNoTickAndCostsNoMoreThanTheQueue) {
  JournalOptions options;
  options.queue_bytes_max = 4096;
  options.retry_ms = 60'000;
  start(options);
  room->start_shadow_thread();
  run(20);
  files.set_stuck(true);
  run(400);
  JournalStatus const status = room->journal_status();
  EXPECT_TRUE(status.is_suspended);
  EXPECT_GT(status.lost_ticks, 100u);
  files.set_stuck(false);
  EXPECT_FALSE(room->close_recording().ok());
  EXPECT_LT(verified_end(files.files.at(0)), 420u);
}

TEST_F(JournalTest, AFullFileIsFollowedByTheNextWithoutAGap) {
  JournalOptions options;
  options.file_bytes_max = 60'000;
  options.image_every_ticks = 50;
  start(options);
  run(600);
  ASSERT_TRUE(room->close_recording().ok());
  ASSERT_GE(files.files.size(), 3u);
  std::uint64_t end = 0;
  for (auto const& file : files.files) {
    sim::MemorySource const source(file);
    auto const reader = sim::RecordingReader::open(source);
    ASSERT_TRUE(reader.ok());
    EXPECT_LE(reader->info().first_tick, end);
    EXPECT_GT(reader->info().end_tick, end);
    end = verified_end(file);
  }
  EXPECT_EQ(end, 600u);
  EXPECT_EQ(room->journal_status().lost_ticks, 0u);
}

// A share below the first image ended each file in its first tick: 181 files in 12 s.
TEST_F(JournalTest, AShareBelowAnImageStillHoldsTheTicksBetweenTwoImages) {
  JournalOptions options;
  options.file_bytes_max = 1;
  options.image_every_ticks = 50;
  start(options);
  run(201);
  ASSERT_TRUE(room->close_recording().ok());
  EXPECT_GE(files.files.size(), 4u);
  EXPECT_LE(files.files.size(), 5u);
}

// Refused inputs were recorded: 78 GB a day from one client.
TEST_F(JournalTest, AFloodThatIsRefusedIsNotRecorded) {
  start();
  run(1);
  std::size_t told = 0;
  for (std::uint32_t tick = 0; tick < 60; ++tick) {
    for (int i = 0; i < 40; ++i) room->handle_event(push(1, room->simulation().tick(), ++sequence));
    for (const PlayerOutcome& outcome : room->step().outcomes)
      told += outcome.outcome.refusal == protocol::CommandRefusal::kRateLimited ? 1 : 0;
  }
  ASSERT_TRUE(room->close_recording().ok());
  sim::MemorySource const source(files.files.at(0));
  auto const reader = sim::RecordingReader::open(source);
  EXPECT_LE(reader->info().input_count, 20u + 61 * 2 + 2);
  EXPECT_EQ(told + reader->info().input_count, 2400u + 2);
  EXPECT_EQ(verified_end(files.files[0]), 61u);
}

// A restarted server had lost its players; they come back to their bodies under their names.
TEST_F(JournalTest, APlayerOfAResumedWorldComesBackToItsBodiesOrLeavesAfterTheGrace) {
  start();
  for (protocol::PlayerId const player : {7u, 9u}) {
    protocol::PlayerJoined joined;
    joined.player = player;
    joined.name = player == 7 ? "ann" : "ben";
    room->handle_event(joined);
  }
  (void)room->step();
  protocol::SpawnCommand spawn;
  spawn.shape = {protocol::ShapeKind::kBox, {0.5f, 0.5f, 0.5f}, {}, {}};
  spawn.position = {0, std::int64_t{9} << 32, 0};
  for (protocol::PlayerId const player : {7u, 9u})
    for (std::uint32_t i = 1; i <= 3; ++i)
      room->handle_event(protocol::InputsArrived{player, {{room->simulation().tick(), i, spawn}}});
  (void)room->step();
  auto const spawned = [](const Room& r, sim::PlayerId id) {
    for (const sim::PlayerView& player : r.simulation().players())
      if (player.player == id) return static_cast<int>(player.spawned_count);
    return -1;
  };
  ASSERT_EQ(spawned(*room, 7), 3);

  RoomOptions options;
  options.away_s = 2;
  Room resumed = Room::resume(*sim::Simulation::restore(room->simulation().save()), scene, options);
  EXPECT_EQ(resumed.hash(), room->hash());
  AwayPlayers const away = resumed.away_players();
  EXPECT_EQ(away.by_name, (std::map<std::string, sim::PlayerId>{{"ann", 7}, {"ben", 9}}));
  for (const sim::PlayerView& player : resumed.simulation().players())
    EXPECT_EQ(away.input_offsets.at(player.player), player.last_sequence);
  EXPECT_EQ(away.first_new, 10u);
  for (int i = 0; i < 60; ++i) (void)resumed.step();
  protocol::PlayerJoined back;
  back.player = 7;
  back.name = "ann";
  resumed.handle_event(back);
  RoomUpdate update = resumed.step();
  EXPECT_TRUE(update.kicks.empty());
  ASSERT_EQ(update.welcomes.size(), 1u);
  // Its session numbers inputs from 1 again.
  resumed.handle_event(protocol::InputsArrived{7, {{resumed.simulation().tick(), 1, spawn}}});
  resumed.handle_event(protocol::InputsArrived{7, {{resumed.simulation().tick() + 9999, 2, spawn}}});
  update = resumed.step();
  ASSERT_EQ(update.outcomes.size(), 1u);
  EXPECT_EQ(update.outcomes[0].outcome.sequence, 2u);
  EXPECT_EQ(spawned(resumed, 7), 4);
  EXPECT_EQ(spawned(resumed, 9), 3) << "its bodies stay";
  for (int i = 0; i < 60; ++i) (void)resumed.step();
  EXPECT_EQ(spawned(resumed, 7), 4);
  EXPECT_FALSE(resumed.simulation().has_player(9)) << "the grace is over";
}

// A player without a name cannot be told from another one: it comes back as a new player, and its old bodies
// are nobody's until the grace is over.
TEST_F(JournalTest, APlayerWithoutANameComesBackAsANewOneAndNobodyTakesItsBodies) {
  start();
  std::map<protocol::PlayerId, std::string> const names = {{7, ""}, {9, "ann"}, {12, "ann"}};
  for (auto const& [player, name] : names) {
    protocol::PlayerJoined joined;
    joined.player = player;
    joined.name = name;
    room->handle_event(joined);
  }
  (void)room->step();
  std::map<protocol::PlayerId, BodyId> bodies;
  protocol::SpawnCommand spawn;
  spawn.shape = {protocol::ShapeKind::kBox, {0.5f, 0.5f, 0.5f}, {}, {}};
  for (auto const& [player, name] : names) {
    spawn.position = {std::int64_t{player} << 32, std::int64_t{20} << 32, 0};
    room->handle_event(protocol::InputsArrived{player, {{room->simulation().tick(), 1, spawn}}});
    bodies[player] = BodyId::from_u64(room->step().added.at(0).id);
  }
  RoomOptions options;
  options.away_s = 2;
  Room resumed = Room::resume(*sim::Simulation::restore(room->simulation().save()), scene, options);
  AwayPlayers const away = resumed.away_players();
  EXPECT_EQ(away.by_name, (std::map<std::string, sim::PlayerId>{{"ann", 9}})) << "one session a name";
  EXPECT_EQ(away.first_new, 13u);
  protocol::PlayerJoined back;
  back.player = away.first_new;
  resumed.handle_event(back);
  (void)resumed.step();
  for (auto const& [player, body] : bodies) {
    EXPECT_EQ(resumed.simulation().owner(body), player);
    protocol::PlayerId const stranger = away.first_new;
    resumed.handle_event(protocol::InputsArrived{
        stranger, {{resumed.simulation().tick(), player, protocol::DespawnCommand{body.to_u64()}}}});
    RoomUpdate const update = resumed.step();
    ASSERT_EQ(update.outcomes.size(), 1u);
    EXPECT_EQ(update.outcomes[0].outcome.refusal, protocol::CommandRefusal::kForbidden);
    EXPECT_TRUE(update.removed.empty());
  }
  std::size_t removed = 0;
  for (int i = 0; i < 120; ++i) removed += resumed.step().removed.size();
  EXPECT_EQ(removed, 3u) << "the grace is over for all three";
  EXPECT_TRUE(resumed.simulation().has_player(13));
}

TEST_F(JournalTest, ASyncComesAtItsIntervalAndAtEachTickWhenThatIsZero) {
  JournalOptions options;
  options.sync_ms = 0;
  start(options);
  int const before = files.sync_count;
  run(10);
  EXPECT_GE(files.sync_count, before + 10);
}

}  // namespace
}  // namespace takt::server
