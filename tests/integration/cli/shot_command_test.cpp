// `takt shot` of a recording, with a node that writes its arguments instead of a picture.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/cli/file_options.h"

namespace takt::cli_test {
namespace {

class ShotOfARecording : public ::testing::Test {
 protected:
  void SetUp() override {
    make_files(here);
    here.write("bin/node", "#!/bin/sh\necho \"$@\"\n");
    ASSERT_EQ(here.takt("run p.json --ticks 60 --record long.takt").exit_code, 0);
    ASSERT_EQ(here.takt("run p.json --ticks 20 --save s.state --record skipped.takt").exit_code, 0);
    ASSERT_EQ(here.takt("run p.json --ticks 5 --from s.state --record late.takt").exit_code, 0);
  }
  Outcome shot(const std::string& arguments) {
    return here.shell("PATH=\"$PWD/bin:$PATH\"; \"$TAKT\" shot --viewer viewer --browser bin/browser " +
                      arguments);
  }
  Workplace here;
};

TEST_F(ShotOfARecording, TakesATickOfIt) {
  Outcome const shown = shot("long.takt --ticks 40 --out a.png");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find(" --tick 40 "), std::string::npos) << shown.out;
  Outcome const late = shot("late.takt --out a.png");  // its first tick
  EXPECT_EQ(late.exit_code, 0) << late.err;
  EXPECT_NE(late.out.find(" --tick 20 "), std::string::npos) << late.out;
  EXPECT_EQ(shot("long.takt --ticks 0 --gif a.gif --seconds 1 --fps 20").exit_code, 0)
      << here.read("err.txt");
}

TEST_F(ShotOfARecording, RefusesTicksThatItDoesNotHave) {
  auto const refused = [&](const std::string& arguments) {
    Outcome const shown = shot(arguments);
    EXPECT_EQ(shown.exit_code, 2) << arguments;
    return shown.err;
  };
  EXPECT_EQ(refused("long.takt --ticks 61 --out a.png"),
            "takt: long.takt: --ticks 61 is not in it: allowed is 0 to 60\n");
  EXPECT_EQ(refused("late.takt --ticks 19 --out a.png"),
            "takt: late.takt: --ticks 19 is not in it: allowed is 20 to 25\n");
  EXPECT_EQ(
      refused("long.takt --gif a.gif --seconds 2 --fps 20"),
      "takt: long.takt: the clip ends at tick 117, the recording has ticks 0 to 60; shorten --seconds or "
      "begin earlier with --ticks\n");
  for (const char* const option :
       {"--numbers fixed", "--hz 30", "--substeps 2", "--seed 1", "--set title=x"}) {
    std::string const name = std::string(option).substr(0, std::string(option).find(' '));
    EXPECT_EQ(
        refused(std::string("long.takt --out a.png ") + option),
        "takt: " + name + ": long.takt is a recording and shows what was recorded; leave the option out\n");
  }
  EXPECT_FALSE(std::filesystem::exists(here.path() / "a.png"));
}

}  // namespace
}  // namespace takt::cli_test
