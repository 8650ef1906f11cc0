// parse_json of a build without FlatBuffers' parser (cross builds have its headers only).
#include "sim/scene/schema_json.h"

namespace takt::sim {

Result<std::vector<std::byte>, JsonFault> parse_json(JsonSchema, std::string_view) {
  return JsonFault{0, "this build of takt reads the binary form only: convert the file on another machine"};
}

}  // namespace takt::sim
