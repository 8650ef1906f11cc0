// A fault in a scene: the field and the reason. The caller of build_scene() knows lines.
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
