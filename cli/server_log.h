// start_log() opens the log of a command that runs a server: lines on stderr with time and level (library
// spdlog). Server (server/app/server.h) writes to that log. `takt serve` and `takt replay play` call
// start_log() once, at their start; `takt shot` runs its server without a log.
#pragma once

#include <string>

namespace takt::cli {

/// `level`: trace, debug, info, warning, error or off.
void start_log(const std::string& level);

}  // namespace takt::cli
