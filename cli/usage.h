// Usage is a command of `takt` with its options, as data: names, values, choices and texts. usage_of() reads
// it from the declarations of CLI11, so completion scripts (cli/completion_script.h) and manual pages
// (cli/manual_page.h) have each option that the parser accepts, and no other.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace takt::cli {

enum class ValueKind {
  kNone,    ///< a flag
  kText,    ///< anything else, such as a number
  kChoice,  ///< one of `choices`
  kFile,
  kFolder,
};

struct OptionUsage {
  std::vector<std::string> names;  ///< "-h", "--help"; empty for a positional alone
  std::string positional;          ///< "scene"; empty for an option with names alone
  std::string description;
  ValueKind kind = ValueKind::kNone;
  std::string value;                 ///< shown for the value: "FILE", "1 to 64"; empty for a flag
  std::vector<std::string> choices;  ///< of kChoice
  std::string default_text;          ///< empty = none, or the description has it
  bool is_required = false;
  bool may_repeat = false;  ///< true: may be given several times
};

struct Usage {
  std::vector<std::string> path;  ///< "takt", "replay", "verify"
  std::string description;
  std::string footer;
  std::vector<OptionUsage> options;  ///< options and positionals, in order of declaration
  std::vector<Usage> commands;       ///< subcommands

  [[nodiscard]] bool has_positional() const;
  /// Returns "takt replay verify", with `separator` between the words.
  [[nodiscard]] std::string name(const std::string& separator = " ") const;
};

/// Returns the usage of the whole program `app`, with all of its commands.
[[nodiscard]] Usage usage_of(const CLI::App& app);

/// Returns `usage` and all commands below it, parents first. The pointers point into `usage`.
[[nodiscard]] std::vector<const Usage*> commands_of(const Usage& usage);

}  // namespace takt::cli
