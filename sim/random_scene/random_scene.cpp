#include "sim/random_scene/random_scene.h"

namespace takt::sim {

std::string random_scene_name(std::uint64_t seed) { return "wild " + std::to_string(seed); }

std::string_view name_of(RandomFamily family) {
  switch (family) {
    case RandomFamily::kPit: return "pit";
    case RandomFamily::kSlab: return "slab";
    case RandomFamily::kTower: return "tower";
    case RandomFamily::kBall: return "ball";
    case RandomFamily::kCrowd: return "crowd";
  }
  return "";
}

}  // namespace takt::sim
