#include "server/scene_file.h"

#include <utility>

#include "takt/server/scene_file.h"

namespace takt::server {
namespace {

class Folder final : public sim::SceneFiles {
 public:
  Folder(std::filesystem::path path, std::vector<std::filesystem::path>* files_read)
      : path_(std::move(path)), files_read_(files_read) {}

  Result<std::string, sim::SceneFileError> read(std::string_view name, std::size_t max) const override {
    auto text = read_file((path_ / name).string(), max, std::string(name));
    if (!text) return sim::SceneFileError{message(text.error())};
    if (files_read_ != nullptr) files_read_->push_back(path_ / name);
    return *std::move(text);
  }

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path>* files_read_;  // may be null
};

}  // namespace

Result<sim::Scene, FileError> parse_scene(std::string text, const std::string& display_name,
                                          const sim::SceneFiles* files,
                                          std::span<const sim::SceneSetting> settings) {
  for (const sim::SceneSetting& setting : settings) {
    std::string const name = "--set " + setting.path + '=' + setting.value + ": ";
    if (text.size() >= 8 && std::string_view(text).substr(4, 4) == "TKSC")
      return FileError{name + display_name + " is a binary scene; write it again from its JSON"};
    auto changed = sim::with_setting(text, setting);
    if (!changed) return FileError{name + changed.error().text};
    text = *std::move(changed);
  }
  auto scene = sim::load_scene(text, display_name, files);
  if (!scene) return FileError{message(scene.error())};
  return *std::move(scene);
}

Result<sim::Scene, FileError> read_scene_file(const std::filesystem::path& path,
                                              const std::string& display_name,
                                              std::vector<std::filesystem::path>* files_read,
                                              std::span<const sim::SceneSetting> settings) {
  auto bytes = read_file(path.string(), sim::kMaxSceneTextBytes, display_name);
  if (!bytes) return bytes.error();
  // A scene from a stream has no folder of its own.
  Folder const folder(path == "/dev/stdin" ? std::filesystem::path() : path.parent_path(), files_read);
  return parse_scene(*std::move(bytes), display_name, &folder, settings);
}

Result<sim::Scene, FileError> load_scene_file(const std::filesystem::path& path) {
  return read_scene_file(path, path.string());
}

}  // namespace takt::server
