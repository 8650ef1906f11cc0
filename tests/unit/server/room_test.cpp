#include "server/room.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "takt/sim/replay.h"

namespace takt::server {
namespace {

constexpr std::string_view kRoomScene = R"({
  "players": { "max_players": 2 },
  "bodies": [
    { "type": "static", "shapes": [{ "half_space": {} }] },
    { "position": [0, 0.5, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
  ],
})";

sim::Scene room_scene() {
  auto loaded = sim::load_scene(kRoomScene, "test");
  EXPECT_TRUE(loaded.ok()) << message(loaded.error());
  return *std::move(loaded);
}

Room make_room() { return *Room::create(room_scene(), {}); }

protocol::ServerEvent joined(protocol::PlayerId player) {
  protocol::PlayerJoined event;
  event.player = player;
  return event;
}
protocol::ServerEvent inputs(protocol::PlayerId player, std::vector<protocol::Input> list) {
  return protocol::InputsArrived{player, std::move(list)};
}

protocol::BodyId box_of(const RoomUpdate& update) { return update.snapshot->back().id; }

/// A disk with so much room.
class SmallDisk final : public sim::ByteSink {
 public:
  explicit SmallDisk(std::size_t room) : room_(room) {}
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override {
    if (bytes.size() > room_) return false;
    room_ -= bytes.size();
    taken.insert(taken.end(), bytes.begin(), bytes.end());
    return true;
  }
  std::vector<std::byte> taken;

 private:
  std::size_t room_;
};

TEST(Room, WelcomesAPlayerWithEveryBodyAtTheTickItIsIn) {
  Room room = make_room();
  room.handle_event(joined(1));
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.welcomes.size(), 1u);
  EXPECT_EQ(update.welcomes[0].player, 1u);
  ASSERT_EQ(update.welcomes[0].bodies->size(), 2u);
  EXPECT_EQ((*update.welcomes[0].bodies)[1]->shapes[0].kind, protocol::ShapeKind::kBox);
  EXPECT_TRUE(update.added.empty());
  EXPECT_TRUE(room.simulation().has_player(1));
  EXPECT_EQ(update.tick, 1u);
  ASSERT_TRUE(update.snapshot);
  EXPECT_EQ(update.snapshot->size(), 2u);
  EXPECT_TRUE(room.step().welcomes.empty());
}

// Joins are the most expensive thing a stranger can ask for: a join-leave-join loop made the room describe
// all bodies each time.
TEST(JoinsAreExpensive, BodiesAreDescribedOnceWhileNoneComesOrGoes) {
  Room room = make_room();
  room.handle_event(joined(1));
  auto const first = room.step().welcomes.at(0).bodies;
  room.handle_event(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}});
  (void)room.step();
  room.handle_event(joined(2));
  EXPECT_EQ(room.step().welcomes.at(0).bodies, first) << "one list for all newcomers";
  protocol::SpawnCommand spawn;
  spawn.shape.dimensions = {0.25f, 0, 0};
  spawn.position.y = std::int64_t{5} << 32;
  room.handle_event(inputs(2, {{room.simulation().tick(), 1, spawn}}));
  (void)room.step();
  room.handle_event(protocol::EpochEntered{2, 1});
  auto const second = room.step().welcomes.at(0).bodies;
  EXPECT_NE(second, first);
  EXPECT_EQ(second->size(), first->size() + 1);
}

// Every viewer was a player: a browser tab changed the state hash, took a place and was recorded.
TEST(EveryViewerIsAPlayer, ASpectatorChangesNeitherHashNorRecording) {
  SmallDisk quiet_disk(1 << 20);
  SmallDisk watched_disk(1 << 20);
  Room quiet = make_room();
  Room watched = make_room();
  ASSERT_TRUE(quiet.start_recording(quiet_disk, room_scene()).ok());
  ASSERT_TRUE(watched.start_recording(watched_disk, room_scene()).ok());
  protocol::PlayerJoined spectator;
  spectator.player = protocol::kSpectatorIdFirst;
  spectator.role = protocol::Role::kSpectator;
  watched.handle_event(spectator);
  for (int tick = 0; tick < 200; ++tick) {
    if (tick == 20) {
      quiet.handle_event(joined(1));
      watched.handle_event(joined(1));
    }
    if (tick == 150)
      watched.handle_event(
          protocol::PlayerLeft{spectator.player, protocol::DisconnectReason::kClientLeft, {}});
    RoomUpdate const update = watched.step();
    if (tick == 0) {
      ASSERT_EQ(update.welcomes.size(), 1u) << "it sees all";
      EXPECT_EQ(update.welcomes[0].player, spectator.player);
    }
    (void)quiet.step();
    ASSERT_EQ(quiet.hash(), watched.hash()) << tick;
  }
  EXPECT_FALSE(watched.simulation().has_player(spectator.player));
  ASSERT_TRUE(quiet.close_recording().ok());
  ASSERT_TRUE(watched.close_recording().ok());
  EXPECT_EQ(quiet_disk.taken, watched_disk.taken);
  EXPECT_EQ(watched.counters().joined, 2u);
  EXPECT_EQ(watched.counters().left, 1u);
}

