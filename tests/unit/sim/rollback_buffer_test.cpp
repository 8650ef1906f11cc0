#include "takt/sim/rollback_buffer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

Input push(std::uint64_t tick, std::uint32_t sequence, float x) {
  return {tick, kServerPlayer, sequence, ImpulseCommand{scene_body(1), {x, 0, 0}, {}}};
}

TEST(RollbackBuffer, ALateInputGivesTheSameStateAsOneInTime) {
  Simulation straight = make_simulation(stack_scene());
  Simulation late = make_simulation(stack_scene());
  RollbackBuffer buffer(8);
  for (std::uint64_t tick = 0; tick < 10; ++tick) {
    std::vector<Input> const inputs = tick == 5 ? std::vector<Input>{push(5, 1, 800)} : std::vector<Input>{};
    (void)straight.step(inputs);
    (void)buffer.step(late, {});
  }
  EXPECT_NE(late.hash(), straight.hash());
  Input const missing = push(5, 1, 800);
  ASSERT_TRUE(buffer.set_inputs(5, std::span(&missing, 1)));
  std::vector<TickResult> const again = buffer.resimulate(late);
  ASSERT_EQ(again.size(), 5u);
  EXPECT_EQ(again.front().tick, 6u);
  EXPECT_EQ(again.back().hash, straight.hash());
  EXPECT_EQ(late.hash(), straight.hash());
  EXPECT_EQ(buffer.hash_after(9), straight.hash());
}

TEST(RollbackBuffer, EqualInputsCostNothing) {
  Simulation simulation = make_simulation(stack_scene());
  RollbackBuffer buffer(4);
  Input const input = push(0, 1, 10);
  (void)buffer.step(simulation, std::span(&input, 1));
  ASSERT_TRUE(buffer.set_inputs(0, std::span(&input, 1)));
  EXPECT_TRUE(buffer.resimulate(simulation).empty());
}

// A confirmed input with another sign of a zero acts, although its command is equal by value.
TEST(RollbackBuffer, InputsAreComparedByBits) {
  Simulation simulation = make_simulation(stack_scene());
  RollbackBuffer buffer(4);
  auto const teleport = [](float x) {
    return Input{0, kServerPlayer, 1, TeleportCommand{scene_body(1), {}, {x, 0, 0, 1}, {}, {}}};
  };
  Input const predicted = teleport(0.0f);
  Input const confirmed = teleport(-0.0f);
  ASSERT_EQ(predicted, confirmed);
  (void)buffer.step(simulation, std::span(&predicted, 1));
  ASSERT_TRUE(buffer.set_inputs(0, std::span(&predicted, 1)));
  EXPECT_TRUE(buffer.resimulate(simulation).empty());
  ASSERT_TRUE(buffer.set_inputs(0, std::span(&confirmed, 1)));
  EXPECT_EQ(buffer.resimulate(simulation).size(), 1u);
  EXPECT_TRUE(std::signbit(std::get<TeleportCommand>(buffer.inputs(0)[0].command).rotation.x));
}

TEST(RollbackBuffer, HoldsItsDepthAndNoMore) {
  Simulation simulation = make_simulation(stack_scene());
  RollbackBuffer buffer(3);
  for (int i = 0; i < 7; ++i) (void)buffer.step(simulation, {});
  EXPECT_EQ(buffer.first_tick(), 4u);
  EXPECT_EQ(buffer.end_tick(), 7u);
  EXPECT_FALSE(buffer.set_inputs(3, {}));
  EXPECT_FALSE(buffer.set_inputs(7, {}));
  EXPECT_TRUE(buffer.set_inputs(4, {}));
  buffer.confirm_before(6);
  EXPECT_FALSE(buffer.set_inputs(5, {}));
  EXPECT_EQ(buffer.first_tick(), 6u);
}

TEST(RollbackBufferDeathTest, ALateInputOfTheOldestTickIsNotDroppedSilently) {
  Simulation simulation = make_simulation(stack_scene());
  RollbackBuffer buffer(3);
  for (int i = 0; i < 5; ++i) (void)buffer.step(simulation, {});
  Input const missing = push(2, 1, 800);
  ASSERT_TRUE(buffer.set_inputs(2, std::span(&missing, 1)));
  EXPECT_DEATH((void)buffer.step(simulation, {}), "assertion failed: !slot\\(t\\).changed");
  EXPECT_DEATH(buffer.confirm_before(3), "assertion failed: !slot\\(t\\).changed");
  // Both calls forget the tick after resimulate().
  EXPECT_EQ(buffer.resimulate(simulation).size(), 3u);
  (void)buffer.step(simulation, {});
  buffer.confirm_before(4);
  EXPECT_EQ(buffer.first_tick(), 4u);
}

}  // namespace
}  // namespace takt::sim
