// The width at which constraints are solved never changes a bit: 1, 4, 8 and 16 lanes, and a width that
// changes from tick to tick.
#include <gtest/gtest.h>

#include "takt/core/random.h"
#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class Lanes : public testing::TestWithParam<Stage> {};

TEST_P(Lanes, EveryWidthGivesTheSameBits) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  std::uint64_t const ticks = run_ticks(0.25);
  Play const reference = play(scene, GetParam().mode, ticks);
  for (std::uint32_t const lanes : {1u, 4u, 8u, 16u}) {
    if (GetParam().mode == NumbersMode::kFixed && lanes != 1 && lanes != 8)
      continue;  // fixed mode has these two
    EXPECT_EQ(
        first_difference(reference.chronicle, run(scene, GetParam().mode, reference.script, ticks, lanes)),
        "")
        << lanes << " lanes";
  }
}

TEST_P(Lanes, TheWidthMayChangeAtEveryTick) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  std::uint64_t const ticks = run_ticks(0.2);
  Play const reference = play(scene, GetParam().mode, ticks);
  constexpr std::uint32_t kWidths[] = {1, 4, 8, 16};
  Random random(5, 5);
  sim::Simulation simulation = begin(scene, GetParam().mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks) {
    step(simulation, reference.script, {.lanes = kWidths[random.next_below(4)]});
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(reference.chronicle, chronicle), "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Lanes, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
