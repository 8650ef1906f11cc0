// run_program() starts another program, waits for its end and returns its exit code. When `takt` receives a
// stop signal meanwhile, run_program() sends SIGTERM to the other program. find_program() returns the path of
// the first of several programs that can be run, and searches $PATH for names without a slash. `takt shot`
// finds node and Chromium with find_program() and runs node with run_program(). The other program shares the
// standard streams of `takt`; no shell is involved.
#pragma once

#include <string>
#include <vector>

#include "takt/core/result.h"

namespace takt::cli {

class StopSignal;

/// Returns the path of the first of these programs that can be run; empty if none can. A name with a slash is
/// a path; others are searched in $PATH.
[[nodiscard]] std::string find_program(const std::vector<std::string>& names);

/// The reason why a program could not be started, as a text of the system.
struct SpawnError {
  std::string text;
};

/// Runs the program at the path `arguments[0]` with these arguments, and waits for its end. Returns its exit
/// code, or 128 + the signal that ended it. `$PATH` is not searched.
[[nodiscard]] Result<int, SpawnError> run_program(const std::vector<std::string>& arguments,
                                                  StopSignal& stop_signal);

}  // namespace takt::cli
