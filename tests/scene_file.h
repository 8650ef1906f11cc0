// The scenes of examples/scenes for tests and benchmarks, so that a scene that fails can be watched. Reads
// files, which no library below net does; a broken scene or a missing file is a broken tree and throws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/scene.h"

namespace takt::scene_files {

/// Names without extension, such as "pyramid", in alphabetical order. Never empty.
[[nodiscard]] std::vector<std::string> names();

/// Loads examples/scenes/<name>. Throws std::runtime_error with the loader's message.
[[nodiscard]] sim::Scene load(std::string_view name);

}  // namespace takt::scene_files
