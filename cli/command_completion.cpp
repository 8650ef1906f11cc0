// takt completion and takt man: texts about the program itself, made from its options.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/completion_script.h"
#include "cli/manual_page.h"
#include "cli/standard_output.h"
#include "cli/subcommand.h"
#include "cli/usage.h"

namespace takt::cli {
namespace {

int print_text(const std::string& text) {
  print_standard_output(text);
  return kExitDone;
}

struct ManualOptions {
  std::string page;
  bool list = false;
};

int print_manual(const Usage& program, const ManualOptions& options) {
  if (options.list) {
    std::string names = "takt\n";
    for (const Usage& command : program.commands) names += command.path.back() + '\n';
    return print_text(names);
  }
  if (options.page.empty() || options.page == "takt") return print_text(manual_page(program, program));
  auto const at = std::ranges::find_if(
      program.commands, [&](const Usage& command) { return command.path.back() == options.page; });
  if (at != program.commands.end()) return print_text(manual_page(program, *at));
  print_error("there is no page '" + options.page + "'; 'takt man --list' names them all");
  return kExitBadInput;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto const shell = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("completion", "Print the script that teaches a shell to complete takt");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "An installed takt has the scripts where the shells find them. For others: 'source <(takt completion "
      "bash)' in ~/.bashrc, 'takt completion zsh > _takt' in a folder of $fpath, 'takt completion fish > "
      "~/.config/fish/completions/takt.fish'");
  command->callback([shell, &app, &action] {
    action = [shell, &app] { return print_text(completion_script(usage_of(app), *shell)); };
  });
}

void add_man(CLI::App& app, Action& action) {
  auto const options = std::make_shared<ManualOptions>();
  CLI::App* const command =
      app.add_subcommand("man", "Print a manual page; 'takt man run | man -l -' shows it");
  command->add_option("page", options->page, "A command, such as run (default: takt itself)");
  command->add_flag("--list", options->list, "Print the names of all pages instead");
  command->callback([options, &app, &action] {
    action = [options, &app] { return print_manual(usage_of(app), *options); };
  });
}

}  // namespace takt::cli
