// Outputs as files: an earlier file stays until the new one is whole, whatever fails. The four reproductions
// of issue 16 stand first.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "tests/integration/cli/file_options.h"

namespace takt::cli_test {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public ::testing::Test {
 protected:
  void SetUp() override { make_files(here); }
  Workplace here;
};

TEST_F(OutputFiles, ATableDoesNotOverwriteItsScene) {
  std::string const scene = here.read("p.json");
  EXPECT_EQ(here.takt("run p.json --ticks 2 --csv p.json").exit_code, 2);
  EXPECT_EQ(here.read("p.json"), scene);
}

TEST_F(OutputFiles, ATableDoesNotOverwriteItsRecording) {
  std::string const recording = here.read("o.takt");
  EXPECT_EQ(here.takt("replay seek o.takt --tick 1 --csv o.takt").exit_code, 2);
  EXPECT_EQ(here.read("o.takt"), recording);
}

TEST_F(OutputFiles, ARecordingDoesNotOverwriteItsScene) {
  std::string const scene = here.read("p.json");
  EXPECT_EQ(here.takt("serve --scene p.json --record p.json --port 0 --http 0 --for 0.1").exit_code, 2);
  EXPECT_EQ(here.read("p.json"), scene);
}

TEST_F(OutputFiles, ATableAndARecordingAreTwoFiles) {
  EXPECT_EQ(here.takt("run p.json --ticks 2 --csv both --record both").exit_code, 2);
  EXPECT_FALSE(fs::exists(here.path() / "both"));
}

// Every output of every command, by its own name and through a link.
TEST_F(OutputFiles, EachGetsItsNameAndKeepsLinksAndNothingElseStays) {
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      SCOPED_TRACE(command.name + ' ' + output.name);
      fs::create_symlink(output.value, here.path() / "link");
      std::size_t const count = inventory(here).size();
      Outcome const run = here.shell(command.line({{&output, "link"}}));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(inventory(here).size(), count + 1);
      EXPECT_TRUE(fs::is_symlink(here.path() / "link"));
      EXPECT_NE(here.read(output.value), "");
      here.write("link", output.use == Use::kRecording ? "" : "earlier");
      EXPECT_EQ(here.shell(command.line({{&output, "./" + output.value}})).exit_code, 0);
      EXPECT_EQ(inventory(here).size(), count + 1);
      EXPECT_NE(here.read(output.value), "earlier");
      EXPECT_NE(here.read(output.value), "");
      fs::remove(here.path() / "link");
      fs::remove(here.path() / output.value);
    }
  }
}

// The child processes of root lose the right to ignore permissions.
bool obey_permissions() {
  if (::geteuid() != 0) return true;
  return ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) == 0 &&
         ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) == 0;
}

TEST_F(OutputFiles, AReadOnlyFolderIsSaidAndKeepsItsFile) {
  ASSERT_TRUE(obey_permissions()) << "root needs CAP_SETPCAP to give up CAP_DAC_OVERRIDE";
  fs::create_directory(here.path() / "locked");
  fs::copy_file(here.path() / "o2.takt", here.path() / "locked/earlier.takt");
  here.write("locked/earlier", "earlier");
  fs::permissions(here.path() / "locked", fs::perms(0555));
  std::vector<std::string> const before = inventory(here);
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      bool const records = output.use == Use::kRecording;
      for (const std::string& name :
           {std::string("locked/new"), std::string(records ? "locked/earlier.takt" : "locked/earlier")}) {
        SCOPED_TRACE(command.name + ' ' + output.name + ' ' + name);
        Outcome const run = here.shell(command.line({{&output, name}}) + (records ? " --force" : ""));
        EXPECT_EQ(run.exit_code, 2);
        EXPECT_EQ(run.err, "takt: " + name +
                               ": cannot be created: Permission denied; name a file that may be written, in "
                               "a folder that takes new files\n");
        EXPECT_EQ(inventory(here), before);
      }
    }
  }
  fs::permissions(here.path() / "locked", fs::perms(0755));
}

