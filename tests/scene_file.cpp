#include "tests/scene_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

namespace takt::scene_files {
namespace {
const std::filesystem::path kDirectory = TAKT_SCENE_DIRECTORY;
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory)) {
    if (entry.path().extension() == TAKT_SCENE_EXTENSION) found.push_back(entry.path().stem().string());
  }
  if (found.empty()) throw std::runtime_error("no scenes in " + kDirectory.string());
  std::ranges::sort(found);
  return found;
}

sim::Scene load(std::string_view name) {
  std::filesystem::path const path = kDirectory / (std::string(name) + TAKT_SCENE_EXTENSION);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::string const bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto scene = sim::load_scene(std::as_bytes(std::span(bytes)), path.string());
  if (!scene) throw std::runtime_error(message(scene.error()));
  return std::move(scene).value();
}

}  // namespace takt::scene_files
