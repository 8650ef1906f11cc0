// add_assemblies() adds chains of links with joints of random kinds, ragdolls, gears, pulleys and a rope to a
// SceneDraft, as its traits demand. add_obstacles() adds a kinematic body and, in pits, a mover. Both clear
// RandomScene::is_passive when they add a motor, spring, rope, kinematic body or mover, and record its speed.
#pragma once

#include "sim/random_scene/scene_draft.h"

namespace takt::sim {

/// Half of the width that a region needs for the assemblies and obstacles of the draft's traits, mm.
[[nodiscard]] std::int64_t assembly_half_width(const SceneDraft& draft);

/// Places chains, pulleys, ragdolls and a rope in free parts of the region (find_place()).
void add_assemblies(SceneDraft& draft, FreeRegion& region);
/// Adds the obstacles. Call it before find_place() places bodies in the region, so that they keep clear of
/// the mover.
void add_obstacles(SceneDraft& draft, FreeRegion& region);

}  // namespace takt::sim
