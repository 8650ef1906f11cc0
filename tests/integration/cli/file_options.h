// The commands of `takt` with all their options that name a file or a folder, and a Workplace with a file for
// each. Tests of outputs walk over this table; one of them compares the table with the help texts.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {

/// Files in a report folder have names of their own and replace nothing.
enum class Use { kInput, kInputFolder, kReportFolder, kOutput, kRecording };

struct FileOption {
  std::string name;   ///< "--csv", or the positional's name: "scene"
  std::string label;  ///< the name in messages
  Use use;
  std::string value;  ///< a valid one in a place of make_files()

  [[nodiscard]] bool is_output() const { return use == Use::kOutput || use == Use::kRecording; }
  [[nodiscard]] bool is_folder() const { return use == Use::kInputFolder || use == Use::kReportFolder; }
  [[nodiscard]] bool is_positional() const { return !name.starts_with('-'); }
};

struct FileCommand {
  std::string name;   ///< "replay seek"
  std::string fixed;  ///< options without files that the command needs, and those that make it short
  std::vector<FileOption> options;
  std::string setup = {};  ///< shell commands before it

  /// The words of a shell for this command: each option has its value, or that of `values`, an empty one
  /// leaves the option out. Outputs without a value in `values` are left out.
  struct Value {
    const FileOption* option;
    std::string value;
  };
  [[nodiscard]] std::string line(const std::vector<Value>& values) const;
};

/// All commands that read or write files.
[[nodiscard]] const std::vector<FileCommand>& file_commands();

/// Files for the options: p.json (a scene), i.json, s.state, k.keys, t.token, o.takt and o2.takt
/// (recordings), b.json (a plan), results/ and b.table of it, scenes/, viewer/ and desyncs/, and bin/node,
/// which stands for node and writes "picture" to every output of `takt shot`.
void make_files(const Workplace& here);

/// Name and content of each file of the workplace and its folders; links with their target. The redirected
/// output of the program is not among them.
[[nodiscard]] std::vector<std::string> inventory(const Workplace& here);

}  // namespace takt::cli_test
