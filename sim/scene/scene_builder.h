// From a verified FlatBuffers scene to a Scene: every number checked against its range, generators expanded.
// Faults name the field by its path
// ("bodies[3].shapes[0].density"); the caller knows lines. It trusts nothing but that the Verifier has passed
// the buffer.
#pragma once

#include "schemas/scene_generated.h"
#include "sim/scene/scene_fault.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Scene::binary is left empty.
[[nodiscard]] Result<Scene, SceneFault> build_scene(const schema::Scene& file);

}  // namespace takt::sim
