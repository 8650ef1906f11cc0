// SceneFault is a fault in a scene: the path of the field, and the reason. load_scene, which calls
// build_scene(), finds the line.
#pragma once

#include <string>

namespace takt::sim {

struct SceneFault {
  std::string path;  ///< of the field, in to_string(JsonSegment...)'s form; empty = the whole scene
  std::string text;  ///< what is wrong and what is allowed
};

/// "<path>: <text>"
[[nodiscard]] std::string sentence(const SceneFault& fault);

}  // namespace takt::sim
