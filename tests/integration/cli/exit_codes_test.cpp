// Every command ends with an exit code of one table: 0 done, 1 the run or check failed, 2 bad usage or input.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/integration/cli/file_options.h"
#include "tests/integration/cli/listener.h"

namespace takt::cli_test {
namespace {

struct Case {
  const char* command;
  int exit_code;
  const char* arguments;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"run", 0, "p.json --ticks 2"},
      {"run", 0, "--help"},
      {"run", 0, "p.json --ticks 5 --sync-test 2"},
      {"run", 1, "p.json --ticks 2 --record /dev/full"},
      {"run", 1, "p.json --ticks 0 --inputs i.json"},
      {"run", 2, "p.json"},
      {"run", 2, "p.json --ticks 2 --no-such-option"},
      {"run", 2, "none.json --ticks 2"},
      {"run", 2, "o.takt --ticks 2"},
      {"run", 2, "p.json --ticks 2 --csv no/such/t.csv"},
      {"batch", 2, ""},
      {"batch run", 0, "b.json --results new"},
      {"batch run", 0, "b.json --results results --shard 1/3"},
      {"batch run", 1, "files.json --results files"},
      {"batch run", 2, "b.json"},
      {"batch run", 2, "p.json --results new"},
      {"batch run", 2, "none.json --results new"},
      {"batch run", 2, "b.json --results scenes"},
      {"batch run", 2, "b.json --results no/such"},
      {"batch run", 2, "b.json --results results --shard 4/3"},
      {"batch merge", 0, "b.json --results results --csv b.csv"},
      {"batch merge", 1, "b.json --results results --csv /dev/full"},
      {"batch merge", 1, "b.json --results part --csv b.csv"},
      {"batch merge", 2, "b.json --results none --csv b.csv"},
      {"batch merge", 2, "b.json --results results --csv no/such/b.csv"},
      {"batch status", 0, "b.json --results results"},
      {"batch status", 1, "b.json --results part"},
      {"batch status", 2, "b.json --results none"},
      {"batch verify", 0, "b.json b.table --repeat 2"},
      {"batch verify", 1, "b.json b.table --digest 0"},
      {"batch verify", 1, "b.json p.json"},
      {"batch verify", 2, "b.json none"},
      {"serve", 0, "--scene p.json --port 0 --bind 127.0.0.1 --http 0 --log off --for 0.1"},
      {"serve", 1,
       "--scene p.json --port 0 --bind 127.0.0.1 --http 0 --log off --for 0.1 --record /dev/full"},
      {"serve", 2, ""},
      {"serve", 2, "--scene none.json"},
      {"serve", 2, "--scene p.json --scenes none"},
      {"serve", 2, "--scene p.json --bind nowhere"},
      {"serve", 2, "--scene p.json --port 0 --http auto --tls-cert none.pem --tls-key c.key"},
      {"bot", 1, "--connect 127.0.0.1:1 --tcp --for 0.2"},
      {"bot", 1, "--connect 127.0.0.1:1 --udp --for 0.2"},
      {"bot", 2, ""},
      {"bot", 2, "--connect nowhere"},
      {"bot", 2, "--connect [fe80::1%no.such]:7777"},
      {"bot", 2, "--connect [fe80::1%no.such]:7777 --mode rollback"},
      {"bot", 1, "--connect 127.0.0.1:1 --mode rollback --tcp --for 0.2"},
      {"bot", 2, "--connect 127.0.0.1:1 --mode rollback --inspect ropes"},
      {"bot", 1, "--connect 127.0.0.1:1 --mode predicted --udp --for 0.2"},
      {"bot", 2, "--connect 127.0.0.1:1 --mode predicted --inspect ropes"},
      {"bot", 2, "--connect 127.0.0.1:1 --mode predicted --desync-dir desyncs"},
      {"bot", 2, "--connect 127.0.0.1:1 --mode foreseen"},
      {"ping", 1, "127.0.0.1:1 --count 1 --timeout-ms 50"},
      {"ping", 2, ""},
      {"ping", 2, "127.0.0.1:0"},
      {"ping", 2, "tcp://127.0.0.1:1"},
      {"ping", 1, "255.255.255.255 --count 1 --timeout-ms 50"},
      {"ping", 2, "[fe80::1%no.such]"},
      {"relay", 0, "--listen 127.0.0.1:0 --for 0.1"},
      {"relay", 2, "--listen nowhere"},
      {"relay", 2, "--listen nowhere:0"},
      {"service", 0, "--listen unix:s.sock --listen tcp:127.0.0.1:0 --for 0.1"},
      {"service", 2, ""},
      {"service", 2, "--listen nowhere"},
      {"service", 2, "--listen unix:p.json"},
      {"service", 2, "--listen unix:no/such/s.sock"},
      {"service", 2, "--listen tcp:0.0.0.0:0"},
      {"service", 2, "--listen unix:s.sock --token none"},
      {"service", 2, "--listen unix:s.sock --token new"},
      {"shot", 2, "p.json"},
      {"shot", 2, "none.json --out a.png"},
      {"shot", 2, "p.json --out a.png --browser none"},
      {"replay info", 0, "o.takt"},
      {"replay info", 0, "cut.takt"},
      {"replay info", 2, ""},
      {"replay info", 2, "none.takt"},
      {"replay info", 2, "p.json"},
      {"replay verify", 0, "o.takt"},
      {"replay verify", 0, "cut.takt"},
      {"replay verify", 1, "bad.takt"},
      {"replay verify", 2, "none.takt"},
      {"replay verify", 2, "p.json"},
      {"replay play", 0, "o.takt --bind 127.0.0.1 --http 0 --for 0.1"},
      {"replay play", 2, "none.takt"},
      {"replay play", 2, "p.json"},
      {"replay play", 2, "o.takt --bind nowhere"},
      {"replay play", 2, "o.takt --port 0 --http auto --tls-cert none.pem --tls-key c.key"},
      {"replay seek", 0, "o.takt --tick 1"},
      {"replay seek", 1, "o.takt --tick 1 --csv /dev/full"},
      {"replay seek", 1, "o.takt --tick 1 --save /dev/full"},
      {"replay seek", 2, "o.takt"},
      {"replay seek", 2, "o.takt --tick 3"},
      {"replay seek", 2, "p.json --tick 1"},
      {"replay seek", 2, "bad.takt --tick 90"},
      {"replay inputs", 0, "o.takt"},
      {"replay inputs", 1, "bad.takt"},
      {"replay inputs", 2, "o.takt --tick 2"},
      {"replay inputs", 2, "p.json"},
      {"replay bisect", 0, "o.takt"},
      {"replay bisect", 1, "bad.takt"},
      {"replay bisect", 2, "none.takt"},
      {"replay bisect", 2, "p.json"},
      {"replay diff", 0, "o.takt o2.takt"},
      {"replay diff", 1, "o.takt other.takt"},
      {"replay diff", 2, "o.takt"},
      {"replay diff", 2, "o.takt none.takt"},
      {"replay diff", 2, "o.takt p.json"},
      {"replay diff", 2, "o.takt fixed.takt"},
      {"replay diff", 2, "long.takt bad.takt"},
      {"replay", 2, ""},
      {"replay", 2, "unpack"},
      {"lockstep-test", 0, "p.json --ticks 2"},
      {"lockstep-test", 1, "p.json --ticks 2 --builds true false"},
      {"lockstep-test", 1, "p.json --ticks 2 --junit /dev/full"},
      {"lockstep-test", 2, "none.json"},
      {"lockstep-test", 2, "p.json --lanes 3"},
      {"lockstep-test", 2, "p.json --inputs i.json --ticks 0"},
      {"lockstep-test", 2, "p.json --builds none none"},
      {"lockstep-test", 2, "p.json --junit no/such/r.xml"},
      {"lockstep-peer", 0, "p.json </dev/null"},
      {"lockstep-peer", 1, "p.json <p.json"},
      {"lockstep-peer", 2, "none.json"},
      {"completion", 0, "bash"},
      {"completion", 1, "bash >/dev/full"},
      {"completion", 2, "tcsh"},
      {"token", 2, ""},
      {"token", 2, "forge"},
      {"token keygen", 0, "new.keys"},
      {"token keygen", 1, "/dev/full"},
      {"token keygen", 2, ""},
      {"token keygen", 2, "p.json"},
      {"token keygen", 2, "no/such/new.keys"},
      {"token mint", 0, "--keys k.keys --user 1"},
      {"token mint", 1, "--keys k.keys --user 1 --out /dev/full"},
      {"token mint", 2, "--keys k.keys"},
      {"token mint", 2, "--keys none.keys --user 1"},
      {"token mint", 2, "--keys p.json --user 1"},
      {"token mint", 2, "--keys k.keys --user 1 --key 9"},
      {"token mint", 2, "--keys k.keys --user 1 --server nowhere"},
      {"token mint", 2, "--keys k.keys --user 1 --name 012345678901234567890123456789012"},
      {"token inspect", 0, "t.token"},
      {"token inspect", 0, "t.token --keys k.keys"},
      {"token inspect", 1, "t.token --keys other.keys"},
      {"token inspect", 2, "none.token"},
      {"token inspect", 2, "p.json"},
      {"token inspect", 2, "t.token --keys p.json"},
      {"completion", 2, ""},
      {"man", 0, ""},
      {"man", 0, "run"},
      {"man", 2, "walk"},
      {"walk", 2, ""},
      {"", 2, ""},
      {"--help", 0, ""},
      {"--version", 0, ""},
  };
  return kCases;
}

