// The add_ functions declare the subcommands of `takt` with their options: serve, bot, run, replay, relay,
// shot, completion and man. Each has a source file of its own, such as cli/command_run.cpp; the last two
// share one. If the user chose a subcommand, the parser (library CLI11) sets `action`, which main() then
// runs. An Action returns the exit code: 0 done, 1 the run or check failed, 2 bad usage or bad input.
// print_error() writes a line about an error to stderr.
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
/// Both print texts about all subcommands of `app`, those that are added later too.
void add_completion(CLI::App& app, Action& action);
void add_man(CLI::App& app, Action& action);

/// "takt: <what>" and a line end, to stderr. `what` is "<file>:<line>: <text>" if a file has lines, "<file>:
/// <text>" if not.
void print_error(const std::string& what);

}  // namespace takt::cli
