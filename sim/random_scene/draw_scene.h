// random_scene() makes the JSON text of a scene from a seed. The scene has 4 to 60 dynamic bodies of all
// shapes and of mass ratios up to about 1 : 100,000. load_scene() accepts the text, so `takt run --wild`,
// `takt serve --wild` and the property tests share the scenes. random_scene() neither runs nor judges a scene
// (tests/random_scenes/scene_rules.h).
//
// Equal seeds give equal texts on every machine: all draws are integers of PCG32 or correctly rounded
// operations, and the text has decimal numbers. A change of the draws gives every seed another scene.
#pragma once

#include <cstdint>

#include "sim/random_scene/random_scene.h"

namespace takt::sim {

/// The scene of a seed; every seed is valid. The floating-point mode is set for the call and restored
/// (FloatControlGuard).
[[nodiscard]] RandomScene random_scene(std::uint64_t seed);

}  // namespace takt::sim
