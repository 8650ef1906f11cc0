// Results that get lost: a full standard output, empty names of files, and a recording that fails.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/cli/file_options.h"

namespace takt::cli_test {
namespace {

constexpr const char* kFull =
    "takt: stdout: cannot be written: No space left on device; the output there is incomplete\n";

TEST(LostOutput, AFullStandardOutputFailsEveryCommand) {
  Workplace const here;
  make_files(here);
  for (const char* const arguments :
       {"--help", "--version", "run --help", "run p.json --ticks 2", "run p.json --ticks 2 --json",
        "run p.json --ticks 2000 --hash-every 1", "replay info o.takt", "replay info o.takt --json",
        "replay verify o.takt", "replay seek o.takt --tick 1", "replay bisect o.takt",
        "replay diff o.takt o2.takt --json", "completion bash", "man run", "token inspect t.token",
        "batch status b.json --results results", "batch verify b.json b.table",
        "relay --listen 127.0.0.1:0 --for 0.1", "ping 127.0.0.1:1 --count 10000"}) {
    Outcome const run = here.takt(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(run.exit_code, 1) << arguments;
    EXPECT_TRUE(run.err.ends_with(kFull)) << arguments << '\n' << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << arguments << '\n' << run.err;
  }
}

TEST(LostOutput, AFullStandardOutputKeepsTheCodeOfBadInput) {
  Workplace const here;
  Outcome const run = here.takt("run none.json --ticks 2 >/dev/full");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;  // nothing was printed to stdout, so nothing is lost
}

TEST(LostOutput, AnEmptyNameOfAFileIsRefused) {
  Workplace const here;
  make_files(here);
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& option : command.options) {
      std::vector<std::string> const before = inventory(here);
      // A value that line() keeps, and that the shell makes empty.
      std::string line = command.line({{&option, "EMPTY"}});
      line.replace(line.find("'EMPTY'"), 7, "''");
      Outcome const run = here.shell(line);
      EXPECT_EQ(run.exit_code, 2) << line;
      EXPECT_EQ(run.err, "takt: " + option.name + ": expected a name, not an empty text; see 'takt " +
                             command.name + " --help'\n")
          << line;
      EXPECT_EQ(inventory(here), before) << line;
    }
  }
  Outcome const other = here.takt("run p.json --ticks 2 --csv --json");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(
      other.err,
      "takt: --csv: expected a name, not --json; write ./--json for such a file; see 'takt run --help'\n");
}

// The recording's name is a mount point, so the new file cannot take it.
TEST(LostOutput, ARecordingThatFailsIsToldOnce) {
  Workplace const here;
  make_files(here);
  std::string const mounted = "unshare -rm sh -c 'mount --bind o2.takt o2.takt && ";
  bool const has_mounts = here.shell(mounted + "true'").exit_code == 0;
  // The ticks suffice for several chunks after the failure.
  std::string const arguments = "\"$TAKT\" run p.json --ticks 400 --record ";
  Outcome const run =
      here.shell(has_mounts ? mounted + arguments + "o2.takt --force'" : arguments + "/dev/full");
  EXPECT_EQ(run.exit_code, 1);
  ASSERT_EQ(lines_of(run.err).size(), 1u) << run.err;
  EXPECT_TRUE(run.err.ends_with("; the run goes on, the recording ends here\n")) << run.err;
}

}  // namespace
}  // namespace takt::cli_test
