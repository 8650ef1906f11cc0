// read_change() converts the FlatBuffers table of a change_joint command in an input script to a
// ChangeJointCommand, and read_joint_frame() that of a frame. input_script.cpp and world_edit_script.cpp call
// them. Each number is checked
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
/// The frame of a table at path `at`.
[[nodiscard]] JointFrame read_joint_frame(const schema::JointFrame& table, const FieldPath& at,
                                          SceneFields& fields);

}  // namespace takt::sim
