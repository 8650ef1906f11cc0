// takt lockstep-test with real programs: equal ones, a planted change of one ULP, and programs that end, hang
// or print nonsense. lockstep_peer (tests/determinism) is the program with the planted change.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

constexpr const char* kNudgingPeer = TAKT_LOCKSTEP_PEER;

// Two bodies that fly freely: nothing spreads a difference to another record.
constexpr const char* kFlight = R"({"bodies": [
  {"position": [0, 500, 0], "velocity": [3, 0, 0], "shapes": [{"sphere": {}}]},
  {"position": [5, 500, 0], "velocity": [1.1, 0, 0], "shapes": [{"box": {}}]}]})";

class LockstepCommand : public testing::Test {
 protected:
  void SetUp() override { here.write("flight.json", kFlight); }
  void write_program(const std::string& name, const std::string& commands) const {
    here.write(name, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(here.path() / name, std::filesystem::perms::owner_all);
  }
  Workplace here;
};

TEST_F(LockstepCommand, LanesThreadsAndRollbacksAreEqual) {
  for (char const* const options :
       {"--lanes 8,16", "--threads 1,3", "--sync-test 0,4", "--numbers fixed --lanes 1,8",
        "--numbers fixed --threads 3,1 --sync-test 2"}) {
    Outcome const run = here.takt("lockstep-test " + scene_path("pile") + " --ticks 40 " + options);
    EXPECT_EQ(run.exit_code, 0) << options << run.out << run.err;
    EXPECT_TRUE(run.out.starts_with("equal: 40 ticks, tick 40 hash 0x")) << options << run.out;
  }
}

TEST_F(LockstepCommand, TheHashIsThatOfRun) {
  here.write("push.json", R"({"inputs": [{"tick": 0, "join": {"player": 1, "name": "ann"}},
    {"tick": 5, "player": 1, "impulse": {"body": "0", "impulse": [5, 0, 0]}}]})");
  here.write("open.json", R"({"players": {"push": "anything"}, )" + std::string(kFlight + 1));
  Outcome const run = here.takt("run open.json --ticks 20 --inputs push.json");
  Outcome const test = here.takt("lockstep-test open.json --ticks 20 --inputs push.json");
  ASSERT_EQ(test.exit_code, 0) << test.err;
  std::string const hash = "tick 20 hash 0x";
  EXPECT_EQ(run.out.substr(run.out.find(hash), hash.size() + 16),
            test.out.substr(test.out.find(hash), hash.size() + 16));
}

TEST_F(LockstepCommand, APlantedChangeOfOneUlpIsNamedInItsTick) {
  std::string const peer = kNudgingPeer;
  for (char const* const mode : {"float", "fixed"}) {
    Outcome const run =
        here.takt("lockstep-test " + scene_path("cradle") + " --ticks 60 --junit r.xml --numbers " + mode +
                  " --builds '" + peer + " --nudge 0' '" + peer + " --nudge 17'");
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_TRUE(run.out.starts_with("first different tick: 17\nA hash 0x")) << run.out;
    EXPECT_NE(run.out.find("\ndifferent parts: bodies\nbody.record["), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(".linear_velocity.x: "), std::string::npos) << run.out;
    bool const has_ulps = run.out.find(", 1 ULP\n") != std::string::npos;
    EXPECT_EQ(has_ulps, std::string(mode) == "float") << run.out;
    std::string const xml = here.read("r.xml");
    EXPECT_NE(xml.find(R"(<testsuites tests="1" failures="1" errors="0" time=")"), std::string::npos) << xml;
    EXPECT_NE(xml.find(R"(<failure message="tick 17: body.record[)"), std::string::npos) << xml;
  }
}

TEST_F(LockstepCommand, TheDifferenceIsOneJsonObject) {
  std::string const peer = kNudgingPeer;
  Outcome const run = here.takt("lockstep-test " + scene_path("cradle") + " --ticks 60 --json --builds '" +
                                peer + " --nudge 0' '" + peer + " --nudge 17'");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(lines_of(run.out).size(), 1u);
  for (char const* const part :
       {R"("equal":false,"first_tick":0,"final_tick":17,)", R"("difference":{"tick":17,"hashes":["0x)",
        R"("parts":["bodies"],"record":"body.record[)", R"("ulps":1}]},"failure":null})"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << run.out;
}

