#include "sim/scene/schema_json.h"

#include <flatbuffers/idl.h>

#include <charconv>
#include <string>

#include "schemas/batch_bfbs_generated.h"
#include "schemas/inputs_bfbs_generated.h"
#include "schemas/scene_bfbs_generated.h"
#include "sim/scene/schema_check.h"

namespace takt::sim {
namespace {

// "12: 5: error: text" as the parser writes it, to its line and text.
JsonFault fault_of(const std::string& message) {
  JsonFault fault{1, message};
  (void)std::from_chars(message.data(), message.data() + message.size(), fault.line);
  std::string_view const mark = "error: ";
  std::size_t const at = message.find(mark);
  if (at != std::string::npos) fault.text = message.substr(at + mark.size());
  return fault;
}

bool load_schema(JsonSchema schema, flatbuffers::Parser& parser) {
  switch (schema) {
    case JsonSchema::kInputs:
      return parser.Deserialize(schema::InputsBinarySchema::data(), schema::InputsBinarySchema::size());
    case JsonSchema::kBatch:
      return parser.Deserialize(schema::BatchPlanBinarySchema::data(), schema::BatchPlanBinarySchema::size());
    case JsonSchema::kScene: break;
  }
  return parser.Deserialize(schema::SceneBinarySchema::data(), schema::SceneBinarySchema::size());
}

}  // namespace

Result<std::vector<std::byte>, JsonFault> parse_json(JsonSchema schema, std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return JsonFault{1, "the text holds a zero byte: expected JSON"};
  flatbuffers::Parser parser;
  if (!load_schema(schema, parser)) return JsonFault{1, "this build's schema is damaged: build takt again"};
  SchemaCheck check(*parser.root_struct_def_);
  if (auto fault = walk_json(text, check)) return *std::move(fault);
  if (check.fault()) return *check.fault();
  std::string const terminated(text);
  if (!parser.ParseJson(terminated.c_str())) return fault_of(parser.error_);
  auto const* const begin = reinterpret_cast<const std::byte*>(parser.builder_.GetBufferPointer());
  return std::vector<std::byte>(begin, begin + parser.builder_.GetSize());
}

}  // namespace takt::sim
