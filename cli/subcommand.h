// The add_ functions declare the subcommands of `takt` with their options: serve, bot, run, batch, replay,
// ping, relay, service, shot, lockstep-test, lockstep-peer, token, completion and man. Each has a source file
// of its own, such as cli/command_run.cpp; the last two share one. If the user chose a subcommand, the parser
// (library CLI11) sets `action`, which takt_main() then runs. An Action returns the exit code: 0 done, 1 the
// run or check failed, 2 bad usage or bad input. print_error() writes a line about an error to stderr.
// Program (takt/cli/takt_main.h) has the name and the games of the program.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace takt::cli {

struct Program;

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

using Action = std::function<int()>;

/// Each add_ function declares a subcommand on `app`. If the user chose the subcommand, parsing sets
/// `action`, which must outlive the parsing. `program` must outlive the action.
void add_serve(CLI::App& app, Action& action, const Program& program);
void add_batch(CLI::App& app, Action& action, const Program& program);
void add_bot(CLI::App& app, Action& action, const Program& program);
void add_run(CLI::App& app, Action& action, const Program& program);
void add_replay(CLI::App& app, Action& action, const Program& program);
void add_ping(CLI::App& app, Action& action);
void add_relay(CLI::App& app, Action& action);
void add_service(CLI::App& app, Action& action, const Program& program);
void add_shot(CLI::App& app, Action& action, const Program& program);
void add_lockstep_test(CLI::App& app, Action& action, const Program& program);
void add_lockstep_peer(CLI::App& app, Action& action, const Program& program);
void add_token(CLI::App& app, Action& action);
/// The actions of these two print texts about all subcommands of `app`, in whatever order they are added.
void add_completion(CLI::App& app, Action& action);
void add_man(CLI::App& app, Action& action, const Program& program);

/// Program::name of this process; "takt" before takt_main().
[[nodiscard]] const std::string& program_name();
/// Returns "arena 1.2 (takt 0.2.0)"; with a command "arena serve 1.2 (takt 0.2.0)", for recordings. The
/// program takt itself has "takt 0.2.0" and "takt serve 0.2.0".
[[nodiscard]] std::string version_text(const Program& program, const std::string& command);

/// Flushes stdout and prints "<program>: <what>" and a line end to stderr. `what` about a file is
/// "<file>:<line>: <text>", or "<file>: <text>" without a line.
void print_error(const std::string& what);

}  // namespace takt::cli
