// takt_main() with a program's own games: commands, messages and exit codes carry its name and its rules.
#include "takt/cli/takt_main.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/cli/folder.h"
#include "tests/unit/server/counting_game.h"

namespace takt::cli {
namespace {

using server::test::CountingGame;
using test::Folder;

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class TaktMain : public testing::Test {
 protected:
  TaktMain() {
    program.name = "studio";
    program.version = "3.1";
    program.games.add<CountingGame<2>>().add<CountingGame<1>>();
    scene = here.write("scene.json", R"({"bodies": [{"shapes": [{"sphere": {"radius": 0.5}}]}]})");
  }

  static Outcome run(const Program& program, std::vector<std::string> words) {
    words.insert(words.begin(), program.name);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.exit_code = takt_main(static_cast<int>(words.size()), argv.data(), program);
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
  }
  Outcome run(const std::vector<std::string>& words) const { return run(program, words); }

  /// Records 20 ticks of the scene into the file.
  std::string record(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::string path = here / name;
    std::vector<std::string> words{"run", scene, "--ticks", "20", "--record", path};
    words.insert(words.end(), more.begin(), more.end());
    Outcome const outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return path;
  }

  Folder here;
  Program program;
  std::string scene;
};

TEST_F(TaktMain, TheVersionNamesTheProgramAndTakt) {
  Outcome const studio = run({"--version"});
  EXPECT_EQ(studio.exit_code, 0);
  EXPECT_EQ(studio.out.rfind("studio 3.1 (takt 0.", 0), 0u) << studio.out;
  EXPECT_EQ(run(Program{}, {"--version"}).out.rfind("takt 0.", 0), 0u);
}

TEST_F(TaktMain, ErrorsAndHelpHaveTheProgramsName) {
  Outcome const unknown = run({"nonsense"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "studio: there is no command 'nonsense'; see 'studio --help'\n");
  Outcome const incomplete = run({"run"});
  EXPECT_EQ(incomplete.exit_code, 2);
  EXPECT_NE(incomplete.err.find("; see 'studio run --help'"), std::string::npos) << incomplete.err;
  Outcome const help = run({"run", "--help"});
  EXPECT_NE(help.out.find("see 'studio replay'"), std::string::npos) << help.out;
  EXPECT_EQ(help.out.find("'takt"), std::string::npos) << help.out;
}

TEST_F(TaktMain, CompletionAndManualHaveTheProgramsNameAndOptions) {
  Outcome const bash = run({"completion", "bash"});
  EXPECT_EQ(bash.exit_code, 0) << bash.err;
  EXPECT_NE(bash.out.find("complete -F _studio studio\n"), std::string::npos) << bash.out;
  EXPECT_NE(bash.out.find("    \"studio run --game\")\n      _studio_words 'counting/2 counting/1 none'\n"),
            std::string::npos)
      << bash.out;
  EXPECT_EQ(bash.out.find("takt"), std::string::npos) << bash.out;
  Outcome const zsh = run({"completion", "zsh"});
  EXPECT_EQ(zsh.out.rfind("#compdef studio\n", 0), 0u) << zsh.out;
  EXPECT_NE(zsh.out.find("  compdef _studio studio\n"), std::string::npos) << zsh.out;
  EXPECT_EQ(zsh.out.find("_takt"), std::string::npos) << zsh.out;
  Outcome const fish = run({"completion", "fish"});
  EXPECT_NE(fish.out.find("\ncomplete -c studio -f\n"), std::string::npos) << fish.out;
  EXPECT_EQ(fish.out.find("-c takt"), std::string::npos) << fish.out;
  EXPECT_EQ(run({"man", "--list"}).out.rfind("studio\nserve\n", 0), 0u);
  Outcome const page = run({"man", "run"});
  EXPECT_EQ(page.out.rfind(".TH STUDIO\\-RUN 1 \"\" \"studio 3.1 (takt 0.", 0), 0u) << page.out;
  EXPECT_NE(page.out.find("\n\\fB\\-\\-game\\fR \\fIcounting/2|counting/1|none\\fR\n"), std::string::npos)
      << page.out;
  EXPECT_TRUE(page.out.ends_with("\n.SH SEE ALSO\n.BR studio (1)\n")) << page.out;
  EXPECT_EQ(run({"man", "walk"}).err,
            "studio: there is no page 'walk'; 'studio man --list' names them all\n");
}

TEST_F(TaktMain, ARunHasTheFirstGameAndItsRecordingReplays) {
  std::string const recording = record("a.takt");
  Outcome const info = run({"replay", "info", recording});
  EXPECT_NE(info.out.find("game       counting/2\n"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("written by studio run 3.1 (takt 0."), std::string::npos) << info.out;
  for (const char* const command : {"verify", "bisect"})
    EXPECT_EQ(run({"replay", command, recording}).exit_code, 0) << command;
  EXPECT_EQ(run({"replay", "seek", recording, "--tick", "7"}).exit_code, 0);
  EXPECT_EQ(run({"replay", "diff", recording, recording}).exit_code, 0);
  EXPECT_EQ(
      run({"replay", "play", recording, "--http", "0", "--bind", "127.0.0.1", "--for", "0.05"}).exit_code, 0);
}

class RefusingGame final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "refusing/1"; }
  [[nodiscard]] bool on_command(sim::WorldAccess& world, sim::PlayerId, std::span<const std::byte>) override {
    return world.refuse("not today");
  }
  void visit_state(sim::StateVisitor&) override {}
};

TEST_F(TaktMain, ARefusalOfTheGameIsPrintedWithItsWords) {
  Program refusing;
  refusing.name = "studio";
  refusing.games.add<RefusingGame>();
  std::string const inputs = here.write("i.json", R"({"inputs": [
    {"tick": 0, "join": {"player": 1, "name": "ann"}},
    {"tick": 3, "player": 1, "custom": {"text": "jump"}}]})");
  Outcome const outcome = run(refusing, {"run", scene, "--ticks", "5", "--inputs", inputs});
  EXPECT_NE(outcome.err.find("studio: tick 3: input 1 of player 1 refused: the game refused: not today\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(TaktMain, BisectSaysThatOneImageTestsNoSaveOfTheGame) {
  Outcome const bisect = run({"replay", "bisect", record("a.takt")});
  EXPECT_EQ(bisect.out,
            "every tick from 0 to 20 follows from the image before it\n"
            "the recording has one image, so save() of the game is untested: record past tick 600\n");
  EXPECT_EQ(run({"replay", "bisect", record("b.takt", {"--game", "none"})}).out,
            "every tick from 0 to 20 follows from the image before it\n");
}

TEST_F(TaktMain, GamesDifferInTheirStates) {
  std::string const newer = record("newer.takt");
  std::string const older = record("older.takt", {"--game", "counting/1"});
  std::string const none = record("none.takt", {"--game", "none"});
  EXPECT_EQ(run({"replay", "verify", older}).exit_code, 0);
  EXPECT_EQ(run({"replay", "verify", none}).exit_code, 0);
  EXPECT_EQ(run({"replay", "diff", newer, none}).exit_code, 1);
  EXPECT_EQ(run({"run", scene, "--ticks", "1", "--game", "chess/1"}).exit_code, 2);
}

TEST_F(TaktMain, EachReplayOfAnotherGameIsRefusedWithBothNames) {
  std::string const recording = record("a.takt");
  Program other = program;
  other.games = {};
  other.games.add<CountingGame<1>>();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"replay", "verify", recording},
                                                {"replay", "bisect", recording},
                                                {"replay", "seek", recording, "--tick", "3"},
                                                {"replay", "play", recording, "--http", "0"}}) {
    Outcome const outcome = run(other, words);
    EXPECT_EQ(outcome.exit_code, 2) << words[1];
    EXPECT_EQ(outcome.err, "studio: " + recording +
                               ": made with another game; run it with the game that it names (game "
                               "counting/2); this program has: counting/1\n");
  }
  Outcome const takt = run(Program{}, {"replay", "verify", recording});
  EXPECT_EQ(takt.exit_code, 2);
  EXPECT_EQ(takt.err.rfind("takt: ", 0), 0u) << takt.err;
  EXPECT_NE(takt.err.find("; this program has no games"), std::string::npos) << takt.err;
}

