// load_input_script reads a script of inputs in JSON (schemas/inputs.fbs), for headless runs: the whole text
// is checked and returned as inputs in order of their ticks. Bodies, ropes and joints may be named as in the
// scene. Values that the policy would refuse pass, because refusing them is the simulation's work and part of
// what a script may want to show.
#pragma once

#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Inputs by tick, then player, then the order written; sequences count from 1 for each player. `file_name`
/// is only for messages.
[[nodiscard]] Result<std::vector<Input>, SceneError> load_input_script(std::string_view json,
                                                                       std::string_view file_name,
                                                                       const Scene& scene);

}  // namespace takt::sim