// A stand-in that edits the hash of a tick: no record differs.
TEST_F(LockstepCommand, AnEditedHashIsFoundInItsTick) {
  write_program("edit.sh", "\"$TAKT\" \"$@\" | sed -u 's/^\\(tick 7 hash\\) .*/\\1 0x0123456789abcdef/'");
  Outcome const run = here.takt("lockstep-test flight.json --ticks 20 --builds \"$TAKT\" ./edit.sh");
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_TRUE(run.out.starts_with("first different tick: 7\n")) << run.out;
  EXPECT_NE(run.out.find("every record is equal: the two programs hash one state in different ways\n"),
            std::string::npos)
      << run.out;
}

TEST_F(LockstepCommand, AProgramThatFailsIsOneErrorThatNamesIt) {
  write_program("hang.sh", "exec sleep 60");
  write_program("die.sh", "\"$TAKT\" \"$@\" | (sed -u 4q; kill -9 $$)");
  write_program("liar.sh", "\"$TAKT\" \"$@\" | sed -u 's/^tick 3 .*/all is well/'");
  struct LockstepCase {
    const char* builds;
    const char* error;
  };
  for (const LockstepCase& c : std::vector<LockstepCase>{
           {"\"$TAKT\" false", "program B (false lockstep-peer flight.json "},
           {"echo \"$TAKT\"", "program A (echo lockstep-peer flight.json "},
           {"\"$TAKT\" ./hang.sh", "): it answered nothing within the time limit\n"},
           {"./die.sh \"$TAKT\"", "): it was killed by signal 9\n"},
           {"\"$TAKT\" ./liar.sh",
            "): it answers 'all is well' to 'step' instead of 'tick 3 hash 0x...'\n"}}) {
    auto const begin = std::chrono::steady_clock::now();
    std::string const patience = std::string(c.builds).find("hang") != std::string::npos ? "3" : "60";
    Outcome const run = here.takt("lockstep-test flight.json --ticks 20 --timeout " + patience +
                                  " --junit r.xml --builds " + c.builds);
    EXPECT_EQ(run.exit_code, 1) << c.builds;
    EXPECT_EQ(run.out, "") << c.builds;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    EXPECT_TRUE(run.err.starts_with("takt: program ")) << run.err;
    EXPECT_NE(run.err.find(c.error), std::string::npos) << run.err;
    EXPECT_NE(here.read("r.xml").find("<error message=\"program "), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
  }
}

TEST_F(LockstepCommand, BadUsageStartsNoProgram) {
  here.write("late.json", R"({"inputs": [{"tick": 600, "join": {"player": 1, "name": "ann"}}]})");
  struct LockstepCase {
    const char* arguments;
    const char* error;
  };
  for (const LockstepCase& c : std::vector<LockstepCase>{
           {"flight.json --lanes 8,3",
            "takt: --lanes: allowed is auto, 1, 4, 8 or 16, not 3; see 'takt lockstep-test --help'\n"},
           {"flight.json --lanes 8,16,4",
            "takt: --lanes: allowed is auto, 1, 4, 8 or 16, not 16,4; see 'takt lockstep-test --help'\n"},
           {"flight.json --sync-test 0,1025",
            "takt: --sync-test: allowed is 0 to 1024, not 1025; see 'takt lockstep-test --help'\n"},
           {"flight.json --builds takt", "takt: --builds: "},
           {"flight.json --builds ./none ./none",
            "takt: --builds: './none' is no program that can be run; name the path of a takt, or a command "
            "with its words\n"},
           {"-", "takt: the scene cannot be stdin: each program reads it by itself; write it to a file\n"},
           {"flight.json --inputs late.json",
            "takt: late.json: 1 inputs lie past the last tick; raise --ticks\n"},
           {"none.json", "takt: none.json: "}}) {
    Outcome const run = here.takt(std::string("lockstep-test ") + c.arguments);
    EXPECT_EQ(run.exit_code, 2) << c.arguments;
    EXPECT_TRUE(run.err.starts_with(c.error)) << run.err;
  }
}

TEST_F(LockstepCommand, RunFindsNoDifferenceInASoundWorld) {
  Outcome const run = here.takt("run " + scene_path("ropes") + " --ticks 20 --sync-test 5");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("sync test: 20 ticks, 90 repeated, all equal\n")) << run.out;
}

}  // namespace
}  // namespace takt::cli_test
