// The log of a command that runs a server: on stderr, with times and levels.
#pragma once

#include <string>

namespace takt::cli {

/// `level`: trace, debug, info, warning, error or off.
void start_log(const std::string& level);

}  // namespace takt::cli
