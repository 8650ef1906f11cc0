// Every example scene in both modes against its golden table, alone and with players' inputs: the promise of the same bits on every machine.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/determinism/golden_tables.h"
#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class Golden : public testing::TestWithParam<Stage> {};

void expect_golden(const Stage& stage, bool with_players) {
  std::string const name = golden_name(stage, with_players);
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/tests/determinism/golden/" + name);
  ASSERT_TRUE(in) << "tests/determinism/golden/" << name << " is missing: ./dev golden prints it";
  std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto const table = parse_golden(text);
  ASSERT_TRUE(table.has_value()) << name << " is not a golden table";
  ASSERT_EQ(table->rows.size(), kGoldenTicks / kRowTicks + 1);

  sim::Scene const scene = scene_files::load(stage.scene);
  ASSERT_EQ(sim::scene_hash(scene), table->scene_hash)
      << "the scene itself is another one: examples/scenes/" << stage.scene << ".json or the loader changed";
  std::uint64_t const ticks = run_ticks();
  EXPECT_EQ(first_difference(*table, with_players ? play(scene, stage.mode, ticks).chronicle : run(scene, stage.mode, {}, ticks)), "");
}

TEST_P(Golden, SceneAlone) { expect_golden(GetParam(), false); }
TEST_P(Golden, SceneWithPlayers) { expect_golden(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(stages()), [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
