// SyncTest: sound games pass with the bits of a plain run; state that a game forgets to save is named.
#include <gtest/gtest.h>

#include "takt/sim/rollback_buffer.h"
#include "tests/unit/sim/counting_game.h"
#include "tests/unit/sim/forgetful_game.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

class SyncTestTest : public testing::TestWithParam<NumbersMode> {};
INSTANTIATE_TEST_SUITE_P(BothModes, SyncTestTest, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

std::vector<Input> inputs_at(InputMaker& maker, std::uint64_t tick) {
  std::vector<Input> inputs;
  if (tick == 0) inputs.push_back(maker.make(0, kServerPlayer, JoinCommand{1, false, "ann"}));
  if (tick % 7 == 3) inputs.push_back(maker.make(tick, 1, CustomCommand{{std::byte{3}}}));
  if (tick % 5 == 4) inputs.push_back(maker.make(tick, 1, ImpulseCommand{scene_body(2), {20, 0, 0}, {}}));
  return inputs;
}

TEST_P(SyncTestTest, ASoundGameHasTheHashesOfAPlainRun) {
  for (std::uint32_t const rollback_ticks : {1u, 2u, 9u}) {
    Simulation plain = make_simulation(stack_scene(4), GetParam(), std::make_unique<CountingGame>());
    Simulation tested = make_simulation(stack_scene(4), GetParam(), std::make_unique<CountingGame>());
    SyncTest test(rollback_ticks);
    InputMaker maker;
    std::uint64_t expected_repeats = 0;
    for (std::uint64_t tick = 0; tick < 60; ++tick) {
      std::vector<Input> const inputs = inputs_at(maker, tick);
      TickResult const result = test.step(tested, inputs);
      ASSERT_FALSE(test.difference()) << message(test.difference()->fields.at(0));
      ASSERT_EQ(result.hash, plain.step(inputs).hash) << tick;
      ASSERT_EQ(tested.hash(), result.hash) << tick;
      expected_repeats += std::min<std::uint64_t>(tick + 1, rollback_ticks);
    }
    EXPECT_EQ(test.repeated_ticks(), expected_repeats);
  }
}

// In tick n the count is n + 1; the repetition continues to count. So the first repeated tick differs.
TEST_P(SyncTestTest, StateThatAGameForgetsIsNamedWithBothValues) {
  Simulation simulation = make_simulation(parse_scene(R"({"world": {"gravity": [0, 0, 0]}, "bodies": [
        {"shapes": [{"sphere": {}}]}, {"type": "kinematic", "position": [9, 0, 0], "shapes": [{"sphere": {}}]}]})"),
                                          GetParam(), std::make_unique<ForgetfulGame>(Forgets::kForce));
  SyncTest test(8);
  TickResult const result = test.step(simulation, {});
  ASSERT_TRUE(test.difference());
  SyncDifference const& difference = *test.difference();
  EXPECT_EQ(difference.tick, 1u);
  EXPECT_EQ(difference.rolled_back_to, 0u);
  EXPECT_EQ(difference.first_hash, result.hash);
  EXPECT_NE(difference.repeated_hash, result.hash);
  EXPECT_EQ(simulation.hash(), result.hash) << "the state of the first run stays";
  EXPECT_FALSE(difference.output);
  ASSERT_EQ(difference.fields.size(), 2u);
  EXPECT_EQ(difference.fields[0].path, "body.record[1].center.x");
  EXPECT_EQ(difference.fields[1].path, "body.record[1].linear_velocity.x");
  double const unit = GetParam() == NumbersMode::kFixed ? 0x1p32 : 1.0;
  EXPECT_EQ(difference.fields[1].by, unit);
  if (GetParam() == NumbersMode::kFloat) {
    EXPECT_EQ(message(difference.fields[1]),
              "body.record[1].linear_velocity.x: 1 (0x3f800000) != 2 (0x40000000), 8388608 ULP");
  }
}

TEST(SyncTest, StateThatOnlyMessagesShowIsNamedByTheMessage) {
  Simulation simulation = make_simulation(stack_scene(1), NumbersMode::kFloat,
                                          std::make_unique<ForgetfulGame>(Forgets::kMessage));
  InputMaker maker;
  join_players(simulation, maker, 1);
  SyncTest test(2);
  (void)test.step(simulation, {});
  ASSERT_TRUE(test.difference());
  EXPECT_TRUE(test.difference()->fields.empty());
  ASSERT_TRUE(test.difference()->output);
  EXPECT_EQ(test.difference()->output->tick, 2u);
  EXPECT_EQ(test.difference()->output->continued, "to all: tick 2");
  EXPECT_EQ(test.difference()->output->restored, "to all: tick 3");
}

}  // namespace
}  // namespace takt::sim