TEST(BodiesSpawnedIntoOneAnother, ASceneWithoutPlayersIsServedWithTheGuardedPolicy) {
  constexpr std::string_view kPlain =
      R"({ "bodies": [{ "type": "static", "shapes": [{ "half_space": {} }] }] })";
  auto const plain = sim::load_scene(kPlain, "plain");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->has_policy);
  Room const guarded = *Room::create(*plain, {});
  EXPECT_EQ(guarded.simulation().policy(), sim::guarded_policy());
  EXPECT_EQ(guarded.simulation().policy().max_spawned_per_player, 8u);
  EXPECT_EQ(guarded.simulation().scene_hash(), sim::scene_hash(*plain)) << "the scene's hash is its own";
  EXPECT_EQ(make_room().simulation().policy(), room_scene().policy) << "who writes a policy has it";
}

TEST(Room, TellsOfBodiesThatComeAndGo) {
  Room room = make_room();
  room.handle_event(joined(1));
  RoomUpdate update = room.step();
  protocol::SpawnCommand spawn;
  spawn.shape.dimensions = {0.25f, 0, 0};
  spawn.position.y = std::int64_t{5} << 32;
  room.handle_event(inputs(1, {{1, 1, spawn}}));
  update = room.step();
  ASSERT_EQ(update.added.size(), 1u);
  EXPECT_EQ(update.added[0].player, 1u);
  protocol::BodyId const ball = update.added[0].id;
  EXPECT_TRUE(update.outcomes.empty());  // applied as asked: nothing to tell
  room.handle_event(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}});
  update = room.step();
  EXPECT_EQ(update.removed, (std::vector<protocol::BodyId>{ball}));
  EXPECT_EQ(room.counters().left, 1u);
  EXPECT_FALSE(room.simulation().has_player(1));
}

TEST(Room, TellsWhatBecameOfInputsThatDidNotActAsAsked) {
  Room room = make_room();
  room.handle_event(joined(1));
  protocol::BodyId const box = box_of(room.step());
  for (int i = 0; i < 100; ++i) (void)room.step();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  room.handle_event(inputs(1, {{90, 1, protocol::ImpulseCommand{box, {0, 1, 0}, std::nullopt}},  // late
                               {1, 2, protocol::ImpulseCommand{box, {0, 1, 0}, std::nullopt}},   // too late
                               {101, 3, protocol::ImpulseCommand{box, {nan, 0, 0}, std::nullopt}},
                               {101, 4, protocol::ImpulseCommand{box, {1e8f, 0, 0}, std::nullopt}},
                               {101, 5, protocol::ImpulseCommand{box + 77, {0, 1, 0}, std::nullopt}},
                               {101, 6, protocol::DespawnCommand{box}},  // not its own
                               {101, 7, protocol::CustomCommand{std::vector<std::byte>(3)}}}));  // no game
  RoomUpdate const update = room.step();
  std::map<std::uint32_t, protocol::CommandStatus> told;
  for (auto const& one : update.outcomes) told[one.outcome.sequence] = one.outcome.status;
  using enum protocol::CommandStatus;
  EXPECT_EQ(told, (std::map<std::uint32_t, protocol::CommandStatus>{{1, kMoved},
                                                                    {2, kRefusedLate},
                                                                    {3, kRefusedInvalid},
                                                                    {4, kRefusedLimit},
                                                                    {5, kRefusedUnknownBody},
                                                                    {6, kRefusedPermission},
                                                                    {7, kRefusedInvalid}}));
  std::map<std::uint32_t, protocol::CommandRefusal> reasons;
  for (auto const& one : update.outcomes) reasons[one.outcome.sequence] = one.outcome.refusal;
  using Reason = protocol::CommandRefusal;
  EXPECT_EQ(reasons, (std::map<std::uint32_t, Reason>{{1, Reason::kNone},
                                                      {2, Reason::kTooLate},
                                                      {3, Reason::kNotFinite},
                                                      {4, Reason::kOverLimit},
                                                      {5, Reason::kUnknownBody},
                                                      {6, Reason::kForbidden},
                                                      {7, Reason::kNoGame}}));
  EXPECT_EQ(room.counters().inputs_moved, 1u);
  EXPECT_EQ(room.counters().inputs_applied, 1u);
  EXPECT_EQ(room.counters().inputs_refused, 6u);
  for (Reason const reason : {Reason::kTooLate, Reason::kNotFinite, Reason::kOverLimit, Reason::kUnknownBody,
                              Reason::kForbidden, Reason::kNoGame})
    EXPECT_EQ(room.counters().refusals.at(static_cast<std::size_t>(reason)), 1u) << name_of(reason);
}

