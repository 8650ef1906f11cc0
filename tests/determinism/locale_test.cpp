// A host with another locale loads the same scene and steps it to the same bits. Not part of emulated cells:
// their static programs have no locale but C.
#include <gtest/gtest.h>

#include <clocale>
#include <string>

#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class Locale : public testing::TestWithParam<Stage> {};

TEST_P(Locale, DoesNotCount) {
  std::uint64_t const ticks = run_ticks(0.1);
  sim::Scene const scene = scene_files::load(GetParam().scene);
  Chronicle const expected = run(scene, GetParam().mode, {}, ticks);
  std::string const before = std::setlocale(LC_ALL, nullptr);
  bool found = false;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "C.UTF-8"})
    found = found || std::setlocale(LC_ALL, name) != nullptr;
  ASSERT_TRUE(found) << "this machine has no locale but C";
  std::string const difference =
      first_difference(expected, run(scene_files::load(GetParam().scene), GetParam().mode, {}, ticks));
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(difference, "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Locale, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
