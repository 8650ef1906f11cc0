// takt_main() is the program `takt` as a function: its commands serve, bot, run, replay, relay, shot,
// completion and man with all options. A program that calls takt_main() with its own games has these commands
// for them: servers, bots, runs, recordings and replays. Program holds the program's name, version, games and
// bots. docs/COMMANDS.md describes commands, formats and exit codes.
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

/// The view of one bot when it may send a command. It is valid during the call of the BotFunction.
struct BotView {
  std::uint32_t player = 0;              ///< the bot's own player id
  double render_tick = 0;                ///< the tick of `bodies`, as Client::render_tick()
  std::span<const client::Body> bodies;  ///< as Client::bodies()
};

/// Returns the next command of a bot, or none for this time. `random` is the bot's own stream, seeded from
/// the option --seed. `takt bot` calls the function every 150 ms for each bot that has joined, on the thread
/// of takt_main().
using BotFunction = std::function<std::optional<sim::Command>(const BotView& view, Random& random)>;

/// A program with the commands of takt.
struct Program {
  std::string name = "takt";   ///< begins each error line; one word, not empty (asserted)
  std::string version;         ///< in --version and in recordings, before Takt's version; empty = that alone
  server::GameRegistry games;  ///< --game of serve and run chooses one of them, by default the first
  BotFunction bot;             ///< null = Takt's bots, which push, spawn and drag bodies
};

/// Runs the command that the arguments name, until it is done or a signal stops it. Returns the exit code: 0
/// done, 1 the run or check failed, 2 bad usage or bad input. Errors are lines on stderr; no std::exception
/// leaves the call. main() calls takt_main() once: it handles signals of the process and opens the log.
[[nodiscard]] int takt_main(int argc, char** argv, const Program& program = {});

}  // namespace takt::cli
