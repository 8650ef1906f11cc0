// docs/SCENES.md against the code: every example on the page is loaded and run, and its script acts without a
// refusal.
#include <gtest/gtest.h>

#include <fstream>

#include "sim/commands/input_script.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

// The ```json blocks of the page, in order.
std::vector<std::string> examples() {
  std::ifstream file(std::string(TAKT_SOURCE_DIR) + "/docs/SCENES.md");
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = line == "```json";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST(SceneDocument, EveryExampleLoadsAndRuns) {
  std::vector<std::string> const blocks = examples();
  ASSERT_GE(blocks.size(), 5u);
  Scene const room = parse_scene(blocks[0]);
  for (std::size_t i = 1; i + 1 < blocks.size(); ++i) {
    Scene const scene = parse_scene(blocks[i]);
    Simulation simulation = make_simulation(scene);
    for (int tick = 0; tick < 10; ++tick) (void)simulation.step({});
  }
  Result<std::vector<Input>, SceneError> const script = load_input_script(blocks.back(), "SCENES.md", room);
  ASSERT_TRUE(script) << message(script.error());
  Simulation simulation = make_simulation(room);
  std::size_t next = 0;
  while (simulation.tick() < 100) {
    std::vector<Input> inputs;
    for (; next < script->size() && (*script)[next].tick == simulation.tick(); ++next)
      inputs.push_back((*script)[next]);
    TickResult const result = simulation.step(inputs);
    // The room has no game that could take the script's custom bytes.
    for (const RefusedInput& refused : result.refused)
      if (refused.reason != Refusal::kNoGame)
        ADD_FAILURE() << "tick " << result.tick << ": " << message(refused.reason);
  }
  EXPECT_EQ(next, script->size());
}

}  // namespace
}  // namespace takt::sim
