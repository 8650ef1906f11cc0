// completion_script() returns a script with which a shell completes the command line of `takt`, or of a
// program of another name (takt/cli/takt_main.h): names of commands and options, words that an option takes,
// and files and folders. The script is computed from the options (cli/usage.h). `takt completion SHELL`
// prints it, and the installation has all three (cmake/TaktManual.cmake). bash must be 4.0 or later, and zsh
// must have run compinit.
#pragma once

#include <string>

#include "cli/usage.h"

namespace takt::cli {

/// `program` is usage_of() the whole program; `shell` is bash, zsh or fish (asserted).
[[nodiscard]] std::string completion_script(const Usage& program, const std::string& shell);

}  // namespace takt::cli
