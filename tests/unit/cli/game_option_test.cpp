// --game and the texts about games.
#include "cli/game_option.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"
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

// Named as CountingGame<1>, with other state.
class OtherCountingGame final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "counting/1"; }
  void visit_state(sim::StateVisitor& state) override { state.field("score", score_); }

 private:
  std::uint64_t score_ = 0;
};

// Ten ticks of one body and CountingGame<1>.
class ReplayFailure : public testing::Test {
 protected:
  static std::vector<std::byte> record() {
    auto const scene = sim::load_scene(R"({"bodies": [{"shapes": [{"sphere": {}}]}]})", "one.json");
    EXPECT_TRUE(scene.ok());
    auto live = sim::Simulation::create(*scene, NumbersMode::kFloat, std::make_unique<CountingGame<1>>());
    EXPECT_TRUE(live.ok());
    sim::MemorySink sink;
    sim::RecordingWriter writer(sink, {});
    EXPECT_TRUE(writer.begin(*live, &*scene).ok());
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(writer.append(*live, {}, live->step({})).ok());
    EXPECT_TRUE(writer.close().ok());
    return sink.bytes();
  }

  std::vector<std::byte> bytes = record();
  sim::MemorySource source{bytes};
  sim::RecordingReader recording = *sim::RecordingReader::open(source);
};

TEST_F(ReplayFailure, NamesTheRecordingsGameAndTheProgramsGames) {
  server::GameRegistry games;
  games.add<CountingGame<2>>();
  EXPECT_EQ(replay_failure(sim::SimError::kGameMismatch, recording, games),
            "made with another game; run it with the game that it names (game counting/1); this program has: "
            "counting/2");
  EXPECT_EQ(
      replay_failure(sim::SimError::kGameMismatch, recording, {}),
      "made with another game; run it with the game that it names (game counting/1); this program has no "
      "games");
  EXPECT_EQ(replay_failure(sim::SimError::kReadFailed, recording, two_games()),
            std::string(sim::message(sim::SimError::kReadFailed)));
}

TEST_F(ReplayFailure, NamesThePlaceThatTheGameRefuses) {
  server::GameRegistry games;
  games.add<OtherCountingGame>();
  EXPECT_EQ(replay_failure(sim::SimError::kGameRefused, recording, games),
            std::string(sim::message(sim::SimError::kGameRefused)) +
                " (counting/1: 8 bytes are left after the last field)");
}

}  // namespace
}  // namespace takt::cli
