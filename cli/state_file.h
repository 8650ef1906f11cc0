// A state file holds the image of a simulation (Simulation::save), from which `takt run --from` continues.
// save_state() writes the file for `takt run --save` and `takt replay seek --save`. load_state() reads the
// file and refuses a state of another scene, game, numbers mode or format version. docs/RECORDING.md has the
// byte table of images.
#pragma once

#include <string>

#include "cli/output_file.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/server/game_registry.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::cli {

/// The game of a run, as --game chose it (cli/game_option.h). The references must outlive it.
struct ChosenGame {
  const std::string& name;
  const server::GameRegistry& games;
};

/// Returns the simulation of a state file. `scene`, `numbers` and `game` are those of the run, and
/// `scene_name` is for messages. The error names the file, the difference and the remedy.
[[nodiscard]] Result<sim::Simulation, server::FileError> load_state(const std::string& path,
                                                                    const sim::Scene& scene,
                                                                    const std::string& scene_name,
                                                                    NumbersMode numbers,
                                                                    const ChosenGame& game);

/// Writes the image, commits the file and closes it; false after a failure, then file.failure() has the
/// reason.
[[nodiscard]] bool save_state(OutputFile& file, const sim::Simulation& simulation);

}  // namespace takt::cli
