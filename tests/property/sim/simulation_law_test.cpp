// Laws of the simulation under random inputs, hostile ones included: interrupting, saving, rolling back and
// replaying never change a bit.
#include <gtest/gtest.h>

#include "takt/sim/replay.h"
#include "takt/sim/rollback_buffer.h"
#include "tests/property/sim/random_inputs.h"

namespace takt::sim {
namespace {

Simulation start(NumbersMode numbers) {
  Result<Scene, SceneError> const scene =
      load_scene(std::string_view(R"({"players": {"max_spawned": 6}, "bodies": [
    {"type": "static", "shapes": [{"half_space": {}}]},
    {"type": "kinematic", "position": [4, 0.5, 0], "shapes": [{"box": {}}], "motion": {"to": [4, 3, 0], "period": 1.5}}],
    "generators": [{"stack": {"count": 5}}, {"pyramid": {"base": 3, "origin": [-4, 0, 0]}}]})"),
                 "law.json");
  Result<Simulation, SimError> simulation = Simulation::create(*scene, numbers);
  return *std::move(simulation);
}

constexpr std::uint64_t kTicks = 150;

std::vector<std::vector<Input>> script(std::uint64_t seed) {
  RandomInputs random(seed);
  std::vector<std::vector<Input>> inputs;
  for (std::uint64_t tick = 0; tick < kTicks; ++tick) inputs.push_back(random.tick(tick));
  return inputs;
}

std::vector<std::uint64_t> straight(NumbersMode numbers, const std::vector<std::vector<Input>>& inputs) {
  Simulation simulation = start(numbers);
  std::vector<std::uint64_t> hashes;
  hashes.reserve(inputs.size());
  for (const auto& of_tick : inputs) hashes.push_back(simulation.step(of_tick).hash);
  return hashes;
}

using Case = std::tuple<NumbersMode, std::uint64_t>;

class SimulationLaw : public ::testing::TestWithParam<Case> {
 protected:
  NumbersMode numbers = std::get<0>(GetParam());
  std::uint64_t seed = std::get<1>(GetParam());
  std::vector<std::vector<Input>> inputs = script(seed);
  std::vector<std::uint64_t> expected = straight(numbers, inputs);
};

TEST_P(SimulationLaw, SavingAndRestoringIntoAFreshOneChangesNothing) {
  Simulation simulation = start(numbers);
  Random random(seed);
  for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
    if (random.next_below(4) == 0) {
      Result<Simulation, SimError> restored = Simulation::restore(simulation.save());
      ASSERT_TRUE(restored) << message(restored.error());
      simulation = *std::move(restored);
    }
    ASSERT_EQ(simulation.step(inputs[tick]).hash, expected[tick]) << "seed " << seed << " tick " << tick;
  }
}

TEST_P(SimulationLaw, InputsThatArriveLateOrInPiecesEndInTheSameState) {
  Simulation simulation = start(numbers);
  RollbackBuffer buffer(9);
  Random random(seed + 1000);
  std::vector<std::uint64_t> due(kTicks);  // when each tick's inputs arrive
  for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
    due[tick] = tick + random.next_below(8);
    bool const is_known = due[tick] == tick;
    (void)buffer.step(simulation, is_known ? std::span<const Input>(inputs[tick]) : std::span<const Input>());
    for (std::uint64_t past = tick < 8 ? 0 : tick - 8; past <= tick; ++past) {
      if (due[past] == tick) {
        ASSERT_TRUE(buffer.set_inputs(past, inputs[past]));
      }
    }
    (void)buffer.resimulate(simulation);
  }
  for (std::uint64_t past = buffer.first_tick(); past < buffer.end_tick(); ++past)
    ASSERT_TRUE(buffer.set_inputs(past, inputs[past]));
  (void)buffer.resimulate(simulation);
  EXPECT_EQ(simulation.hash(), expected.back()) << "seed " << seed;
}

TEST_P(SimulationLaw, TheOrderOfInputsWithinATickDoesNotMatter) {
  Simulation simulation = start(numbers);
  for (std::uint64_t tick = 0; tick < kTicks; ++tick) {
    std::vector<Input> reversed(inputs[tick].rbegin(), inputs[tick].rend());
    ASSERT_EQ(simulation.step(reversed).hash, expected[tick]) << "seed " << seed << " tick " << tick;
  }
}

TEST_P(SimulationLaw, ARecordingVerifies) {
  Simulation simulation = start(numbers);
  MemorySink sink;
  RecordingOptions options;
  options.image_every_ticks = 40;
  options.ticks_per_chunk = 11;
  RecordingWriter writer(sink, options);
  ASSERT_TRUE(writer.begin(simulation, nullptr));
  std::size_t refused = 0;
  for (const auto& of_tick : inputs) {
    TickResult const result = simulation.step(of_tick);
    refused += result.refused.size();
    ASSERT_TRUE(writer.append(simulation, of_tick, result));
  }
  ASSERT_TRUE(writer.close());
  EXPECT_GT(refused, 0u);  // hostile inputs are part of the law
  MemorySource const source(sink.bytes());
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  ASSERT_TRUE(reader);
  Result<VerifyReport, SimError> const report = verify(*reader);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->mismatch) << "seed " << seed;
  EXPECT_EQ(report->ticks_checked, kTicks);
  EXPECT_EQ(report->final_hash, expected.back());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulationLaw,
                         ::testing::Combine(::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                                            ::testing::Range<std::uint64_t>(1, 9)));

}  // namespace
}  // namespace takt::sim
