// A simulation of a box above a floor, for tests that need no more than a state with some bodies.
#pragma once

#include <stdexcept>

#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::server {

inline sim::Simulation make_simulation() {
  auto const scene = sim::load_scene(R"({"title": "two", "bodies": [
      {"type": "static", "shapes": [{"half_space": {}}]},
      {"position": [0, 5, 0], "shapes": [{"box": {"size": [1, 1, 1]}}]}]})",
                                     "two");
  if (!scene) throw std::runtime_error(scene.error().text);
  return *sim::Simulation::create(*scene, NumbersMode::kFloat);
}

}  // namespace takt::server
