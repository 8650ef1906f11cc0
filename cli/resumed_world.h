// resume_world() continues a recording of takt serve: the newest image of the newest readable file of its
// series, and the whole ticks behind it. It writes nothing but what JournalSpool::recover() appends. A tick
// that was in work when the program ended may be the one that ended it, so it is left out.
#pragma once

#include <cstdint>
#include <string>

#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/server/game_registry.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::cli {

struct ResumedWorld {
  std::string path;  ///< of the file
  sim::Scene scene;
  sim::Simulation simulation;
  bool leaves_out_tick = false;  ///< the inputs of one more tick are in the file
};

/// `path`: the first file of the series. Errors name the file: it does not exist, is no recording, is cut
/// before its first image (with its size), holds no scene, or its ticks cannot be simulated.
[[nodiscard]] Result<ResumedWorld, server::FileError> resume_world(const std::string& path,
                                                                   const server::GameRegistry& games,
                                                                   const StepOptions& step);

}  // namespace takt::cli
