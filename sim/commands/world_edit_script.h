// Functions that convert the FlatBuffers tables of the server's own commands in an input script to commands.
// input_script.cpp calls them and passes the ids that the tables name. Numbers are checked against the ranges
// of schemas/inputs.fbs, and faults go to `fields`. The engine checks the values when the command acts.
#pragma once

#include <functional>

#include "schemas/inputs_generated.h"
#include "sim/scene/scene_fields.h"
#include "takt/sim/command.h"

namespace takt::sim {

/// Returns the body that a text in the table at a path names.
using BodyByText = std::function<BodyId(const flatbuffers::String*, const FieldPath&)>;

[[nodiscard]] ChangeBodyCommand read_body_change(const schema::ChangeBodyInput& table, const FieldPath& at,
                                                 BodyId body, SceneFields& fields);
[[nodiscard]] ChangeShapeCommand read_shape_change(const schema::ChangeShapeInput& table, const FieldPath& at,
                                                   ShapeId shape, SceneFields& fields);
[[nodiscard]] TuneMoverCommand read_mover_tuning(const schema::TuneMoverInput& table, const FieldPath& at,
                                                 BodyId body, SceneFields& fields);
[[nodiscard]] CreateMoverCommand read_new_mover(const schema::CreateMoverInput& table, const FieldPath& at,
                                                SceneFields& fields);
/// `def` has the bodies and the joints that a gear couples.
[[nodiscard]] CreateJointCommand read_new_joint(const schema::CreateJointInput& table, const FieldPath& at,
                                                JointDef def, SceneFields& fields);
[[nodiscard]] CreateRopeCommand read_new_rope(const schema::CreateRopeInput& table, const FieldPath& at,
                                              const BodyByText& body, SceneFields& fields);
[[nodiscard]] ChangeRopeCommand read_rope_change(const schema::ChangeRopeInput& table, const FieldPath& at,
                                                 RopeId rope, const BodyByText& body, SceneFields& fields);

}  // namespace takt::sim
