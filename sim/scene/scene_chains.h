// The generators chain and net of a scene file: rows of bodies on joints, and ropes tied to bodies where they
// cross.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

// Faults go to `fields`; `scene` may then hold part of it.
void run_chain(const schema::Chain& table, const FieldPath& at, SceneFields& fields, Scene& scene);
void run_net(const schema::Net& table, const FieldPath& at, SceneFields& fields, Scene& scene);

}  // namespace takt::sim
