// run_program() starts another program, waits for its end and returns its exit code. A stop signal to `takt`
// meanwhile ends the other program with SIGTERM. find_program() returns the path of the first of several
// programs that can be run, and looks in $PATH for names without a slash. `takt shot` finds node and Chromium
// with find_program() and runs node with run_program(). The other program shares the standard streams of
// `takt`; no shell is involved.
#pragma once

#include <string>
#include <vector>

#include "takt/core/result.h"

namespace takt::cli {

class StopSignal;

/// The path of the first of these programs that can be run: a name with a slash as it is, another one through
/// $PATH. Empty = none.
[[nodiscard]] std::string find_program(const std::vector<std::string>& names);

/// Why a program could not be started: the system's words.
struct SpawnError {
  std::string text;
};

/// Runs `arguments[0]` with these arguments to its end: its exit code, or 128 + the signal that ended it. A
/// stop signal ends the child as well.
[[nodiscard]] Result<int, SpawnError> run_program(const std::vector<std::string>& arguments,
                                                  StopSignal& stop_signal);

}  // namespace takt::cli
