// build_scene() makes a Scene from the FlatBuffers table of a scene file, which FlatBuffers' Verifier has
// passed. Numbers are checked against their ranges, and generators are expanded into bodies, ropes and
// joints. The first fault names its field by the path, such as "bodies[3].shapes[0].density". load_scene(),
// the caller, finds the line of that path, and then checks the Scene in a temporary world.
#pragma once

#include "schemas/scene_generated.h"
#include "sim/scene/scene_fault.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// The Scene, except Scene::binary, which the caller sets, or the first fault.
[[nodiscard]] Result<Scene, SceneFault> build_scene(const schema::Scene& file);

}  // namespace takt::sim