class ExitCodes : public ::testing::Test {
 protected:
  void SetUp() override {
    make_files(here);
    ASSERT_EQ(here.takt("token keygen other.keys").exit_code, 0);
    make_recording("other", "--substeps 2 --ticks 2");
    ASSERT_EQ(here.takt("batch run b.json --results part --shard 1/3").exit_code, 0);
    // The folder in the place of the recording makes the run fail.
    here.write("files.json", R"({"runs": [{"scene": "p.json", "ticks": 1, "csv_every": 1}]})");
    ASSERT_EQ(here.takt("batch run files.json --results files").exit_code, 0);
    ASSERT_EQ(here.shell("rm files/*.rows").exit_code, 0);
    std::filesystem::remove(here.path() / "files/run-000000.csv");
    std::filesystem::create_directory(here.path() / "files/run-000000.csv");
    make_recording("fixed", "--numbers fixed --ticks 2");
    make_recording("long", "--ticks 90");
    std::string bytes = here.read("long.takt");
    here.write("cut.takt", bytes.substr(0, bytes.size() - 300));
    bytes[bytes.size() - 900] = static_cast<char>(bytes[bytes.size() - 900] ^ 1);
    here.write("bad.takt", bytes);
  }
  void make_recording(const std::string& name, const std::string& arguments) {
    Outcome const run = here.takt("run p.json " + arguments + " --record " + name + ".takt");
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  Workplace here;
};

TEST_F(ExitCodes, AllCommandsFollowOneTable) {
  for (const Case& one : cases()) {
    Outcome const run = here.takt(std::string(one.command) + ' ' + one.arguments);
    EXPECT_EQ(run.exit_code, one.exit_code) << one.command << ' ' << one.arguments << '\n'
                                            << run.out << run.err;
    if (one.exit_code == 0) continue;
    // The peer's reason is a line of its protocol, and the missing runs are the report of a status.
    bool const prints_the_difference =
        (std::string(one.command) == "replay diff" || std::string(one.command) == "lockstep-peer" ||
         std::string(one.command) == "batch status") &&
        one.exit_code == 1;
    EXPECT_EQ(run.err.starts_with("takt: "), !prints_the_difference) << one.command << ' ' << one.arguments;
    if (one.exit_code == 2) {
      EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    }
  }
}

TEST_F(ExitCodes, APictureThatFailsIsAFailure) {
  std::string const shot =
      "PATH=\"$PWD/bin:$PATH\"; export PATH; \"$TAKT\" shot p.json --viewer viewer "
      "--browser bin/browser --out a.png";
  EXPECT_EQ(here.shell(shot).exit_code, 0) << here.read("err.txt");
  EXPECT_EQ(here.shell("export NODE_ENDS_WITH=1; " + shot).exit_code, 1);
}

TEST_F(ExitCodes, ABotThatLosesItsServerFails) {
  Listener const silent;
  EXPECT_EQ(here.takt("bot --tcp --for 0.3 --connect 127.0.0.1:" + std::to_string(silent.port())).exit_code,
            1);
}

TEST_F(ExitCodes, TheTableHasEveryCommand) {
  std::set<std::string> listed;
  for (const Case& one : cases()) listed.insert(one.command);
  for (const char* const command : {"", "batch ", "replay ", "token "}) {
    bool is_list = false;
    for (const std::string& line : lines_of(here.takt(std::string(command) + "--help").out)) {
      if (!line.starts_with(' ')) is_list = line.starts_with("Subcommands:");
      if (is_list && line.starts_with("  ") && line[2] != ' ') {
        EXPECT_TRUE(listed.contains(command + line.substr(2, line.find(' ', 2) - 2))) << line;
      }
    }
  }
}

}  // namespace
}  // namespace takt::cli_test
