// The scene around joints in tests: two static bodies, a ball, a box that stands askew. Nothing here is a
// test.
#pragma once

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {

inline constexpr std::string_view kBodies = R"({"bodies": [
  {"name": "wall", "type": "static", "shapes": [{"box": {}}]}, {"name": "floor", "type": "static", "shapes": [{"half_space": {}}]},
  {"name": "ball", "position": [0, 5, 0], "shapes": [{"sphere": {}}]},
  {"name": "turned", "position": [2, 5, 0], "euler_degrees": [10, 20, 30], "shapes": [{"box": {"size": [1, 0.5, 0.5]}}]}], "joints": [
)";

inline std::string scene_of_joints(std::string_view joints) {
  return std::string(kBodies) + std::string(joints) + "]}";
}

}  // namespace takt::sim
