// SceneDirectory is a SceneProvider over a folder; `takt serve --scenes` makes one. Its scenes are the
// regular files NAME.json or NAME.tksc (binary form) whose NAME is plain (letters, digits, '_', '-', at most
// 64). If both exist for a name, JSON wins. open() lists the files once and keeps the first 256 names in
// byte order. load() finds names in that list, so no name leads out of the folder. load() reads the file anew
// each time, so an edited scene shows.
#pragma once

#include <filesystem>
#include <map>

#include "server/scene_provider.h"

namespace takt::server {

/// The scene name of a path, by its last part alone; empty when that is no scene's. The file need not exist,
/// and a SceneDirectory leaves out folders and names after the first 256.
[[nodiscard]] std::string scene_name_of(const std::filesystem::path& file);

class SceneDirectory final : public SceneProvider {
 public:
  /// The error, a line for a person, is that of a folder that cannot be read.
  [[nodiscard]] static Result<SceneDirectory, std::string> open(const std::filesystem::path& directory);

  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] Result<sim::Scene, std::string> load(std::string_view name) const override;

 private:
  std::map<std::string, std::filesystem::path, std::less<>> files_;
};

}  // namespace takt::server
