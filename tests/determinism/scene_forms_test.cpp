// A scene's binary form, which cross builds run, is the scene that people wrote: same scene hash, same tick
// 0. In a cross build, where flatc made the binary, the golden tables say the same: they hold the hash of the
// JSON scene.
#include <gtest/gtest.h>

#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class SceneForms : public testing::TestWithParam<Stage> {};

TEST_P(SceneForms, TheBinaryFormIsTheSameScene) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  auto const again = sim::load_scene(std::span<const std::byte>(scene.binary), "binary form");
  ASSERT_TRUE(again.ok()) << message(again.error());
  EXPECT_EQ(sim::scene_hash(*again), sim::scene_hash(scene));
  EXPECT_EQ(begin(*again, GetParam().mode).hash(), begin(scene, GetParam().mode).hash());
}

INSTANTIATE_TEST_SUITE_P(Scenes, SceneForms, testing::ValuesIn(stages()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
