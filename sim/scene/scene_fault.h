// SceneFault is a fault in a scene or an input script: the path of the field and the reason. SceneFields
// stores the first SceneFault, and build_scene() returns it. load_scene() and load_input_script() find the
// line of the path.
#pragma once

#include <string>

namespace takt::sim {

struct SceneFault {
  std::string path;  ///< of the field, in to_string(JsonSegment...)'s form; empty = the whole scene
  std::string text;  ///< what is wrong and what is allowed
};

/// "<path>: <text>", or the text alone for the whole scene.
[[nodiscard]] std::string sentence(const SceneFault& fault);

}  // namespace takt::sim
