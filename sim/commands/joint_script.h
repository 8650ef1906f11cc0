// read_change reads the change_joint command of an input script (input_script.h) from its FlatBuffers table
// and checks each number against a fixed range. The engine checks the values against the joint when the
// command acts.
#pragma once

#include "schemas/inputs_generated.h"
#include "sim/scene/scene_fields.h"
#include "takt/sim/command.h"

namespace takt::sim {

[[nodiscard]] ChangeJointCommand read_change(const schema::ChangeJointInput& table, const FieldPath& at,
                                             JointId joint, SceneFields& fields);

}  // namespace takt::sim
