// Commands that are given one file twice, or an output that they must not replace: refused with exit code 2
// in one line, and no file changes.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <set>

#include "tests/integration/cli/file_options.h"

namespace takt::cli_test {
namespace {

namespace fs = std::filesystem;

class FileOptions : public ::testing::Test {
 protected:
  void SetUp() override { make_files(here); }

  // Runs a command that must be refused without a change, and returns its message.
  std::string refused(const std::string& line) {
    std::vector<std::string> const before = inventory(here);
    Outcome const run = here.shell(line);
    EXPECT_EQ(run.exit_code, 2) << line << '\n' << run.err;
    EXPECT_TRUE(run.err.starts_with("takt: ") && lines_of(run.err).size() == 1) << line << '\n' << run.err;
    EXPECT_EQ(inventory(here), before) << line;
    return run.err;
  }

  Workplace here;
};

// One way to write the name of a file, after links that it needs.
struct Spelling {
  const char* description;
  std::function<std::string(const Workplace& here, const std::string& name)> of;
};

const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> kSpellings{
      {"the name", [](const Workplace&, const std::string& name) { return name; }},
      {"a relative spelling",
       [](const Workplace&, const std::string& name) { return "./scenes/.././" + name; }},
      {"an absolute spelling",
       [](const Workplace& here, const std::string& name) { return (here.path() / name).string(); }},
      {"a symbolic link",
       [](const Workplace& here, const std::string& name) {
         fs::create_symlink(here.path() / name, here.path() / "soft");
         return std::string("soft");
       }},
      {"a link to a link",
       [](const Workplace& here, const std::string& name) {
         fs::create_symlink(name, here.path() / "soft");
         fs::create_symlink("soft", here.path() / "softer");
         return std::string("softer");
       }},
      {"a folder that is a link",
       [](const Workplace& here, const std::string& name) {
         fs::create_symlink(".", here.path() / "alias");
         return "alias/" + name;
       }},
      {"a hard link",  // of a new file: the name again
       [](const Workplace& here, const std::string& name) {
         if (!fs::exists(here.path() / name)) return name;
         fs::create_hard_link(here.path() / name, here.path() / "hard");
         return std::string("hard");
       }},
  };
  return kSpellings;
}

void remove_links(const Workplace& here) {
  for (const char* const name : {"soft", "softer", "alias", "hard"}) fs::remove(here.path() / name);
}

TEST_F(FileOptions, AllPairsThatNameOneFileAreRefusedInAllSpellings) {
  int pairs = 0;
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      for (const FileOption& other : command.options) {
        bool const is_after = &other > &output;
        if (&other == &output || other.is_folder() || (other.is_output() && !is_after)) continue;
        if (output.name == "--save" && other.name == "--from") continue;  // a state may replace its own
        ++pairs;
        for (const Spelling& spelling : spellings()) {
          SCOPED_TRACE(command.name + ' ' + other.name + ' ' + output.name + ": " + spelling.description);
          std::string const name = other.is_output() ? "both" : other.value;
          std::string const spelt = spelling.of(here, name);
          std::string const text = refused(command.line({{&other, name}, {&output, spelt}}));
          remove_links(here);
          if (output.name == "--gif" && other.name == "--webm") continue;  // never together
          EXPECT_NE(text.find(output.label + ' ' + spelt), std::string::npos) << text;
          EXPECT_NE(text.find(other.label + ' ' + name), std::string::npos) << text;
          EXPECT_NE(text.find(" name one file; give "), std::string::npos) << text;
        }
      }
    }
  }
  EXPECT_EQ(pairs, 32);
}

TEST_F(FileOptions, TheTableHasEveryOptionOfTheHelpTexts) {
  static const std::regex kOption(R"(^  (?:-\w,)?(--[\w-]+|[\w-]+) (?:TEXT|FILE|FOLDER).*)");
  static const std::regex kAboutFiles("[Ff]ile|[Ff]older|[Dd]irectory|[Rr]ecording");
  std::set<std::string> listed;
  for (const FileCommand& command : file_commands())
    for (const FileOption& option : command.options) listed.insert(command.name + ' ' + option.name);
  std::set<std::string> offered{"shot --browser"};  // a program, in other words
  for (const char* const command :
       {"run",         "batch run",     "batch merge", "batch status",  "batch verify",  "serve",
        "bot",         "ping",          "relay",       "shot",          "lockstep-test", "lockstep-peer",
        "replay info", "replay verify", "replay seek", "replay bisect", "replay diff",   "replay inputs",
        "replay play", "token keygen",  "token mint",  "token inspect", "completion",    "man"}) {
    Outcome const help = here.takt(std::string(command) + " --help");
    ASSERT_EQ(help.exit_code, 0);
    for (const std::string& line : lines_of(help.out)) {
      std::smatch found;
      if (std::regex_match(line, found, kOption) && std::regex_search(line, kAboutFiles))
        offered.insert(std::string(command) + ' ' + found[1].str());
    }
  }
  offered.erase("serve --resume");  // a series of files; --record beside it is refused whatever its name
  EXPECT_EQ(offered, listed);
}

TEST_F(FileOptions, TheTypesInTheHelpTextsAreThoseOfTheTable) {
  for (const FileCommand& command : file_commands()) {
    std::string const help = here.takt(command.name + " --help").out;
    for (const FileOption& option : command.options) {
      std::string const type = option.is_folder() ? "FOLDER" : "FILE";
      EXPECT_NE(help.find("\n  " + option.name + ' ' + type), std::string::npos) << option.name << help;
    }
  }
}

