#include "server/scene_directory.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "protocol/wire/limits.h"
#include "server/scene_file.h"

namespace takt::server {
namespace {

bool is_name_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string scene_name_of(const std::filesystem::path& file) {
  std::string const extension = file.extension().string();
  std::string name = file.stem().string();
  bool const is_scene = extension == ".json" || extension == ".tksc";
  if (!is_scene || name.empty() || name.size() > protocol::kSceneNameBytesMax ||
      !std::ranges::all_of(name, is_name_letter))
    return {};
  return name;
}

Result<SceneDirectory, std::string> SceneDirectory::open(const std::filesystem::path& directory) {
  std::error_code code;
  std::filesystem::directory_iterator at(directory, code);
  if (code) return directory.string() + ": " + code.message();
  SceneDirectory provider;
  for (; at != std::filesystem::directory_iterator(); at.increment(code)) {
    if (code) return directory.string() + ": " + code.message();
    std::string const name = scene_name_of(at->path());
    if (name.empty() || !at->is_regular_file(code)) continue;
    // JSON wins over the binary form of the same name: it is what people edit.
    auto const [place, is_new] = provider.files_.try_emplace(name, at->path());
    if (!is_new && at->path().extension() == ".json") place->second = at->path();
  }
  while (provider.files_.size() > protocol::kScenesMax)
    provider.files_.erase(std::prev(provider.files_.end()));
  return provider;
}

std::vector<std::string> SceneDirectory::names() const {
  std::vector<std::string> out;
  for (auto const& [name, path] : files_) out.push_back(name);
  return out;
}

Result<sim::Scene, std::string> SceneDirectory::load(std::string_view name) const {
  auto const at = files_.find(name);
  if (at == files_.end()) return std::string(name) + ": no such scene";
  auto scene = read_scene_file(at->second, at->second.filename().string());
  if (!scene) return message(scene.error());
  return *std::move(scene);
}

}  // namespace takt::server
