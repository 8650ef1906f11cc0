#include <gtest/gtest.h>

#include <regex>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

std::string hash_in(const std::string& line) {
  std::smatch found;
  return std::regex_search(line, found, std::regex("0x[0-9a-f]{16}")) ? found.str() : "none in: " + line;
}

TEST(RunCommand, EndsWithTheLastLineOfTheDesign) {
  Workplace const here;
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 30");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::regex_match(
      run.out,
      std::regex(R"(tick 30 hash 0x[0-9a-f]{16} bodies 11 ms/tick [0-9]+\.[0-9]{3} p99 [0-9]+\.[0-9]{3}\n)")))
      << run.out;
  EXPECT_EQ(run.err, "");
}

TEST(RunCommand, LanesDoNotChangeTheHashAndNumbersDo) {
  Workplace const here;
  std::string const base = "run " + scene_path("pyramid") + " --ticks 40";
  std::string const automatic = hash_in(here.takt(base).out);
  for (const char* const lanes : {"1", "4", "8", "16"})
    EXPECT_EQ(hash_in(here.takt(base + " --lanes " + lanes).out), automatic) << lanes;
  EXPECT_NE(hash_in(here.takt(base + " --numbers fixed").out), automatic);
  EXPECT_NE(hash_in(here.takt(base + " --substeps 3").out), automatic);
  EXPECT_NE(hash_in(here.takt(base + " --hz 120").out), automatic);
}

TEST(RunCommand, ThreadsDoNotChangeTheHash) {
  Workplace const here;
  for (const char* const numbers : {"float", "fixed"}) {
    std::string const base = "run " + scene_path("cubes") + " --ticks 12 --numbers " + numbers;
    std::string const one = hash_in(here.takt(base).out);
    for (const char* const threads : {"1", "2", "3", "8", "auto"}) {
      EXPECT_EQ(hash_in(here.takt(base + " --threads " + threads).out), one)
          << numbers << ", " << threads << " threads";
    }
  }
}

TEST(RunCommand, PrintsHashesOnTheWayAndJson) {
  Workplace const here;
  auto const text = lines_of(here.takt("run " + scene_path("stack") + " --ticks 20 --hash-every 10").out);
  ASSERT_EQ(text.size(), 3u);
  EXPECT_TRUE(text[0].starts_with("tick 10 hash 0x"));
  EXPECT_EQ(hash_in(text[1]), hash_in(text[2]));
  auto const json =
      lines_of(here.takt("run " + scene_path("stack") + " --ticks 20 --hash-every 10 --json").out);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0], "{\"tick\":10,\"hash\":\"" + hash_in(text[0]) + "\"}");
  EXPECT_TRUE(std::regex_match(json[2], std::regex(R"(\{"tick":20,"hash":"0x[0-9a-f]{16}","bodies":11,)"
                                                   R"("ms_per_tick":[0-9.]+,"ms_per_tick_p99":[0-9.]+\})")))
      << json[2];
}

TEST(RunCommand, WritesATableThatReadsBack) {
  Workplace const here;
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 4 --csv t.csv --csv-every 2");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  auto const rows = lines_of(here.read("t.csv"));
  ASSERT_EQ(rows.size(), 1u + 3 * 10);  // ticks 0, 2 and 4; ten boxes, the ground is static
  EXPECT_EQ(rows[0], "tick,body,generation,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz");
  EXPECT_EQ(rows[1], "0,1,1,,0,0.5,0,0,0,0,1,0,0,0,0,0,0");
  EXPECT_TRUE(rows[30].starts_with("4,10,1,,"));
}

TEST(RunCommand, ATableHasNamesAndPlainIndices) {
  Workplace const here;
  here.write("n.json", R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]},
    {"name": "box", "position": [0, 5, 0], "shapes": [{"sphere": {}}]},
    {"name": "a \"b\", c", "position": [5, 5, 0], "shapes": [{"sphere": {}}]}]})");
  here.write("i.json", R"({"inputs": [{"tick": 0, "despawn": {"body": "box"}},
    {"tick": 1, "spawn": {"shape": {"sphere": {}}, "position": [9, 5, 0]}}]})");
  Outcome const run =
      here.takt("run n.json --ticks 2 --inputs i.json --csv t.csv --csv-every 2 --record r.takt");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  auto const rows = lines_of(here.read("t.csv"));
  ASSERT_EQ(rows.size(), 1u + 2 + 2);
  EXPECT_TRUE(rows[1].starts_with("0,1,1,box,0,5,0,")) << rows[1];
  EXPECT_TRUE(rows[2].starts_with("0,2,1,\"a \"\"b\"\", c\",5,5,0,")) << rows[2];
  EXPECT_TRUE(rows[3].starts_with("2,1,2,,9,")) << rows[3];  // another body with the index of the box
  EXPECT_EQ(here.takt("replay seek r.takt --tick 0 --csv s.csv").exit_code, 0) << here.read("err.txt");
  EXPECT_EQ(lines_of(here.read("s.csv"))[2], rows[2]);
}

