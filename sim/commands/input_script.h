// load_input_script() reads a script of inputs (commands with tick and player) from JSON
// (schemas/inputs.fbs), for `takt run --inputs`. The result is the inputs, sorted by tick, then player, or
// the first fault with its line. A script may name bodies, ropes and joints as its scene does. The scene's
// CommandPolicy is not checked here: Simulation::step refuses what the policy forbids, as for a player's
// input.
#pragma once

#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Inputs by tick, then player, then order in the script. A sequence that the script leaves out is 1 above
/// the player's last, from 1. `file_name` is only for messages. The error is the first fault, with file and
/// line.
[[nodiscard]] Result<std::vector<Input>, SceneError> load_input_script(std::string_view json,
                                                                       std::string_view file_name,
                                                                       const Scene& scene);

}  // namespace takt::sim
