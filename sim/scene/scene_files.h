// with_files reads the files that a JSON scene names ("obj" of a mesh). It writes their text into the scene's
// text, as "obj_text" behind the name, on the same line. load_scene calls it before parsing. So everything
// made of the text afterwards, such as the scene of a recording, needs no files any more.
#pragma once

#include <string>
#include <string_view>

#include "sim/scene/json_walker.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// The text with the files in it; at most kMaxSceneTextBytes. The fault names a file that cannot be read or a
/// name that leads out of the folder. Text that is no JSON comes back as far as it was understood: its reader
/// says what is wrong with it.
[[nodiscard]] Result<std::string, JsonFault> with_files(std::string_view text, const SceneFiles& files);

}  // namespace takt::sim