TEST_F(FileOptions, AStateMayReplaceTheOneThatItContinues) {
  ASSERT_EQ(here.takt("run p.json --ticks 8 --save whole").exit_code, 0);
  ASSERT_EQ(here.takt("run p.json --ticks 4 --save s.state").exit_code, 0);
  for (const Spelling& spelling : spellings()) {
    std::string const spelt = spelling.of(here, "s.state");
    SCOPED_TRACE(spelling.description);
    Outcome const run = here.takt("run p.json --ticks 4 --from s.state --save " + spelt);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(here.read(spelt), here.read("whole"));
    remove_links(here);
    ASSERT_EQ(here.takt("run p.json --ticks 4 --save s.state").exit_code, 0);
  }
  // A run that fails keeps the state that it began with, and so do other outputs and streams.
  std::string const earlier = here.read("s.state");
  Outcome const full = here.shell(
      "trap '' XFSZ; ulimit -f 1; \"$TAKT\" run p.json --ticks 4 --from s.state --save s.state | cat");
  EXPECT_NE(full.err.find("the earlier file is kept"), std::string::npos) << full.err;
  EXPECT_EQ(here.read("s.state"), earlier);
  EXPECT_NE(refused("\"$TAKT\" run p.json --ticks 4 --from s.state --csv s.state").find("name one file"),
            std::string::npos);
  EXPECT_NE(refused("\"$TAKT\" run p.json --ticks 4 --inputs s.state --from s.state --save s.state")
                .find("--save s.state and --inputs s.state name one file"),
            std::string::npos);
  EXPECT_EQ(refused("\"$TAKT\" run p.json --ticks 4 --from none --save none"),
            "takt: none: cannot be opened: No such file or directory\n");
  EXPECT_NE(refused("\"$TAKT\" run p.json --ticks 4 --from /dev/fd/3 --save /dev/fd/3 3<>s.state")
                .find("name one file"),
            std::string::npos);
}

TEST_F(FileOptions, FoldersAndFilesOfInputFoldersAreNoOutputs) {
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      SCOPED_TRACE(command.name + ' ' + output.name);
      std::string const name = output.name + " scenes: is a directory; name a file in it";
      EXPECT_NE(refused(command.line({{&output, "scenes"}})).find(name), std::string::npos);
      for (const FileOption& folder : command.options) {
        if (folder.use != Use::kInputFolder) continue;
        std::string const file = folder.value == "viewer"    ? "viewer/index.html"
                                 : folder.value == "results" ? "results/plan.id"
                                                             : "scenes/q.json";
        std::string const text = refused(command.line({{&output, file}}));
        EXPECT_NE(text.find("exists in the folder of " + folder.name + ' ' + folder.value), std::string::npos)
            << text;
      }
    }
  }
}

TEST_F(FileOptions, AMeshOfTheSceneIsAnInputToo) {
  here.write("hill.obj", "v 0 0 0\nv 0 0 10\nv 10 0 0\nf 1 2 3\n");
  here.write("m.json", R"({"bodies": [{"type": "static", "shapes": [{"mesh": {"obj": "hill.obj"}}]}]})");
  ASSERT_EQ(here.takt("run m.json --ticks 1").exit_code, 0) << here.read("err.txt");
  EXPECT_EQ(refused("\"$TAKT\" run m.json --ticks 1 --csv ./hill.obj"),
            "takt: --csv ./hill.obj and the scene's mesh hill.obj name one file; give --csv another name\n");
}

TEST_F(FileOptions, StandardInputIsTheFileBehindIt) {
  for (const char* const name : {"-", "/dev/stdin"}) {
    std::string const line = std::string("\"$TAKT\" run ") + name + " --ticks 1 --csv p.json <p.json";
    EXPECT_NE(refused(line).find("name one file"), std::string::npos);
  }
}

TEST_F(FileOptions, ARecordingIsReplacedByForceAlone) {
  for (const FileCommand& command : file_commands()) {
    for (const FileOption& output : command.options) {
      if (!output.is_output()) continue;
      SCOPED_TRACE(command.name + ' ' + output.name);
      std::string const line = command.line({{&output, "o2.takt"}});
      std::string const text = refused(line);
      EXPECT_NE(text.find(output.name + " o2.takt: "), std::string::npos) << text;
      EXPECT_NE(text.find("--force"), std::string::npos) << text;
      if (output.use != Use::kRecording) continue;
      std::string const earlier = here.read("o2.takt");
      Outcome const forced = here.shell(line + " --force");
      EXPECT_EQ(forced.exit_code, 0) << forced.err;
      EXPECT_NE(here.read("o2.takt"), earlier);
      EXPECT_EQ(here.takt("replay verify o2.takt").exit_code, 0);
      here.write("notes.takt", "of another kind");
      EXPECT_EQ(refused(command.line({{&output, "notes.takt"}}) + " --force"),
                "takt: --record notes.takt: the file exists and is not a recording; name another file\n");
    }
  }
  EXPECT_NE(refused("\"$TAKT\" run p.json --ticks 1 --force").find("--record"), std::string::npos);
}

}  // namespace
}  // namespace takt::cli_test