TEST(RunCommand, ReadsASceneFromStdin) {
  Workplace const here;
  std::string const path = scene_path("stack");
  std::string const plain = hash_in(here.takt("run " + path + " --ticks 5").out);
  EXPECT_EQ(hash_in(here.shell("cat " + path + " | \"$TAKT\" run - --ticks 5").out), plain);
  EXPECT_EQ(hash_in(here.takt("run - --ticks 5 <" + path).out), plain);
  Outcome const bad = here.shell("echo '{\n\"bodys\": []}' | \"$TAKT\" run - --ticks 5");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(bad.err.starts_with("takt: stdin:2: ")) << bad.err;
  here.write("hill.obj", "v 0 0 0\nv 0 0 10\nv 10 0 0\nf 1 2 3\n");
  Outcome const mesh =
      here.shell(R"(echo '{"bodies": [{"type": "static", "shapes": [{"mesh": {"obj": "hill.obj"}}]}]}')"
                 R"( | "$TAKT" run - --ticks 1)");
  EXPECT_EQ(mesh.exit_code, 0) << mesh.err;
}

TEST(RunCommand, AReaderThatGoesAwayEndsItsTableAlone) {
  Workplace const here;
  here.write("a.json", R"({"bodies": [{"shapes": [{"sphere": {}}]}]})");
  Outcome const run =
      here.shell("\"$TAKT\" run a.json --ticks 4000 --csv - --save a.state --record a.takt | head -n 1");
  EXPECT_NE(run.err.find("the run goes on without the table"), std::string::npos) << run.err;
  EXPECT_FALSE(here.read("a.state").empty());
  EXPECT_EQ(here.takt("replay verify a.takt").exit_code, 0);
}

TEST(RunCommand, ADescriptorThatAppendsIsNotTruncated) {
  Workplace const here;
  here.write("a.json", R"({"bodies": [{"shapes": [{"sphere": {}}]}]})");
  here.write("rows.csv", "kept\n");
  EXPECT_EQ(here.shell("\"$TAKT\" run a.json --ticks 1 --csv /dev/fd/3 3>>rows.csv").exit_code, 0);
  EXPECT_TRUE(here.read("rows.csv").starts_with("kept\ntick,")) << here.read("rows.csv");
}

TEST(RunCommand, AHangUpLeavesTheTableUnderItsName) {
  Workplace const here;
  here.write("a.json", R"({"bodies": [{"shapes": [{"sphere": {}}]}]})");
  (void)here.shell("\"$TAKT\" run a.json --ticks 100000000 --csv a.csv & sleep 0.5; kill -HUP $!; wait $!");
  EXPECT_TRUE(here.read("a.csv").starts_with("tick,"));
}

TEST(ServeCommand, APortOfSeveralZerosIsNoGateway) {
  Workplace const here;
  here.write("a.json", R"({"bodies": [{"shapes": [{"sphere": {}}]}]})");
  Outcome const serve = here.takt("serve --scene a.json --port 0 --http 00 --for 0.1");
  EXPECT_EQ(serve.exit_code, 0) << serve.err;
  EXPECT_EQ(serve.out.find("watch it at"), std::string::npos) << serve.out;
}

