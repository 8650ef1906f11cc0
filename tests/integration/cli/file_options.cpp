#include "tests/integration/cli/file_options.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/certificates/test_certificate.h"

namespace takt::cli_test {

namespace fs = std::filesystem;

const std::vector<FileCommand>& file_commands() {
  static const FileOption kRead{"file", "the recording", Use::kInput, "o.takt"};
  static const std::vector<FileCommand> kCommands{
      {"run",
       "--ticks 2",
       {{"scene", "the scene", Use::kInput, "p.json"},
        {"--inputs", "--inputs", Use::kInput, "i.json"},
        {"--from", "--from", Use::kInput, "s.state"},
        {"--save", "--save", Use::kOutput, "e.state"},
        {"--csv", "--csv", Use::kOutput, "t.csv"},
        {"--record", "--record", Use::kRecording, "r.takt"}}},
      {"lockstep-test",
       "--ticks 2",
       {{"scene", "the scene", Use::kInput, "p.json"},
        {"--inputs", "--inputs", Use::kInput, "i.json"},
        {"--junit", "--junit", Use::kOutput, "j.xml"}}},
      {"lockstep-peer",
       "</dev/null",
       {{"scene", "the scene", Use::kInput, "p.json"}, {"--inputs", "--inputs", Use::kInput, "i.json"}}},
      {"batch run",
       "",
       {{"plan", "the plan", Use::kInput, "b.json"},
        {"--results", "--results", Use::kInputFolder, "results"}}},
      {"batch merge",
       "",
       {{"plan", "the plan", Use::kInput, "b.json"},
        {"--results", "--results", Use::kInputFolder, "results"},
        {"--csv", "--csv", Use::kOutput, "b.csv"}}},
      {"batch status",
       "",
       {{"plan", "the plan", Use::kInput, "b.json"},
        {"--results", "--results", Use::kInputFolder, "results"}}},
      {"batch verify",
       "",
       {{"plan", "the plan", Use::kInput, "b.json"}, {"table", "the table", Use::kInput, "b.table"}}},
      {"serve",
       "--port 0 --bind 127.0.0.1 --http auto --http-bind 127.0.0.1 --log off --replicas --for 0.1",
       {{"--scene", "--scene", Use::kInput, "p.json"},
        {"--scenes", "--scenes", Use::kInputFolder, "scenes"},
        {"--viewer", "--viewer", Use::kInputFolder, "viewer"},
        {"--token-keys", "--token-keys", Use::kInput, "k.keys"},
        {"--identity", "--identity", Use::kInput, "id.key"},
        {"--tls-cert", "--tls-cert", Use::kInput, "c.pem"},
        {"--tls-key", "--tls-key", Use::kInput, "c.key"},
        {"--desync-dir", "--desync-dir", Use::kReportFolder, "desyncs"},
        {"--record", "--record", Use::kRecording, "r.takt"}}},
      {"bot",
       "--connect 127.0.0.1:1 --mode rollback --for 0.1",
       {{"--token", "--token", Use::kInput, "t.token"},
        {"--desync-dir", "--desync-dir", Use::kReportFolder, "desyncs"}}},
      {"replay seek",
       "--tick 1",
       {kRead, {"--csv", "--csv", Use::kOutput, "t.csv"}, {"--save", "--save", Use::kOutput, "e.state"}}},
      {"replay inputs", "", {kRead}},
      {"replay info", "", {kRead}},
      {"replay verify", "", {kRead}},
      {"replay bisect", "", {kRead}},
      {"replay diff", "", {kRead, {"second-recording", "second-recording", Use::kInput, "o2.takt"}}},
      {"replay play",
       "--bind 127.0.0.1 --http auto --http-bind 127.0.0.1 --for 0.1",
       {kRead,
        {"--viewer", "--viewer", Use::kInputFolder, "viewer"},
        {"--tls-cert", "--tls-cert", Use::kInput, "c.pem"},
        {"--tls-key", "--tls-key", Use::kInput, "c.key"}}},
      // Reads its file and adds to it, so it replaces no other.
      {"token keygen", "", {{"keys", "keys", Use::kInput, "k.keys"}}},
      {"token mint",
       "--user 1 --server " + std::string(250, 'a') + ":1 --server " + std::string(250, 'b') + ":1",
       {{"--keys", "--keys", Use::kInput, "k.keys"}, {"--out", "--out", Use::kOutput, "new.token"}}},
      {"token inspect",
       "",
       {{"token", "token", Use::kInput, "t.token"}, {"--keys", "--keys", Use::kInput, "k.keys"}}},
      {"shot",
       "--ticks 1",
       {{"scene", "the scene", Use::kInput, "p.json"},
        {"--browser", "--browser", Use::kInput, "bin/browser"},
        {"--viewer", "--viewer", Use::kInputFolder, "viewer"},
        {"--out", "--out", Use::kOutput, "a.png"},
        {"--gif", "--gif", Use::kOutput, "a.gif"},
        {"--webm", "--webm", Use::kOutput, "a.webm"}},
       "PATH=\"$PWD/bin:$PATH\"; export PATH"},
  };
  return kCommands;
}

std::string FileCommand::line(const std::vector<Value>& values) const {
  std::string words = name;
  for (const FileOption& option : options) {
    std::string value = option.is_output() ? std::string() : option.value;
    for (const Value& other : values)
      if (other.option == &option) value = other.value;
    if (!value.empty()) words += (option.is_positional() ? " " : " " + option.name + " ") + "'" + value + "'";
  }
  return (setup.empty() ? "" : setup + "; ") + "\"$TAKT\" " + words + " " + fixed;
}

void make_files(const Workplace& here) {
  fs::create_directories(here.path() / "scenes");
  fs::create_directories(here.path() / "viewer/tools");
  fs::create_directories(here.path() / "bin");
  fs::create_directories(here.path() / "desyncs");
  fs::copy_file(scene_path("stack"), here.path() / "p.json");
  fs::copy_file(scene_path("stack"), here.path() / "scenes/q.json");
  here.write("i.json", R"({"inputs": [{"tick": 0, "join": {"player": 1}}]})");
  here.write("viewer/index.html", "<!doctype html>");
  here.write("viewer/tools/shot.mjs", "");
  here.write("bin/browser", "#!/bin/sh\n");
  here.write("bin/node", R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --out|--gif|--webm) printf picture > "$2" || exit 1;; esac
  shift
done
exit ${NODE_ENDS_WITH:-0}
)");
  for (const char* const program : {"bin/browser", "bin/node"})
    fs::permissions(here.path() / program, fs::perms::owner_all);
  Outcome const saved = here.takt("run p.json --ticks 0 --save s.state");
  if (saved.exit_code != 0) throw std::runtime_error(saved.err);
  // Eight runs: their table has more than 512 bytes.
  here.write("b.json", R"({"defaults": {"scene": "p.json", "ticks": 2}, "runs": [{"seed_count": 8}]})");
  Outcome const merged = here.shell(
      "\"$TAKT\" batch run b.json --results results && "
      "\"$TAKT\" batch merge b.json --results results --csv b.table");
  if (merged.exit_code != 0) throw std::runtime_error(merged.err);
  Outcome const minted = here.shell(
      "\"$TAKT\" token keygen k.keys && \"$TAKT\" token mint --keys k.keys --user 1 --out t.token");
  if (minted.exit_code != 0) throw std::runtime_error(minted.err);
  // Beside the files that the header lists.
  takt::test::TestCertificate const certificate = takt::test::make_certificate("localhost");
  here.write("c.pem", certificate.certificate);
  here.write("c.key", certificate.key);
  here.write("id.key", std::string(43, 'A') + '\n');
  for (const char* const secret : {"c.key", "id.key"})
    fs::permissions(here.path() / secret, fs::perms::owner_read | fs::perms::owner_write);
  for (const char* const name : {"o.takt", "o2.takt"}) {
    Outcome const run = here.takt(std::string("run p.json --ticks 2 --record ") + name);
    if (run.exit_code != 0) throw std::runtime_error(run.err);
  }
}

std::vector<std::string> inventory(const Workplace& here) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(here.path())) {
    std::string const name = entry.path().lexically_relative(here.path()).string();
    if (name == "out.txt" || name == "err.txt") continue;
    out.push_back(name + (entry.is_symlink()        ? " -> " + fs::read_symlink(entry.path()).string()
                          : entry.is_regular_file() ? ": " + here.read(name)
                                                    : ""));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace takt::cli_test
