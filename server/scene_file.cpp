#include "server/scene_file.h"

#include <cstdint>
#include <span>
#include <utility>

#include "takt/core/bytes.h"
#include "takt/server/scene_file.h"
#include "takt/sim/recording.h"
#include "takt/sim/simulation.h"

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

std::string name_of(const sim::SceneSetting& setting) {
  return "--set " + setting.path + '=' + setting.value + ": ";
}

// Tells what to do with a file that Takt wrote and that is no scene; empty = it may be a scene.
std::string other_kind(std::string_view text) {
  auto const bytes = std::as_bytes(std::span(text));
  if (text.size() >= 8 && load_little_endian<std::uint64_t>(bytes.data()) == sim::kRecordingMagic)
    return ": is a recording, not a scene: 'takt replay' plays, verifies and compares recordings";
  if (text.size() >= 4 && load_little_endian<std::uint32_t>(bytes.data()) == sim::kSimulationImageMagic)
    return ": is a saved state, not a scene: give the scene here, and the state with --from";
  return "";
}

// The first setting with which the scene cannot be loaded. Null when the scene alone cannot be, or when all
// can: its line would be one of a text that the user never wrote.
const sim::SceneSetting* first_refused(std::string text, const std::string& display_name,
                                       const sim::SceneFiles* files,
                                       std::span<const sim::SceneSetting> settings) {
  if (!sim::load_scene(text, display_name, files)) return nullptr;
  for (const sim::SceneSetting& setting : settings) {
    auto changed = sim::with_setting(text, setting);
    if (!changed || !sim::load_scene(*changed, display_name, files)) return &setting;
    text = *std::move(changed);
  }
  return nullptr;
}

}  // namespace

Result<sim::Scene, FileError> parse_scene(std::string text, const std::string& display_name,
                                          const sim::SceneFiles* files,
                                          std::span<const sim::SceneSetting> settings) {
  if (auto const other = other_kind(text); !other.empty()) return FileError{display_name + other};
  std::string const original = text;
  for (const sim::SceneSetting& setting : settings) {
    std::string const name = name_of(setting);
    if (text.size() >= 8 && std::string_view(text).substr(4, 4) == "TKSC")
      return FileError{name + display_name + " is a binary scene; write it again from its JSON"};
    auto changed = sim::with_setting(text, setting);
    if (!changed) return FileError{name + changed.error().text};
    text = *std::move(changed);
  }
  auto scene = sim::load_scene(text, display_name, files);
  if (scene) return *std::move(scene);
  if (auto const* const culprit = first_refused(original, display_name, files, settings); culprit != nullptr)
    return FileError{name_of(*culprit) + scene.error().text};
  return FileError{message(scene.error())};
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
