// SceneProvider is the interface for the scenes that a room may be told to load, by name. SceneDirectory
// implements it with the files of a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::server {

class SceneProvider {
 public:
  virtual ~SceneProvider() = default;
  /// Names for RoomState::scenes: at most kScenesMax, each 1 to kSceneNameBytesMax bytes, ascending.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// One of names(). The error is a line for a person: file, line and what is wrong.
  [[nodiscard]] virtual Result<sim::Scene, std::string> load(std::string_view name) const = 0;
};

}  // namespace takt::server
