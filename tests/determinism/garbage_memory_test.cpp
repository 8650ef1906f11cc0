// Memory that comes full of garbage, differently each time: a value that is read before it is written, a
// padding byte that is hashed or an order by address changes a bit sooner or later.
#include <gtest/gtest.h>

#include "tests/determinism/garbage_heap.h"
#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class GarbageMemory : public testing::TestWithParam<Stage> {};

TEST_P(GarbageMemory, DoesNotCount) {
  std::uint64_t const ticks = run_ticks(0.3);
  sim::Scene const scene = scene_files::load(GetParam().scene);
  Play const reference = play(scene, GetParam().mode, ticks);
  std::uint64_t const before = garbage_block_count();
  set_garbage(true);
  std::string const difference =
      first_difference(reference.chronicle,
                       run(scene_files::load(GetParam().scene), GetParam().mode, reference.script, ticks));
  set_garbage(false);
  EXPECT_GT(garbage_block_count() - before, 100u) << "operator new was not replaced";
  EXPECT_EQ(difference, "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, GarbageMemory, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
