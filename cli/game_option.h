// The functions of this file connect the games of a program (GameRegistry) with its commands. --game chooses
// the game of `serve` and `run`, and --messages prints its messages; a program without games has neither.
// replay_failure() explains why a recording cannot be simulated, with the games that the program has.
// game_exception_text() is the line about a game that threw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "takt/server/game_registry.h"
#include "takt/sim/error.h"
#include "takt/sim/recording.h"

namespace CLI {
class App;
}

namespace takt::cli {

/// The value of --game for a world without a game.
inline constexpr const char* kNoGame = "none";

/// Sets `name` to the first game of the registry and declares --game NAME|none, which changes `name`. With an
/// empty registry sets `name` to kNoGame and declares nothing.
void add_game_option(CLI::App& app, std::string& name, const server::GameRegistry& games);

/// --messages into `wanted`, if the program has games.
void add_messages_option(CLI::App& app, bool& wanted, const server::GameRegistry& games);

/// Returns a new game of that name; null for kNoGame and for a name that the registry lacks.
[[nodiscard]] std::unique_ptr<sim::Game> make_game(const std::string& name,
                                                   const server::GameRegistry& games);

/// Returns "; this program has: arena/1, arena/2" or "; this program has no games".
[[nodiscard]] std::string games_text(const server::GameRegistry& games);

/// Returns the message of an error of a replay. For kGameMismatch it has the names of the recording's game
/// and of the program's games; for kGameRefused, the field of the first image that the game refuses.
[[nodiscard]] std::string replay_failure(sim::SimError error, const sim::RecordingReader& recording,
                                         const server::GameRegistry& games);

/// "tick 94: the game threw: map::at". The inputs of that tick are those that the game threw at.
[[nodiscard]] std::string game_exception_text(std::uint64_t tick, const std::string& thrown);

}  // namespace takt::cli
