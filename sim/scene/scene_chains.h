// run_chain() and run_net() expand the generators "chain" and "net" of a scene file into the Scene. A chain
// is a row of bodies connected by point joints, or by hinges if the links are planks (with a width). A net is
// a grid of bodies, with ropes along its rows and columns. run_generator() (scene_generators.h) calls them
// when a scene is loaded.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

// `at` is the path of the generator. Faults go to `fields`; `scene` may then have a part of the bodies.
void run_chain(const schema::Chain& table, const FieldPath& at, SceneFields& fields, Scene& scene);
void run_net(const schema::Net& table, const FieldPath& at, SceneFields& fields, Scene& scene);

}  // namespace takt::sim
