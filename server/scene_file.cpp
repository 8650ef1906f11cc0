#include "server/scene_file.h"

#include <utility>

namespace takt::server {
namespace {

class Folder final : public sim::SceneFiles {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  Result<std::string, sim::SceneFileError> read(std::string_view name, std::size_t max) const override {
    auto text = read_file((path_ / name).string(), max, std::string(name));
    if (!text) return sim::SceneFileError{text.error().text};
    return *std::move(text);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

Result<sim::Scene, FileError> read_scene_file(const std::filesystem::path& path,
                                              const std::string& display_name) {
  auto const bytes = read_file(path.string(), sim::kMaxSceneTextBytes, display_name);
  if (!bytes) return bytes.error();
  Folder const folder(path.parent_path());
  auto scene = sim::load_scene(*bytes, display_name, &folder);
  if (!scene) return FileError{to_string(scene.error())};
  return *std::move(scene);
}

}  // namespace takt::server
