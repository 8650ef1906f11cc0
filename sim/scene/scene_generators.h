// run_generator expands one generator of a scene file into bodies, joints and ropes of the Scene: pyramid,
// stack, grid, pile, dominoes, pit, and those of scene_chains.h and scene_assemblies.h. Random draws come
// from the generator's own seed, one draw a statement; curves use roots and polynomials only.
// Simulation::create creates them in a world.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Runs one generator of the file. Faults go to `fields`; `scene` may then hold part of it.
void run_generator(const schema::Generator& generator, const FieldPath& at, SceneFields& fields,
                   Scene& scene);

}  // namespace takt::sim
