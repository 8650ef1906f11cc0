// parse_scene_json of a build without FlatBuffers' parser (cross builds have its headers only).
#include "sim/scene_json.h"

namespace takt::sim {

Result<std::vector<std::byte>, JsonFault> parse_scene_json(std::string_view) {
  return JsonFault{0, "this build of takt reads binary scenes only: convert the scene on another machine"};
}

}  // namespace takt::sim