TEST_F(OutputFiles, AReadOnlyFileIsNotReplaced) {
  ASSERT_TRUE(obey_permissions()) << "root needs CAP_SETPCAP to give up CAP_DAC_OVERRIDE";
  here.write("t.csv", "earlier");
  for (const char* const name : {"t.csv", "o2.takt"}) fs::permissions(here.path() / name, fs::perms(0444));
  std::vector<std::string> const before = inventory(here);
  for (const char* const arguments :
       {"run p.json --ticks 2 --csv t.csv", "replay seek o.takt --tick 1 --csv t.csv",
        "run p.json --ticks 2 --record o2.takt --force"}) {
    Outcome const run = here.takt(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_NE(run.err.find(": cannot be replaced: Permission denied; name a file "), std::string::npos)
        << run.err;
    EXPECT_EQ(inventory(here), before) << arguments;
  }
}

// Files that may not grow past 512 bytes: for a program the same as a disk without space.
TEST_F(OutputFiles, AFullDiskKeepsTheEarlierFileAndNoTemporary) {
  here.write("t.csv", "earlier");
  std::vector<std::string> const before = inventory(here);
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output() || command.name == "shot") continue;
      SCOPED_TRACE(command.name + ' ' + output.name);
      bool const records = output.use == Use::kRecording;
      std::string const name = records ? "o2.takt" : "t.csv";
      Outcome const run = here.shell("trap '' XFSZ; ulimit -f 1; " + command.line({{&output, name}}) +
                                     (records ? " --force" : "") + " | cat");
      EXPECT_NE(
          run.err.find("takt: " + name + ": cannot be written: File too large; the earlier file is kept"),
          std::string::npos)
          << run.err;
      EXPECT_EQ(inventory(here), before);
    }
  }
}

// A disk of 16 KiB in a mount namespace of its own. A system that grants none has files that may not grow.
struct SmallDisk {
  std::string shell, fill, reason;
};
SmallDisk small_disk(const Workplace& here) {
  std::string const mounted = "unshare -rm sh -c 'mount -t tmpfs -o size=16k none disk && ";
  if (here.shell(mounted + "true'").exit_code == 0)
    return {mounted, "head -c 12k /dev/zero >disk/fill", "No space left on device"};
  return {"sh -c '", ": >disk/fill && trap \"\" XFSZ && ulimit -f 1", "File too large"};
}

TEST_F(OutputFiles, ADiskWithoutSpaceKeepsTheEarlierFiles) {
  fs::create_directory(here.path() / "disk");
  SmallDisk const disk = small_disk(here);
  struct Case {
    std::string arguments, file, earlier, bytes;
  };
  for (const Case& one : std::vector<Case>{
           {"run p.json --ticks 200 --csv disk/t.csv", "t.csv", "echo earlier", "8"},
           {"run p.json --ticks 2 --record disk/r.takt --force", "r.takt", "head -c 100 o.takt", "100"}}) {
    Outcome const run =
        here.shell(disk.shell + one.earlier + " >disk/" + one.file + " && " + disk.fill + " && \"$TAKT\" " +
                   one.arguments + " >result; echo $?; ls -A disk; wc -c <disk/" + one.file + "'");
    EXPECT_EQ(lines_of(run.out), (std::vector<std::string>{"1", "fill", one.file, one.bytes})) << run.err;
    EXPECT_TRUE(run.err.starts_with("takt: disk/" + one.file + ": cannot be written: " + disk.reason +
                                    "; the earlier file is kept"))
        << run.err;
    fs::remove(here.path() / "disk" / one.file);
  }
}

TEST_F(OutputFiles, APictureThatFailedKeepsTheEarlierOne) {
  for (const char* const name : {"a.png", "a.gif", "a.webm"}) here.write(name, "earlier");
  std::vector<std::string> const before = inventory(here);
  for (const FileCommand& command : file_commands()) {
    if (command.name != "shot") continue;
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      Outcome const run =
          here.shell("NODE_ENDS_WITH=1; export NODE_ENDS_WITH; " + command.line({{&output, output.value}}));
      EXPECT_EQ(run.exit_code, 1) << run.err;
      EXPECT_EQ(inventory(here), before);
    }
  }
}

TEST_F(OutputFiles, APortInUseKeepsTheEarlierRecording) {
  int const listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::vector<std::string> const before = inventory(here);
  for (const char* const record : {"o2.takt --force", "new.takt"}) {
    Outcome const serve =
        here.takt("serve --scene p.json --bind 127.0.0.1 --http 0 --for 0.1 --log off --port " +
                  std::to_string(::ntohs(address.sin_port)) + " --record " + record);
    EXPECT_EQ(serve.exit_code, 2) << serve.err;
    EXPECT_EQ(inventory(here), before) << record;
  }
  ::close(listener);
}

