// load_scene_file() reads a scene (JSON or its binary form) from disk, with the mesh files that it names.
// sim::load_scene (takt/sim/scene.h) reads a scene from memory.
#pragma once

#include <filesystem>

#include "takt/core/result.h"
#include "takt/server/error.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// Reads the file whole. Mesh files must lie in the scene's folder or below. message() of the error is one
/// line of text: the file, the line in it for JSON, and the reason.
[[nodiscard]] Result<sim::Scene, FileError> load_scene_file(const std::filesystem::path& path);

}  // namespace takt::server
