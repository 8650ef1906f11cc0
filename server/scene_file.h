// read_scene_file loads a scene from disk, with the files that it names (meshes), which lie in its folder or
// below.
#pragma once

#include <filesystem>
#include <string>

#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// `display_name` stands for the file in messages.
[[nodiscard]] Result<sim::Scene, FileError> read_scene_file(const std::filesystem::path& path,
                                                            const std::string& display_name);

}  // namespace takt::server
