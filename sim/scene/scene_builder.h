// build_scene makes a Scene from a FlatBuffers scene that the Verifier has passed. It trusts no value: every
// number is checked against its range, and generators are expanded. The first fault names its field by the
// path ("bodies[3].shapes[0].density"); load_scene, the caller, finds the line.
#pragma once

#include "schemas/scene_generated.h"
#include "sim/scene/scene_fault.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Scene::binary is left empty.
[[nodiscard]] Result<Scene, SceneFault> build_scene(const schema::Scene& file);

}  // namespace takt::sim
