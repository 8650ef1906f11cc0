// Scene files, JSON and binary: whatever the bytes, the loader answers with a scene that the engine can run
// or with a line of text.
#include <cstdint>
#include <cstdlib>

#include "takt/sim/simulation.h"

namespace {

using namespace takt;
using namespace takt::sim;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Result<Scene, SceneError> const scene = load_scene(std::as_bytes(std::span(bytes, size)), "fuzz");
  if (!scene) {
    require(!scene.error().text.empty());
    return 0;
  }
  // The binary form that recordings keep gives the same scene.
  Result<Scene, SceneError> const again = load_scene(std::span<const std::byte>(scene->binary), "again");
  require(again.ok() && scene_hash(*again) == scene_hash(*scene));
  if (scene->bodies.size() > 64) return 0;
  Result<Simulation, SimError> simulation =
      Simulation::create(*scene, size % 2 == 0 ? NumbersMode::kFloat : NumbersMode::kFixed);
  if (!simulation) return 0;  // the engine has the last word, for instance about extreme inertia
  for (int tick = 0; tick < 2; ++tick) (void)simulation->step({});
  Result<Simulation, SimError> const restored = Simulation::restore(simulation->save());
  require(restored.ok() && restored->hash() == simulation->hash());
  return 0;
}
