// start_log() opens the log of a command that runs a server (takt/server/log.h) at the level of its option
// --log. `takt serve` and `takt replay play` call start_log() once, at their start; `takt shot` runs its
// server without a log.
#pragma once

#include <string>

namespace takt::cli {

/// `level` is trace, debug, info, warning, error or off; the option's parser has checked it.
void start_log(const std::string& level);

}  // namespace takt::cli
