// run_chain and run_net expand the generators "chain" and "net" of a scene file. A chain is a row of bodies
// on joints. A net is a grid of bodies, with ropes along its rows and columns. run_generator calls them at
// load.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

// Faults go to `fields`; `scene` may then hold part of it.
void run_chain(const schema::Chain& table, const FieldPath& at, SceneFields& fields, Scene& scene);
void run_net(const schema::Net& table, const FieldPath& at, SceneFields& fields, Scene& scene);

}  // namespace takt::sim
