// Scene JSON to its FlatBuffers form by FlatBuffers' own parser, behind a check of every name, word and kind of value against the schema, so that a
// message names the line, the field and what is allowed. It does not check numbers' ranges: scene_builder.h does, for both forms.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/json_walker.h"
#include "takt/core/result.h"

namespace takt::sim {

/// The binary form of a scene, or the first fault.
[[nodiscard]] Result<std::vector<std::byte>, JsonFault> parse_scene_json(std::string_view text);

}  // namespace takt::sim
