#include <gtest/gtest.h>

#include "takt/sim/rollback_buffer.h"
#include "tests/unit/sim/counting_game.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

const CountingGame& counts(const Simulation& simulation) { return dynamic_cast<const CountingGame&>(*simulation.game()); }

class GameInSimulation : public ::testing::TestWithParam<NumbersMode> {
 protected:
  Simulation simulation = make_simulation(stack_scene(), GetParam(), std::make_unique<CountingGame>());
  InputMaker maker;
};

TEST_P(GameInSimulation, IsCalledAtItsPlaces) {
  join_players(simulation, maker, 2);
  std::vector<Input> inputs{maker.make(simulation.tick(), 1, CustomCommand{{std::byte{7}}}), maker.make(simulation.tick(), 2, CustomCommand{}),
                            maker.make(simulation.tick(), kServerPlayer, LeaveCommand{2})};
  TickResult const result = simulation.step(inputs);
  EXPECT_EQ(counts(simulation).joins, 2u);
  EXPECT_EQ(counts(simulation).leaves, 1u);
  EXPECT_EQ(counts(simulation).commands, 1u);
  EXPECT_EQ(counts(simulation).last_leave_tick, 1u);
  ASSERT_EQ(result.spawned.size(), 1u);
  EXPECT_EQ(simulation.owner(result.spawned[0]), 1u);  // the game made it for player 1
  ASSERT_EQ(result.refused.size(), 1u);                // player 2 had left before its command: the server's inputs come first
  EXPECT_EQ(result.refused[0].reason, Refusal::kNotJoined);
}

TEST_P(GameInSimulation, RefusalsOfTheGameAreRecordedRefusals) {
  join_players(simulation, maker, 1);
  Input const input = maker.make(simulation.tick(), 1, CustomCommand{});
  EXPECT_EQ(simulation.step(std::span(&input, 1)).refused.at(0).reason, Refusal::kGameRefused);
}

TEST_P(GameInSimulation, StateIsHashedSavedAndRolledBack) {
  SimulationSnapshot snapshot;
  simulation.capture(snapshot);
  std::uint64_t const hash = simulation.hash();
  std::vector<std::byte> const image = simulation.save();
  (void)simulation.step({});
  std::uint64_t const draws = counts(simulation).draws;
  EXPECT_NE(draws, 0u);
  std::uint64_t const next_hash = simulation.hash();
  simulation.rollback(snapshot);
  EXPECT_EQ(counts(simulation).draws, 0u);
  EXPECT_EQ(simulation.hash(), hash);
  Result<Simulation, SimError> restored = Simulation::restore(image, std::make_unique<CountingGame>());
  ASSERT_TRUE(restored);
  (void)restored->step({});
  EXPECT_EQ(restored->hash(), next_hash);
  EXPECT_EQ(counts(*restored).draws, draws);
}

TEST_P(GameInSimulation, AnImageOpensWithItsGameOnly) {
  std::vector<std::byte> const image = simulation.save();
  Result<Simulation, SimError> const without = Simulation::restore(image);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error(), SimError::kGameMismatch);
  Simulation const plain = make_simulation(stack_scene(), GetParam());
  Result<Simulation, SimError> const with = Simulation::restore(plain.save(), std::make_unique<CountingGame>());
  ASSERT_FALSE(with);
  EXPECT_EQ(with.error(), SimError::kGameMismatch);
}

INSTANTIATE_TEST_SUITE_P(Numbers, GameInSimulation, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

}  // namespace
}  // namespace takt::sim