TEST(RunCommand, SetAndSeedChangeTheScene) {
  Workplace const here;
  here.write("a.json",
             "{ // a comment\n\"world\": {\"gravity\": [0, -9.81, 0]},\n"
             "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"sphere\": {}}]}]}");
  here.write("b.json", R"({"world": {"gravity": [0, -1.62, 0], "substeps": 2, "seed": 7},
    "bodies": [{"name": "b", "position": [1, 2, 3], "shapes": [{"sphere": {"radius": 0.25}}]}]})");
  std::string const wanted = hash_in(here.takt("run b.json --ticks 30 --csv b.csv").out);
  Outcome const set = here.takt(
      "run a.json --ticks 30 --csv a.csv --set world.gravity[1]=-1.62 --set world.substeps=2 --set "
      "'bodies[0].position=[1, 2, 3]' --set bodies[0].shapes[0].sphere.radius=0.25 --seed 7");
  EXPECT_EQ(set.exit_code, 0) << set.err;
  EXPECT_EQ(hash_in(set.out), wanted);
  EXPECT_EQ(here.read("a.csv"), here.read("b.csv"));
  Outcome const title = here.takt("run a.json --ticks 0 --set title=Moon --record r.takt");
  EXPECT_EQ(title.exit_code, 0) << title.err;
  EXPECT_TRUE(here.takt("replay info r.takt").out.starts_with("scene      Moon (")) << here.read("out.txt");
  for (const char* const value : {"https://moon.example", "\"https://moon.example\""}) {
    Outcome const slashes =
        here.takt(std::string("run a.json --ticks 0 --record r.takt --force --set 'title=") + value + "'");
    EXPECT_EQ(slashes.exit_code, 0) << slashes.err;
    EXPECT_TRUE(here.takt("replay info r.takt").out.starts_with("scene      https://moon.example ("))
        << here.read("out.txt");
  }
  for (auto const& [setting, text] :
       {std::pair{"world.gravty=1", "takt: --set world.gravty=1: world: unknown field \"gravty\": allowed "},
        std::pair{"world.substeps=65",
                  "takt: --set world.substeps=65: world.substeps: 65 is out of range: allowed is 1 to 64"},
        std::pair{R"(bodies[0].name="a//b" // c)",
                  R"(takt: --set bodies[0].name="a//b" // c: the value is )"},
        std::pair{"bodies[1].name=c", "takt: --set bodies[1].name=c: the scene writes no bodies[1].name"},
        std::pair{"world",
                  "takt: --set: expected PATH=VALUE, such as world.gravity=[0,-1.62,0], not 'world'"},
        std::pair{".=1", "takt: --set .=1: expected a path such as "}}) {
    Outcome const run = here.takt(std::string("run a.json --ticks 1 --set '") + setting + "'");
    EXPECT_EQ(run.exit_code, 2) << setting;
    EXPECT_TRUE(run.err.starts_with(text)) << run.err;
  }
}

TEST(RunCommand, InputsActAreNamedWhenRefusedAndReplay) {
  Workplace const here;
  here.write("i.json", R"({"inputs": [{"tick": 0, "join": {"player": 1}},
    {"tick": 1, "player": 1, "spawn": {"shape": {"sphere": {}}, "position": [5, 5, 0]}},
    {"tick": 2, "player": 1, "despawn": {"body": "ground"}}]})");
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 5 --inputs i.json --record r.takt");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err,
            "takt: tick 2: input 2 of player 1 refused: the policy does not let this player do that to this "
            "body\n");
  EXPECT_NE(run.out.find(" bodies 12 "), std::string::npos);
  Outcome const replay = here.takt("replay verify r.takt");
  EXPECT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_NE(replay.out.find(hash_in(run.out)), std::string::npos);
}

TEST(RunCommand, AWildSceneRunsRecordsAndReplaysLikeAFile) {
  Workplace const here;
  Outcome const run = here.takt("run --wild 7 --ticks 30 --record w.takt");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(here.takt("run --wild 7 --ticks 30").out.substr(0, 31), run.out.substr(0, 31));
  EXPECT_NE(here.takt("run --wild 8 --ticks 30").out.substr(0, 31), run.out.substr(0, 31));
  EXPECT_EQ(here.takt("replay verify w.takt").exit_code, 0);
  std::string const info = here.takt("replay info w.takt").out;
  EXPECT_NE(info.find("wild 7: "), std::string::npos) << info;
  EXPECT_EQ(here.takt("run --wild 7 --ticks 2 --set world.substeps=3 --record s.takt").exit_code, 0);
  EXPECT_EQ(here.takt("replay diff w.takt s.takt").exit_code, 1);
}

