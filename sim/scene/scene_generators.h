// run_generator() expands one generator of a scene file into bodies, joints and ropes of the Scene. The
// generators pyramid, stack, grid, pile, dominoes and pit are computed here, chain and net in scene_chains.h,
// ragdolls and vehicle in scene_assemblies.h. Random draws come from the generator's own seed. build_scene()
// calls run_generator() for each generator of the file.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Runs one generator; `at` is its path. Faults go to `fields`; `scene` may then have a part of the bodies.
void run_generator(const schema::Generator& generator, const FieldPath& at, SceneFields& fields,
                   Scene& scene);

}  // namespace takt::sim
