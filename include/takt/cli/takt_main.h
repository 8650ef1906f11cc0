// takt_main() is the program `takt` as a function: serve, bot, run, replay, relay, shot, completion and man
// with all options. A program that passes games of its own has these commands for its games: it serves them,
// plays them with bots, records them, and verifies, plays, bisects, compares and seeks their recordings.
// Program describes that program. docs/COMMANDS.md describes commands, formats and exit codes.
//
//   int main(int argc, char** argv) {
//     takt::cli::Program program;
//     program.name = "arena";
//     program.games.add<Arena>();
//     return takt::cli::takt_main(argc, argv, program);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "takt/client/body.h"
#include "takt/core/random.h"
#include "takt/server/game_registry.h"
#include "takt/sim/command.h"

namespace takt::cli {

/// The view of one bot when it may send a command.
struct BotView {
  std::uint32_t player = 0;              ///< the bot's own id
  double render_tick = 0;                ///< that `bodies` shows, as Client::render_tick()
  std::span<const client::Body> bodies;  ///< as Client::bodies()
};

/// Returns the next command of a bot, or none for this time. `random` is the bot's own stream, from --seed.
/// Called about 7 times a second for each bot that has joined, on the thread of takt_main().
using BotFunction = std::function<std::optional<sim::Command>(const BotView& view, Random& random)>;

/// A program with the commands of takt.
struct Program {
  std::string name = "takt";   ///< begins each line on stderr; one word, not empty
  std::string version;         ///< for --version and recordings; empty = Takt's alone
  server::GameRegistry games;  ///< --game of serve and run chooses one of them, by default the first
  BotFunction bot;             ///< null = Takt's bots, which push, spawn and drag bodies
};

/// Runs the command that the arguments name, until it is done or a signal stops it. Returns the exit code: 0
/// done, 1 the run or check failed, 2 bad usage or bad input. Errors are lines on stderr; nothing is thrown.
/// Call it once, from main(): it handles signals of the process and opens its log.
[[nodiscard]] int takt_main(int argc, char** argv, const Program& program = {});

}  // namespace takt::cli
