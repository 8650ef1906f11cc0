// The subcommands of `takt`. Each add_ function declares one subcommand with its options, in a source file of
// its own. If the user chose that subcommand, the parser sets `action`, which main then runs. An action
// returns the exit code: 0 done, 1 the run or check failed, 2 bad usage or bad input.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace takt::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

using Action = std::function<int()>;

/// Each declares a subcommand on `app`; parsing it sets `action`.
void add_serve(CLI::App& app, Action& action);
void add_bot(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_relay(CLI::App& app, Action& action);
void add_shot(CLI::App& app, Action& action);

/// "takt: <what>" and a line end, to stderr. `what` is "<file>:<line>: <text>" where there is a file.
void print_error(const std::string& what);

}  // namespace takt::cli
