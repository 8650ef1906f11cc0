// draw_family() fills a SceneDraft with the bodies of its family: pit, slab, tower, ball or crowd
// (random_scene.h). It calls random_assembly.h for joints, ropes, kinematic bodies and movers, which the
// draft's traits demand.
#pragma once

#include "sim/random_scene/scene_draft.h"

namespace takt::sim {

/// Call it once, after begin_draft(). draft.scene.family selects the family.
void draw_family(SceneDraft& draft);

}  // namespace takt::sim
