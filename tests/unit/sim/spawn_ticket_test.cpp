// Tickets: which input a body of TickResult::spawned came from, and Game::on_spawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

/// A custom command creates one body for the player whom its byte names; 9 destroys what players spawn.
class SpawningGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "spawning/1"; }
  void on_join(WorldAccess& world, PlayerId player) override { create(world, player); }
  void on_spawn(WorldAccess& world, const SpawnTicket& spawned) override {
    spawns.push_back(spawned);
    EXPECT_EQ(world.owner(spawned.body), spawned.player);
    if (destroys) {
      EXPECT_TRUE(world.destroy_body(spawned.body).ok());
    }
  }
  bool on_command(WorldAccess& world, PlayerId, std::span<const std::byte> bytes) override {
    create(world, std::to_integer<PlayerId>(bytes[0]));
    return true;
  }
  void before_tick(WorldAccess& world) override {
    if (world.tick() == 1) create(world, 1);
  }
  void visit_state(StateVisitor&) override {}

  bool destroys = false;
  std::vector<SpawnTicket> spawns;

 private:
  static void create(WorldAccess& world, PlayerId owner) {
    BodyDef const def = BodyDef::make(BodyType::kDynamic, Position::from_metres(30.0 + owner, 2, 0));
    EXPECT_TRUE(world.create_body(def, ShapeDef::sphere(0.5), owner).ok());
  }
};

SpawningGame& game_of(Simulation& simulation) { return dynamic_cast<SpawningGame&>(*simulation.game()); }

SpawnCommand ball_at(double x) {
  return spawn_of(ShapeKind::kSphere, {0.25f, 0, 0}, Position::from_metres(x, 5, 0));
}

TEST(SpawnTickets, NameTheInputOfEachSpawnedBody) {
  Simulation simulation =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<SpawningGame>());
  InputMaker maker;
  join_players(simulation, maker, 2);
  (void)maker.make(1, 2, ReleaseCommand{});  // a number that is never sent
  std::vector<Input> const inputs{
      maker.make(1, 1, ball_at(10)),                    // sequence 1 of player 1
      maker.make(1, 2, ball_at(12)),                    // sequence 2 of player 2
      maker.make(1, 1, CustomCommand{{std::byte{1}}}),  // sequence 2: for itself
      maker.make(1, 1, CustomCommand{{std::byte{2}}}),  // for another player
      maker.make(1, 1, CustomCommand{{std::byte{0}}}),  // for nobody
      maker.make(1, kServerPlayer, ball_at(14)),        // the server's own
  };
  TickResult const result = simulation.step(inputs);
  ASSERT_TRUE(result.refused.empty());
  EXPECT_EQ(result.spawned.size(), 7u);  // and one of before_tick
  ASSERT_EQ(result.tickets.size(), 3u);
  std::vector<std::pair<PlayerId, std::uint32_t>> got;
  for (const SpawnTicket& ticket : result.tickets) {
    EXPECT_EQ(simulation.owner(ticket.body), ticket.player);
    got.emplace_back(ticket.player, ticket.sequence);
  }
  std::ranges::sort(got);
  EXPECT_EQ(got, (std::vector<std::pair<PlayerId, std::uint32_t>>{{1, 1}, {1, 2}, {2, 2}}));
  EXPECT_TRUE(std::ranges::is_sorted(result.tickets, {}, &SpawnTicket::body));

  // The Game is told of the two spawn commands of players, not of its own bodies.
  std::vector<SpawnTicket> const& told = game_of(simulation).spawns;
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].player, 1u);
  EXPECT_EQ(told[0].sequence, 1u);
  EXPECT_EQ(told[1].player, 2u);
  EXPECT_EQ(told[1].sequence, 2u);
  EXPECT_TRUE(simulation.step({}).tickets.empty());
}

TEST(SpawnTickets, OfABodyThatTheGameDestroysAtOnceAreGoneWithIt) {
  Simulation simulation =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<SpawningGame>());
  InputMaker maker;
  join_players(simulation, maker, 1);
  (void)simulation.step({});
  std::uint32_t const count = simulation.world().body_count();
  game_of(simulation).destroys = true;
  Input const spawn = maker.make(2, 1, ball_at(10));
  TickResult const result = simulation.step(std::span(&spawn, 1));
  EXPECT_TRUE(result.refused.empty());
  EXPECT_TRUE(result.spawned.empty());
  EXPECT_TRUE(result.removed.empty());
  EXPECT_TRUE(result.tickets.empty());
  EXPECT_EQ(simulation.world().body_count(), count);
}

TEST(SpawnTickets, AreThereWithoutAGameToo) {
  Simulation simulation = make_simulation(stack_scene(1));
  InputMaker maker;
  join_players(simulation, maker, 1);
  Input const spawn = maker.make(1, 1, ball_at(10));
  TickResult const result = simulation.step(std::span(&spawn, 1));
  ASSERT_EQ(result.tickets.size(), 1u);
  EXPECT_EQ(result.tickets[0], (SpawnTicket{result.spawned.at(0), 1, 1}));
}

}  // namespace
}  // namespace takt::sim
