// run_program starts another program, waits for its end and returns its exit code; find_program finds a
// program in $PATH. `takt shot` runs node with them. The child shares the standard streams of `takt`. No
// shell is involved.
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
