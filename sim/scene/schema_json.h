// parse_json() converts JSON of a scene, an input script or a plan of `takt batch` to its FlatBuffers bytes.
// SchemaCheck first checks names, words and kinds of values, so that a message names the line, the field and
// what is allowed. FlatBuffers' own parser then converts the text. The code that reads the tables checks the
// ranges of numbers (scene_builder.h, input_script.h, batch_plan.h). A build without that parser refuses all
// JSON (schema_json_absent.cpp).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sim/scene/json_walker.h"
#include "takt/core/result.h"

namespace takt::sim {

/// schemas/scene.fbs, schemas/inputs.fbs or schemas/batch.fbs.
enum class JsonSchema : std::uint8_t { kScene, kInputs, kBatch };

/// The binary form of the text, or the first fault. A zero byte in the text is a fault, and so are damaged
/// schemas of the build.
[[nodiscard]] Result<std::vector<std::byte>, JsonFault> parse_json(JsonSchema schema, std::string_view text);

}  // namespace takt::sim
