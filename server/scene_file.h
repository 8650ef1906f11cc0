// read_scene_file() loads a scene (JSON or its binary form) from disk, with the mesh files that it names.
// A scene that names a mesh file outside of its folder is refused; symbolic links are followed.
// SceneDirectory, the subcommands of `takt` that simulate a scene, and load_scene_file() of
// takt/server/scene_file.h use this function.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "server/file_bytes.h"
#include "sim/scene/scene_setting.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// The scene of a file of at most sim::kMaxSceneTextBytes. Mesh files of /dev/stdin lie in the working
/// directory. `display_name` stands for the file in messages. The paths of the mesh files that were read are
/// appended to `files_read`, if it is not null, even if the scene is refused. `settings` change values of a
/// scene in JSON before it is parsed; with a binary scene they are an error.
[[nodiscard]] Result<sim::Scene, FileError> read_scene_file(
    const std::filesystem::path& path, const std::string& display_name,
    std::vector<std::filesystem::path>* files_read = nullptr,
    std::span<const sim::SceneSetting> settings = {});

/// The scene of the text, JSON or binary, after `settings`. `files` has the mesh files that the scene names;
/// null: a scene that names one without its text is refused.
[[nodiscard]] Result<sim::Scene, FileError> parse_scene(std::string text, const std::string& display_name,
                                                        const sim::SceneFiles* files,
                                                        std::span<const sim::SceneSetting> settings);

}  // namespace takt::server
