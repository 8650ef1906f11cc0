// parse_json converts JSON of one of our schemas to its FlatBuffers bytes. SchemaCheck checks every name,
// word and kind of value first, so that a message names the line, the field and what is allowed. FlatBuffers'
// own parser then converts. Ranges of numbers are checked by the code that reads the tables (scene_builder.h,
// input_script.h).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sim/scene/json_walker.h"
#include "takt/core/result.h"

namespace takt::sim {

enum class JsonSchema : std::uint8_t { kScene, kInputs };

/// The binary form of the text, or the first fault.
[[nodiscard]] Result<std::vector<std::byte>, JsonFault> parse_json(JsonSchema schema, std::string_view text);

}  // namespace takt::sim
