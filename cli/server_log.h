// start_log opens the log of a command that runs a server: lines on stderr with time and level. `takt serve`
// and `takt replay play` call it once, at their start.
#pragma once

#include <string>

namespace takt::cli {

/// `level`: trace, debug, info, warning, error or off.
void start_log(const std::string& level);

}  // namespace takt::cli
