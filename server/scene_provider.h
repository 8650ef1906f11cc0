// SceneProvider is the interface through which a Room finds the scenes that a client may make it load.
// names() lists their names; load() returns one scene, or an error line for a person. SceneDirectory
// implements the interface with the files of a folder. Room calls both functions between ticks, which wait.
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
  /// Names for RoomState::scenes: at most kScenesMax, each of 1 to kSceneNameBytesMax printable bytes,
  /// ascending.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// The scene of a name of names(). The error is a line for a person: file, line and what is wrong. Another
  /// name is an error, too.
  [[nodiscard]] virtual Result<sim::Scene, std::string> load(std::string_view name) const = 0;
};

}  // namespace takt::server
