#include "sim/scene/scene_fault.h"

namespace takt::sim {

std::string sentence(const SceneFault& fault) {
  return fault.path.empty() ? fault.text : fault.path + ": " + fault.text;
}

}  // namespace takt::sim
