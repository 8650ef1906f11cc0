// The change_joint command of a script of inputs, from its table. What the engine allows of this joint is
// known only when it acts.
#pragma once

#include "schemas/inputs_generated.h"
#include "sim/scene/scene_fields.h"
#include "takt/sim/command.h"

namespace takt::sim {

[[nodiscard]] ChangeJointCommand read_change(const schema::ChangeJointInput& table, const FieldPath& at,
                                             JointId joint, SceneFields& fields);

}  // namespace takt::sim
