// read_change() converts the FlatBuffers table of a change_joint command in an input script to a
// ChangeJointCommand. input_script.cpp calls it and passes the id of the joint. Each number is checked
// against a fixed range, and faults go to `fields`. The engine checks the values against the joint when the
// command acts.
#pragma once

#include "schemas/inputs_generated.h"
#include "sim/scene/scene_fields.h"
#include "takt/sim/command.h"

namespace takt::sim {

/// The command of a table at path `at`. Fields that the table lacks leave properties of the joint as they
/// are.
[[nodiscard]] ChangeJointCommand read_change(const schema::ChangeJointInput& table, const FieldPath& at,
                                             JointId joint, SceneFields& fields);

}  // namespace takt::sim
