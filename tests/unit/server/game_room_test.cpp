// A room with a Game: messages, tickets and the game's words on their way to the clients, live and in a
// playback.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "server/playback.h"
#include "server/room.h"

namespace takt::server {
namespace {

constexpr std::string_view kScene = R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]}]})";

sim::Scene scene() { return *sim::load_scene(kScene, "test"); }

std::string text_of(const sim::GameMessage& message) {
  return {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()};
}

/// Greets who joins and counts the ticks aloud; a custom command creates a ball for its player.
class Greeter final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "greeter/1"; }
  [[nodiscard]] bool on_start(sim::WorldAccess& world, const sim::SceneNames& names) override {
    return !wants_goal || names.body("goal") ? true : world.refuse("no goal\x07 here");
  }
  void on_join(sim::WorldAccess& world, sim::PlayerId player) override {
    EXPECT_TRUE(world.send(player, "hello " + std::to_string(player)).ok());
  }
  [[nodiscard]] bool on_command(sim::WorldAccess& world, sim::PlayerId player,
                                std::span<const std::byte> bytes) override {
    if (bytes.empty()) return world.refuse("nothing\x07 said");
    BodyDef const def = BodyDef::make(BodyType::kDynamic, Position::from_metres(0, 5, 0));
    return world.create_body(def, ShapeDef::sphere(0.5), player).ok();
  }
  void after_tick(sim::WorldAccess& world, const StepEvents&) override {
    if (world.tick() % 10 == 0) {
      EXPECT_TRUE(world.send_to_all(std::to_string(world.tick())).ok());
    }
  }
  void visit_state(sim::StateVisitor&) override {}

  bool wants_goal = false;
};

void join_game(Room& room, protocol::PlayerId player) {
  protocol::PlayerJoined event;
  event.player = player;
  room.handle_event(event);
}
void send(Room& room, protocol::Input input) {
  room.handle_event(protocol::InputsArrived{1, {std::move(input)}, 0});
}

protocol::SpawnCommand ball() {
  protocol::SpawnCommand spawn;
  spawn.shape.dimensions = {0.25f, 0, 0};
  spawn.position.y = std::int64_t{5} << 32;
  return spawn;
}

TEST(GameRoom, HandsOutEachMessageWithTheUpdateOfItsTickAndOnce) {
  Room room = *Room::create(scene(), {}, std::make_unique<Greeter>());
  join_game(room, 1);
  RoomUpdate update = room.step();
  ASSERT_EQ(update.messages.size(), 1u);
  EXPECT_EQ(update.messages[0].player, 1u);
  EXPECT_EQ(update.messages[0].tick, update.tick);
  EXPECT_EQ(text_of(update.messages[0]), "hello 1");
  EXPECT_EQ(update.welcomes.size(), 1u);
  EXPECT_TRUE(room.idle({}).messages.empty());
  std::vector<std::string> counted;
  for (int tick = 0; tick < 20; ++tick)
    for (const sim::GameMessage& message : room.step().messages) counted.push_back(text_of(message));
  EXPECT_EQ(counted, (std::vector<std::string>{"10", "20"}));
}

TEST(GameRoom, ASpawnedBodyCarriesTheSequenceOfItsCommandInItsTickAlone) {
  Room room = *Room::create(scene(), {}, std::make_unique<Greeter>());
  join_game(room, 1);
  (void)room.step();
  send(room, {1, 4, ball()});
  send(room, {1, 5, protocol::CustomCommand{{std::byte{1}}}});
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.added.size(), 2u);
  EXPECT_EQ(update.added[0].player, 1u);
  EXPECT_EQ(update.added[0].sequence, 4u);
  EXPECT_EQ(update.added[1].player, 1u);
  EXPECT_EQ(update.added[1].sequence, 5u) << "the game made it during that command";
  // Who joins later is told of the bodies, not of the old tickets.
  join_game(room, 2);
  RoomUpdate const later = room.step();
  ASSERT_EQ(later.welcomes.size(), 1u);
  for (auto const& body : *later.welcomes[0].bodies) EXPECT_EQ(body->sequence, 0u);
}

// The inputs of a client that sends at once can act in the tick of its join.
TEST(GameRoom, ANewcomersWelcomeHasTheTicketsOfItsFirstTick) {
  Room room = *Room::create(scene(), {}, std::make_unique<Greeter>());
  join_game(room, 1);
  send(room, {0, 1, ball()});
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.welcomes.size(), 1u);
  ASSERT_EQ(update.welcomes[0].bodies->size(), 2u);
  EXPECT_EQ(update.welcomes[0].bodies->back()->sequence, 1u);
}

TEST(GameRoom, ARefusalHasTheGamesWordsAsFarAsTheyMayBePrinted) {
  Room room = *Room::create(scene(), {}, std::make_unique<Greeter>());
  join_game(room, 1);
  (void)room.step();
  send(room, {1, 1, protocol::CustomCommand{}});
  RoomUpdate const update = room.step();
  ASSERT_EQ(update.outcomes.size(), 1u);
  EXPECT_EQ(update.outcomes[0].outcome.refusal, protocol::CommandRefusal::kGameRefused);
  EXPECT_EQ(update.outcomes[0].outcome.status, protocol::CommandStatus::kRefusedInvalid);
  EXPECT_EQ(update.outcomes[0].outcome.text, "nothing said");
}

TEST(GameRoom, ASceneThatTheGameRefusesIsNotHosted) {
  auto game = std::make_unique<Greeter>();
  game->wants_goal = true;
  std::string why;
  auto const room = Room::create(scene(), {}, std::move(game), &why);
  ASSERT_FALSE(room.ok());
  EXPECT_EQ(room.error(), sim::SimError::kSceneRefusedByGame);
  EXPECT_EQ(why, "no goal\x07 here");
}

TEST(GameRoom, APlaybackTellsItsSpectatorsWhatTheGameToldAll) {
  Room room = *Room::create(scene(), {}, std::make_unique<Greeter>());
  sim::MemorySink sink;
  ASSERT_TRUE(room.start_recording(sink, scene()).ok());
  join_game(room, 1);
  for (int tick = 0; tick < 40; ++tick) (void)room.step();
  ASSERT_TRUE(room.close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(Playback::open(*reader).error(), sim::SimError::kGameMismatch);
  sim::GameFactory const games = [](std::string_view) { return std::make_unique<Greeter>(); };
  auto playback = Playback::open(*reader, {}, std::nullopt, games);
  ASSERT_TRUE(playback.ok());
  auto const play_to = [&](std::uint64_t tick) {
    std::vector<std::string> told;
    while (playback->simulation().tick() < tick)
      for (const sim::GameMessage& message : playback->step({}).messages) {
        EXPECT_EQ(message.player, sim::kServerPlayer) << "spectator 1 is not the recorded player 1";
        told.push_back(text_of(message));
      }
    return told;
  };
  EXPECT_EQ(play_to(25), (std::vector<std::string>{"10", "20"}));
  // A seek computes ticks 15 to 18 again, silently.
  playback->handle_event(protocol::ControlArrived{1, {1, protocol::ControlAction::kSeek, 1, 18, {}}});
  EXPECT_TRUE(playback->idle({}).messages.empty());
  EXPECT_EQ(playback->simulation().tick(), 18u);
  EXPECT_EQ(play_to(40), (std::vector<std::string>{"20", "30", "40"}));
}

}  // namespace
}  // namespace takt::server