TEST(RunCommand, EnergyIsPrintedBeforeTheLastLineAndChangesNoBit) {
  Workplace const here;
  std::vector<std::string> const lines = lines_of(here.takt("run --wild 7 --ticks 30 --energy").out);
  ASSERT_GE(lines.size(), 4u);
  EXPECT_TRUE(lines[0].starts_with("energy: kinetic ")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("energy rose by at most ")) << lines[1];
  // By stage, or the remedy.
  EXPECT_TRUE(lines[2].starts_with("stage ") || lines[2].find("./dev build dev") != std::string::npos)
      << lines[2];
  EXPECT_EQ(lines.back().substr(0, 31), here.takt("run --wild 7 --ticks 30").out.substr(0, 31));
  std::vector<std::string> const json = lines_of(here.takt("run --wild 7 --ticks 30 --energy --json").out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_TRUE(json[0].starts_with("{\"energy\":{\"kinetic_j\":[")) << json[0];
  EXPECT_TRUE(json[0].ends_with("}}")) << json[0];
}

TEST(RunCommand, AWildSceneAndAFileAreRefusedTogether) {
  Workplace const here;
  Outcome const both = here.takt("run " + scene_path("stack") + " --wild 7 --ticks 3");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.err,
            "takt: --wild 7: the scene " + scene_path("stack") + " is given too; leave one of the two out\n");
  EXPECT_EQ(here.takt("run --ticks 3").err, "takt: scene is required; see 'takt run --help'\n");
  EXPECT_EQ(here.takt("run --wild 7 --ticks 3 --set bodies[0].position[0]=x").err.substr(0, 36),
            "takt: --set bodies[0].position[0]=x:");
  Outcome const served = here.takt("serve --wild 7 --for 0.1 --log off --port 0 --http 0 --json");
  EXPECT_EQ(served.exit_code, 0) << served.err;
  EXPECT_NE(served.out.find("\"scene\":\"wild 7\""), std::string::npos) << served.out;
}

TEST(RunCommand, BadUsageIsOneLineAndExitCode2) {
  Workplace const here;
  auto const refused = [&](const std::string& arguments) {
    Outcome const run = here.takt(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    return run.err;
  };
  std::string const stack = scene_path("stack");
  EXPECT_EQ(refused("run none.json --ticks 3"),
            "takt: none.json: cannot be opened: No such file or directory\n");
  EXPECT_EQ(refused("run . --ticks 3"), "takt: .: is a directory: expected a file\n");
  EXPECT_EQ(refused("walk"), "takt: there is no command 'walk'; see 'takt --help'\n");
  EXPECT_EQ(refused("run " + stack), "takt: --ticks is required; see 'takt run --help'\n");
  for (const char* const threads : {"0", "65", "-1", "two", "2x"}) {
    EXPECT_EQ(refused("run " + stack + " --ticks 3 --threads " + threads),
              std::string("takt: --threads: allowed is auto or 1 to 64, not ") + threads +
                  "; see 'takt run --help'\n");
  }
  EXPECT_NE(refused("run " + stack + " --ticks 3 --lanes 3").find("3 not in {auto,1,4,8,16}"),
            std::string::npos);
  EXPECT_NE(refused("run " + stack + " --ticks -1").find("--ticks"), std::string::npos);
  EXPECT_NE(refused("run " + stack + " --ticks 3 --numbers double").find("double not in {float,fixed}"),
            std::string::npos);
  here.write("bad.json", "{\n\"bodies\": [{\"shapes\": [{\"sphere\": {\"radius\": -1}}]}]}");
  EXPECT_EQ(
      refused("run bad.json --ticks 3"),
      "takt: bad.json:2: bodies[0].shapes[0].sphere.radius: -1 is out of range: allowed is 0.005 to 10000\n");
  here.write("i.json", "{\"inputs\": [{\"tick\": 0}]}");
  EXPECT_NE(refused("run " + stack + " --ticks 3 --inputs i.json")
                .find("takt: i.json:1: inputs[0]: an input is exactly one of"),
            std::string::npos);
  EXPECT_EQ(refused("run " + stack + " --ticks 3 --csv no/such/t.csv"),
            "takt: no/such/t.csv: cannot be created: No such file or directory\n");
}

TEST(RunCommand, AFullDiskIsSaidAndTheRunGoesOn) {
  Workplace const here;
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 200 --record /dev/full");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err,
            "takt: /dev/full: cannot be written: No space left on device; the run goes on, the recording "
            "ends here\n");
  EXPECT_TRUE(run.out.starts_with("tick 200 hash 0x")) << run.out;
}

TEST(RunCommand, InputsPastTheEndAreNotForgottenSilently) {
  Workplace const here;
  here.write("i.json", R"({"inputs": [{"tick": 9, "join": {"player": 1}}]})");
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 5 --inputs i.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "takt: i.json: 1 inputs lie past the last tick and never acted; raise --ticks\n");
}

TEST(RunCommand, AForeignLocaleChangesNothing) {
  Workplace const here;
  std::string const plain = here.takt("run " + scene_path("playground") + " --ticks 20 --csv a.csv").out;
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  std::string const foreign = here.takt("run " + scene_path("playground") + " --ticks 20 --csv b.csv").out;
  ::unsetenv("LC_ALL");
  EXPECT_EQ(hash_in(plain), hash_in(foreign));
  EXPECT_EQ(here.read("a.csv"), here.read("b.csv"));
}

