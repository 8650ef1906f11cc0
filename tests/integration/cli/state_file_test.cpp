// `takt run --save` and `--from`: a run in two parts is the run in one, and a state of something else is
// refused.
#include <gtest/gtest.h>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

// "tick 30 hash 0x<16 hex> bodies 11"
std::string end_of(const Outcome& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out.substr(0, run.out.find(" ms/tick"));
}

TEST(StateFile, ARunInTwoPartsIsTheRunInOne) {
  Workplace const here;
  for (const char* const numbers : {"float", "fixed"}) {
    std::string const base = "run " + scene_path("playground") + " --inputs i.json --numbers " + numbers;
    here.write("i.json", R"({"inputs": [{"tick": 10, "impulse": {"body": "jack", "impulse": [10, 0, 0]}},
      {"tick": 40, "impulse": {"body": "jack", "impulse": [0, 50, 0]}}]})");
    std::string const whole = end_of(here.takt(base + " --ticks 60 --csv whole.csv --csv-every 60"));
    (void)here.takt(base + " --ticks 25 --save s.state");
    EXPECT_EQ(here.read("err.txt"),
              "takt: i.json: 1 inputs lie past the last tick and never acted; raise --ticks\n");
    EXPECT_EQ(end_of(here.takt(base + " --ticks 35 --from s.state --record r.takt --force --csv parts.csv")),
              whole);
    EXPECT_EQ(here.takt("replay verify r.takt").exit_code, 0) << here.read("err.txt");
    EXPECT_EQ(lines_of(here.read("parts.csv")).back(), lines_of(here.read("whole.csv")).back());
    EXPECT_EQ(end_of(here.shell("\"$TAKT\" " + base + " --ticks 25 --save - 2>note | \"$TAKT\" " + base +
                                " --ticks 35 --from /dev/stdin")),
              whole);
  }
}

TEST(StateFile, AStateOfSomethingElseIsRefusedByName) {
  Workplace const here;
  std::string const stack = scene_path("stack");
  ASSERT_EQ(here.takt("run " + stack + " --ticks 3 --save s.state").exit_code, 0);
  std::string bytes = here.read("s.state");
  auto const refused = [&](const std::string& arguments) {
    Outcome const run = here.takt("run --ticks 1 " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    return run.err;
  };
  EXPECT_EQ(refused(stack + " --from s.state --numbers fixed"),
            "takt: s.state: the state has float numbers, the run fixed; add --numbers float\n");
  for (const std::string& other : {scene_path("pyramid"), stack + " --substeps 2", stack + " --hz 120"}) {
    std::string const text = refused(other + " --from s.state");
    EXPECT_TRUE(text.starts_with("takt: s.state: the state is of a scene with hash 0x")) << text;
    EXPECT_TRUE(text.ends_with("; repeat the scene and the options of the run that saved it\n")) << text;
  }
  here.write("x.state", "hello");
  EXPECT_EQ(refused(stack + " --from x.state"),
            "takt: x.state: not a simulation image, or damaged; save it again\n");
  bytes[4] = 99;  // the version behind the magic
  here.write("v.state", bytes);
  EXPECT_EQ(refused(stack + " --from v.state"),
            "takt: v.state: the image has another format version; use the takt that wrote it\n");
  EXPECT_EQ(refused(stack + " --from none.state"),
            "takt: none.state: cannot be opened: No such file or directory\n");
}

TEST(StateFile, AFullDiskKeepsTheEarlierState) {
  Workplace const here;
  Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 1 --save /dev/full");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "takt: /dev/full: cannot be written: No space left on device\n");
}

}  // namespace
}  // namespace takt::cli_test
