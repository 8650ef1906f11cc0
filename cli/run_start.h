// load_script() and start_simulation() are the begin of a run without a server: the inputs of --inputs, and
// the simulation of a loaded scene with the game of --game. `takt run`, `lockstep-peer` and `lockstep-test`
// use them.
#pragma once

#include <string>
#include <vector>

#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/server/game_registry.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::cli {

struct WorldOptions;

/// The inputs of a script in the order of their ticks; none for an empty path.
[[nodiscard]] Result<std::vector<sim::Input>, server::FileError> load_script(const std::string& path,
                                                                             const sim::Scene& scene);

/// The scene at tick 0 with a new game of that name.
[[nodiscard]] Result<sim::Simulation, server::FileError> start_simulation(const WorldOptions& world,
                                                                          const sim::Scene& scene,
                                                                          const std::string& game,
                                                                          const server::GameRegistry& games);

}  // namespace takt::cli
