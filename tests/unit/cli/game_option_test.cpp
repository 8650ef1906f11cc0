// --game and the texts about games.
#include "cli/game_option.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "tests/unit/server/counting_game.h"

namespace takt::cli {
namespace {

using server::test::CountingGame;

server::GameRegistry two_games() {
  server::GameRegistry games;
  games.add<CountingGame<2>>().add<CountingGame<1>>();
  return games;
}

// The value of --game after these arguments; "refused" for arguments that the parser refuses.
std::string parsed(const server::GameRegistry& games, const std::string& arguments) {
  CLI::App app;
  std::string name;
  add_game_option(app, name, games);
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError&) {
    return "refused";
  }
  return name;
}

TEST(GameOption, TheFirstGameIsTheDefault) {
  server::GameRegistry const games = two_games();
  EXPECT_EQ(parsed(games, ""), "counting/2");
  EXPECT_EQ(parsed(games, "--game counting/1"), "counting/1");
  EXPECT_EQ(parsed(games, "--game none"), "none");
  EXPECT_EQ(parsed(games, "--game counting/3"), "refused");
}

TEST(GameOption, AProgramWithoutGamesHasNoSuchOption) {
  server::GameRegistry const games;
  EXPECT_EQ(parsed(games, ""), "none");
  EXPECT_EQ(parsed(games, "--game none"), "refused");
}

TEST(GameOption, NoneIsNoGame) {
  EXPECT_EQ(make_game(kNoGame, two_games()), nullptr);
  ASSERT_NE(make_game("counting/1", two_games()), nullptr);
  EXPECT_EQ(make_game("counting/1", two_games())->name(), "counting/1");
}

TEST(ReplayFailure, NamesTheRecordingsGameAndTheProgramsGames) {
  sim::RecordingInfo info;
  info.game_name = "chess/4";
  EXPECT_EQ(replay_failure(sim::SimError::kGameMismatch, info, two_games()),
            "made with another game; run it with the game that it names (game chess/4); this program has: "
            "counting/2, counting/1");
  EXPECT_EQ(replay_failure(sim::SimError::kGameMismatch, info, {}),
            "made with another game; run it with the game that it names (game chess/4); this program has no "
            "games");
  EXPECT_EQ(replay_failure(sim::SimError::kReadFailed, info, two_games()),
            std::string(sim::message(sim::SimError::kReadFailed)));
}

}  // namespace
}  // namespace takt::cli
