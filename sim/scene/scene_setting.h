// with_setting() changes one value in the JSON text of a scene, as `takt run --set PATH=VALUE` does. The path
// has the form of error messages: "world.gravity", "bodies[3].position[1]". A value that is no JSON is taken
// as a string. A field that the text lacks is added, with the objects around it; an element of a list is not.
// The result is not checked against the schema: load_scene() does that. Line numbers stay.
#pragma once

#include <string>
#include <string_view>

#include "takt/core/result.h"

namespace takt::sim {

struct SceneSetting {
  std::string path;
  std::string value;
};

/// The reason why a setting cannot be made, for a person.
struct SettingFault {
  std::string text;
};

/// The text with the value, or what is wrong with the path or the value.
[[nodiscard]] Result<std::string, SettingFault> with_setting(std::string_view json,
                                                             const SceneSetting& setting);

}  // namespace takt::sim