TEST(Room, ToldOutcomesNameEachRefusalOnce) {
  Room room = make_room();
  room.handle_event(joined(1));
  protocol::BodyId const box = box_of(room.step());
  room.handle_event(
      inputs(1, {{1, 1, protocol::DespawnCommand{box}}, {500, 2, protocol::DespawnCommand{box}}}));
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.outcomes.size(), 2u);
  EXPECT_EQ(update.outcomes[0].outcome,
            (protocol::CommandOutcome{
                2, protocol::CommandStatus::kRefusedEarly, 1, protocol::CommandRefusal::kTooEarly, {}}));
  EXPECT_EQ(
      update.outcomes[1].outcome,
      (protocol::CommandOutcome{
          1, protocol::CommandStatus::kRefusedPermission, 1, protocol::CommandRefusal::kForbidden, {}}));
  EXPECT_TRUE(room.step().outcomes.empty());
}

TEST(Room, SendsAwayWhoThePolicyDoesNotTake) {
  Room room = make_room();
  for (protocol::PlayerId player = 1; player <= 3; ++player) room.handle_event(joined(player));
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.kicks.size(), 1u);
  EXPECT_EQ(update.kicks[0].player, 3u);
  EXPECT_EQ(update.kicks[0].text, message(sim::Refusal::kTooManyPlayers));
  EXPECT_EQ(update.welcomes.size(), 2u);
  EXPECT_EQ(room.counters().joined, 2u);
}

TEST(Room, GoesOnWhenTheDiskIsFullAndLeavesAReadableRecording) {
  for (std::size_t const space : {std::size_t{0}, std::size_t{20}, std::size_t{20'000}}) {
    Room room = make_room();
    SmallDisk disk(space);
    bool const started = room.start_recording(disk, room_scene()).ok();
    EXPECT_EQ(started, space == 20'000);
    room.handle_event(joined(1));
    for (int i = 0; i < 3000; ++i) (void)room.step();
    EXPECT_TRUE(room.has_recording_failed());
    EXPECT_EQ(room.simulation().tick(), 3000u);
    EXPECT_TRUE(room.close_recording().ok());  // it failed before and said so then
    if (!started) continue;
    sim::MemorySource const source(disk.taken);
    auto const recording = sim::RecordingReader::open(source);
    ASSERT_TRUE(recording.ok());
    auto const report = sim::verify(*recording);
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->mismatch);
    EXPECT_GT(report->ticks_checked, 60u);
  }
}

TEST(Room, PublishesEveryNthTickWhenAsked) {
  RoomOptions options;
  options.snapshot_every_ticks = 3;
  Room room = *Room::create(room_scene(), options);
  for (std::uint64_t tick = 1; tick <= 9; ++tick)
    EXPECT_EQ(room.step().snapshot.has_value(), tick % 3 == 0) << tick;
}

TEST(Room, StatesItsHashWhenAsked) {
  Room room = make_room();
  EXPECT_FALSE(room.step().stats);
  RoomUpdate const update = room.step({.stats = true});
  ASSERT_TRUE(update.stats);
  EXPECT_EQ(update.stats->state_hash, room.simulation().hash());
  EXPECT_EQ(update.stats->body_count, 2u);
}

// The token's limit is below the policy's; what it refuses reaches neither the simulation nor the recording.
TEST(Room, APlayerSpawnsAsManyBodiesAsItsTokenAllows) {
  Room room = make_room();
  protocol::PlayerJoined limited;
  limited.player = 1;
  limited.bodies_max = 2;
  room.handle_event(limited);
  room.handle_event(joined(2));
  (void)room.step();
  std::uint32_t sequence = 0;
  auto const spawn = [&](protocol::PlayerId player, int count) {
    std::vector<protocol::Input> list;
    for (int i = 0; i < count; ++i) {
      protocol::SpawnCommand command;
      command.shape.kind = protocol::ShapeKind::kSphere;
      command.shape.dimensions = {0.25f, 0, 0};
      command.position = {std::int64_t{3} * ++sequence << 32, std::int64_t{5} << 32,
                          std::int64_t{4} * player << 32};
      list.push_back({room.simulation().tick(), sequence, command});
    }
    room.handle_event(inputs(player, std::move(list)));
    return room.step();
  };
  RoomUpdate const update = spawn(1, 3);
  ASSERT_EQ(update.outcomes.size(), 1u);
  EXPECT_EQ(update.outcomes[0].outcome.refusal, protocol::CommandRefusal::kTooManySpawned);
  EXPECT_EQ(spawn(1, 1).outcomes.size(), 1u) << "the bodies of earlier ticks count";
  EXPECT_TRUE(spawn(2, 3).outcomes.empty());
}

}  // namespace
}  // namespace takt::server
