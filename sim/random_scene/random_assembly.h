// add_assemblies() adds chains of links with joints of random kinds, ragdolls, gears, pulleys and a rope to a
// SceneDraft, as its traits demand. add_obstacles() adds a kinematic body and a mover. Both record in the
// scene that its energy is not that of passive bodies.
#pragma once

#include "sim/random_scene/scene_draft.h"

namespace takt::sim {

/// Half of the width that a region needs for the assemblies and obstacles of the draft's traits, mm.
[[nodiscard]] std::int64_t assembly_half_width(const SceneDraft& draft);

/// Places them in free parts of the region.
void add_assemblies(SceneDraft& draft, FreeRegion& region);
/// Call it before dynamic bodies are placed at random.
void add_obstacles(SceneDraft& draft, FreeRegion& region);

}  // namespace takt::sim
