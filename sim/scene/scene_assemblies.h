// run_ragdolls() and run_vehicle() expand the generators "ragdolls" and "vehicle" of a scene file. They
// compute assemblies (bodies and joints, takt/physics/assembly.h) from the FlatBuffers tables and append the
// bodies and joints, with names, to the Scene. run_generator() (scene_generators.h) calls them when a scene
// is loaded. read_generator_name() reads a generator's name; scene_chains.cpp calls it too.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

// `at` is the path of the generator. Faults go to `fields`; `scene` may then have a part of the bodies.
void run_ragdolls(const schema::Ragdolls& table, const FieldPath& at, SceneFields& fields, Scene& scene);
void run_vehicle(const schema::Vehicle& table, const FieldPath& at, SceneFields& fields, Scene& scene);

/// The name of the bodies and joints that a generator makes, or `absent` for null. A name of 0 or more than
/// 200 bytes is a fault.
[[nodiscard]] std::string read_generator_name(const flatbuffers::String* name, std::string_view absent,
                                              const FieldPath& at, SceneFields& fields);

}  // namespace takt::sim