TEST(Program, HelpAndVersionSucceed) {
  Workplace const here;
  Outcome const version = here.takt("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(std::regex_match(version.out, std::regex(R"(takt [0-9]+\.[0-9]+\.[0-9]+\n)"))) << version.out;
  for (const char* const arguments : {"--help", "run --help", "replay --help", "replay verify --help"}) {
    Outcome const help = here.takt(arguments);
    EXPECT_EQ(help.exit_code, 0) << arguments;
    EXPECT_NE(help.out.find("Usage: takt"), std::string::npos) << help.out;
  }
}

// The ticks before the exception were lost, and the line had the text of the exception alone.
TEST(RunCommand, AGameThatThrowsIsNamedAndTheRecordingIsClosed) {
  Workplace const here;
  here.write("i.json", R"({"inputs": [{"tick": 0, "join": {"player": 1, "name": "ann"}},
                                      {"tick": 20, "player": 1, "custom": {"text": "throw"}}]})");
  Outcome const run = here.shell("'" CRASH_GAME "' run " + scene_path("stack") +
                                 " --ticks 40 --inputs i.json --record r.takt --save s.state");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "crash-game: " + scene_path("stack") + ": tick 20: the game threw: map::at\n");
  EXPECT_FALSE(std::filesystem::exists(here.path() / "s.state")) << "the world is between two ticks";
  Outcome const info = here.shell("'" CRASH_GAME "' replay info r.takt --json");
  EXPECT_NE(info.out.find("\"end_tick\":20,\"inputs\":1,"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("\"closed\":true"), std::string::npos) << info.out;
  Outcome const verify = here.shell("'" CRASH_GAME "' replay verify r.takt");
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_TRUE(verify.out.starts_with("verified 20 ticks and 1 images: ")) << verify.out;
}

TEST(RunCommand, AGameThatThrowsAtTheStartIsNamed) {
  Workplace const here;
  here.write("scene.json",
             R"({"title": "throw", "bodies": [{"name": "throw", "shapes": [{"sphere": {}}]}]})");
  Outcome const run = here.shell("'" CRASH_GAME "' run scene.json --ticks 4 --record r.takt");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "crash-game: scene.json: tick 0: the game threw: bad scene\n");
  EXPECT_FALSE(std::filesystem::exists(here.path() / "r.takt"));
}

TEST(RunCommand, PrintsTheMessagesOfAGameAndSoDoesSeek) {
  Workplace const here;
  here.write("i.json", R"({"inputs": [{"tick": 0, "join": {"player": 1, "name": "ann"}},
                                      {"tick": 5, "player": 1, "custom": {"text": "say goal 1"}},
                                      {"tick": 610, "player": 1, "custom": {"text": "tell you have \"1\""}},
                                      {"tick": 610, "player": 1, "custom": {"text": "say \u0001\u00fc"}}]})");
  std::string const run = "'" CRASH_GAME "' run " + scene_path("stack") +
                          " --ticks 620 --inputs i.json --messages --force --record r.takt";
  Outcome const text = here.shell(run);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  std::string const lines =
      "tick 6: to all: goal 1\ntick 611: to player 1: you have \"1\"\ntick 611: to all: 0x01c3bc\n";
  EXPECT_TRUE(text.out.starts_with(lines + "tick 620 hash 0x")) << text.out;
  // The nearest image is that of tick 600, and the messages are those since the first one.
  Outcome const seek = here.shell("'" CRASH_GAME "' replay seek r.takt --tick 620 --messages");
  EXPECT_EQ(seek.exit_code, 0) << seek.err;
  EXPECT_TRUE(seek.out.starts_with(lines + "tick 620 hash 0x")) << seek.out;
  EXPECT_EQ(lines_of(here.shell("'" CRASH_GAME "' replay seek r.takt --tick 620").out).back(),
            lines_of(seek.out).back());
  Outcome const json = here.shell(run + " --json");
  EXPECT_TRUE(
      json.out.starts_with("{\"tick\":6,\"player\":null,\"message\":\"goal 1\"}\n"
                           R"({"tick":611,"player":1,"message":"you have \"1\""})"
                           "\n{\"tick\":611,\"player\":null,\"message_hex\":\"01c3bc\"}\n"
                           "{\"tick\":620,"))
      << json.out;
}

TEST(RunCommand, HasNoMessagesWithoutGames) {
  Workplace const here;
  EXPECT_EQ(here.takt("run " + scene_path("stack") + " --ticks 1 --messages").exit_code, 2);
}

}  // namespace
}  // namespace takt::cli_test
