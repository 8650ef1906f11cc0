// JSON of one of our schemas to its FlatBuffers form by FlatBuffers' own parser, behind a check of every
// name, word and kind of value against the schema, so that a message names the line, the field and what is
// allowed. It does not check numbers' ranges: whoever reads the tables does.
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
