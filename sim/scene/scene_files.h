// with_files() inserts the text of each OBJ file that a JSON scene names ("obj" of a mesh) into the scene's
// text. The text is put behind the name as "obj_text", on the same line. load_scene() calls with_files()
// before it parses the text, if its caller passed a SceneFiles. So the binary form of the scene, which
// recordings have, needs no files.
#pragma once

#include <string>
#include <string_view>

#include "sim/scene/json_walker.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// The text with the files in it. Faults are a file that cannot be read, a name that leads out of the folder,
/// and more than kMaxSceneTextBytes with a file. In text that is no JSON, the files before the first syntax
/// error are inserted; the parser then reports the error.
[[nodiscard]] Result<std::string, JsonFault> with_files(std::string_view text, const SceneFiles& files);

}  // namespace takt::sim
