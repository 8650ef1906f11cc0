// with_setting() changes one value in the JSON text of a scene, as `takt run --set PATH=VALUE` does. The path
// has the form of error messages: "world.gravity", "bodies[3].position[1]". A value that is no JSON is taken
// as a string. A field that the text lacks is added, with the objects around it; an element of a list is not.
// The result is not checked against the schema: load_scene() does that. Line numbers stay if the old and the
// new value have one line each.
#pragma once

#include <string>
#include <string_view>

#include "takt/core/result.h"

namespace takt::sim {

struct SceneSetting {
  std::string path;   ///< to_string(JsonSegment...)'s form
  std::string value;  ///< JSON without comments, or a plain string
};

/// The reason why a setting cannot be made, for a person.
struct SettingFault {
  std::string text;
};

/// The text with the value. Faults are a malformed path, a list element that the text lacks, and a value that
/// is neither JSON nor a plain string. A plain string has no quotes, backslashes or control characters. Text
/// that is no JSON comes back unchanged, for its parser to report.
[[nodiscard]] Result<std::string, SettingFault> with_setting(std::string_view json,
                                                             const SceneSetting& setting);

}  // namespace takt::sim
