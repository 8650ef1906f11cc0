// draw_family() fills a SceneDraft with the bodies of its family: pit, slab, tower, ball or crowd
// (random_scene.h). Traits with joints, ropes, kinematic bodies and movers are added by random_assembly.h.
#pragma once

#include "sim/random_scene/scene_draft.h"

namespace takt::sim {

void draw_family(SceneDraft& draft);

}  // namespace takt::sim