TEST_F(TaktMain, AStateContinuesWithItsGameAlone) {
  std::string const state = here / "s.state";
  ASSERT_EQ(run({"run", scene, "--ticks", "10", "--save", state}).exit_code, 0);
  Outcome const whole = run({"run", scene, "--ticks", "20", "--json"});
  Outcome const continued = run({"run", scene, "--ticks", "10", "--from", state, "--json"});
  ASSERT_EQ(continued.exit_code, 0) << continued.err;
  std::size_t const length = whole.out.find(",\"bodies\"");  // tick and hash
  EXPECT_EQ(continued.out.substr(0, length), whole.out.substr(0, length));
  Outcome const refused = run({"run", scene, "--ticks", "10", "--from", state, "--game", "counting/1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("; this program has: counting/2, counting/1"), std::string::npos) << refused.err;
}

TEST_F(TaktMain, AServedGameHasOneScene) {
  Outcome const refused = run({"serve", "--scene", scene, "--scenes", here / "."});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "studio: --scenes: a world with a game loads no other scene; leave it out, or add --game none\n");
  Outcome const served = run({"serve", "--scene", scene, "--port", "0", "--bind", "127.0.0.1", "--http", "0",
                              "--for", "0.05", "--log", "off", "--json"});
  EXPECT_EQ(served.exit_code, 0) << served.err;
  EXPECT_NE(served.out.find("\"game\":\"counting/2\""), std::string::npos) << served.out;
}

}  // namespace
}  // namespace takt::cli