TEST_F(OutputFiles, AFailedRunStillWritesItsWholeTable) {
  Outcome const run = here.takt("run p.json --ticks 0 --inputs i.json --csv t.csv");
  EXPECT_EQ(run.exit_code, 1);  // the input of tick 0 never acted
  EXPECT_EQ(lines_of(here.read("t.csv")).size(), 11u);
}

TEST_F(OutputFiles, StandardOutputHoldsTheOutputAlone) {
  ASSERT_EQ(here.takt("run p.json --ticks 2 --csv t.csv").exit_code, 0);
  std::string const table = here.read("t.csv");
  for (const char* const arguments :
       {"run p.json --ticks 2 --hash-every 1 --csv -", "run p.json --ticks 2 --csv /dev/stdout",
        "run p.json --ticks 2 --csv /dev/fd/1", "run p.json --ticks 2 --csv /proc/self/fd/1 | cat",
        "run p.json --ticks 2 --csv - --record /dev/null", "run p.json --ticks 2 --csv out.txt"}) {
    Outcome const run = here.takt(arguments);
    EXPECT_EQ(run.exit_code, 0) << arguments << run.err;
    EXPECT_EQ(run.out, table) << arguments;
    EXPECT_TRUE(run.err.find("tick 2 hash 0x") != std::string::npos) << arguments << run.err;
  }
  Outcome const seek = here.takt("replay seek o.takt --tick 2 --csv -");
  EXPECT_EQ(lines_of(seek.out).size(), 11u);
  EXPECT_FALSE(fs::exists(here.path() / "-"));
  Outcome const both = here.takt("run p.json --ticks 2 --csv - --record /dev/stdout");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.out, "");
}

TEST_F(OutputFiles, AClosedStandardOutputDoesNotMixIntoATable) {
  ASSERT_EQ(here.takt("run p.json --ticks 2 --csv t.csv").exit_code, 0);
  ASSERT_EQ(here.takt("run p.json --ticks 2 --csv closed.csv >&- 2>&-").exit_code, 0);
  EXPECT_EQ(here.read("closed.csv"), here.read("t.csv"));
}

TEST_F(OutputFiles, StandardOutputTakesARecordingAndAPicture) {
  for (const char* const arguments :
       {"run p.json --ticks 2 --record - >r.takt",
        "serve --scene p.json --port 0 --bind 127.0.0.1 --http 0 --for 0.2 --record - >r.takt",
        "serve --scene p.json --port 0 --bind 127.0.0.1 --http 0 --for 0.2 --record /dev/stdout | cat "
        ">r.takt"}) {
    EXPECT_EQ(here.takt(arguments).exit_code, 0) << arguments << here.read("err.txt");
    EXPECT_EQ(here.takt("replay verify r.takt").exit_code, 0) << arguments << here.read("err.txt");
  }
  for (const FileCommand& command : file_commands()) {
    if (command.name != "shot") continue;
    Outcome const shot = here.shell(command.line({{&command.options[3], "-"}}) + " | cat");
    EXPECT_EQ(shot.out, "picture") << shot.err;
  }
}

TEST_F(OutputFiles, DevicesAndFifosAreWrittenDirectly) {
  std::vector<std::string> const before = inventory(here);
  EXPECT_EQ(here.takt("run p.json --ticks 2 --csv /dev/null --record /dev/null").exit_code, 0);
  Outcome const full = here.takt("run p.json --ticks 200 --csv /dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(
      full.err,
      "takt: /dev/full: cannot be written: No space left on device; the run goes on without the table\n");
  Outcome const seek = here.takt("replay seek o.takt --tick 1 --csv /dev/full");
  EXPECT_EQ(seek.exit_code, 1);
  EXPECT_EQ(seek.err, "takt: /dev/full: cannot be written: No space left on device\n");
  EXPECT_EQ(inventory(here), before);
  Outcome const fifo = here.shell("mkfifo f; cat f & \"$TAKT\" run p.json --ticks 2 --csv f >&2; wait");
  EXPECT_EQ(lines_of(fifo.out).size(), 31u) << fifo.err;
  Outcome const descriptor = here.shell("\"$TAKT\" run p.json --ticks 2 --csv /dev/fd/5 5>d.csv");
  EXPECT_EQ(lines_of(here.read("d.csv")).size(), 31u) << descriptor.err;
}

}  // namespace
}  // namespace takt::cli_test
