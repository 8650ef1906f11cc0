// Every example scene in both modes against its golden table, alone and with players' inputs: the promise of
// the same bits on every machine.
#include <gtest/gtest.h>

#include "tests/determinism/committed_golden.h"
#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class Golden : public testing::TestWithParam<Stage> {};

void expect_golden(const Stage& stage, bool with_players) {
  auto const table = read_golden(stage, with_players);
  ASSERT_TRUE(table.has_value()) << "tests/determinism/golden/" << golden_name(stage, with_players)
                                 << " is missing or no table: ./dev golden prints it";
  ASSERT_EQ(table->rows.size(), kGoldenTicks / kRowTicks + 1);

  sim::Scene const scene = scene_files::load(stage.scene);
  ASSERT_EQ(sim::scene_hash(scene), table->scene_hash)
      << "the scene itself is another one: examples/scenes/" << stage.scene << ".json or the loader changed";
  std::uint64_t const ticks = run_ticks();
  EXPECT_EQ(first_difference(*table, with_players ? play(scene, stage.mode, ticks).chronicle
                                                  : run(scene, stage.mode, {}, ticks)),
            "");
}

TEST_P(Golden, SceneAlone) { expect_golden(GetParam(), false); }
TEST_P(Golden, SceneWithPlayers) { expect_golden(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(stages()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
