// takt completion and takt man: texts about the program itself, made from its options, under its name.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/completion_script.h"
#include "cli/manual_page.h"
#include "cli/standard_output.h"
#include "cli/subcommand.h"
#include "cli/usage.h"
#include "takt/cli/takt_main.h"

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

int print_manual(const Usage& program, const std::string& version, const ManualOptions& options) {
  if (options.list) {
    std::string names = program.name() + '\n';
    for (const Usage& command : program.commands) names += command.path.back() + '\n';
    return print_text(names);
  }
  if (options.page.empty() || options.page == program.name())
    return print_text(manual_page(program, program, version));
  auto const at = std::ranges::find_if(
      program.commands, [&](const Usage& command) { return command.path.back() == options.page; });
  if (at != program.commands.end()) return print_text(manual_page(program, *at, version));
  print_error("there is no page '" + options.page + "'; '" + program.name() + " man --list' names them all");
  return kExitBadInput;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto const shell = std::make_shared<std::string>();
  std::string const& name = program_name();
  CLI::App* const command =
      app.add_subcommand("completion", "Print the script that teaches a shell to complete " + name);
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("An installed takt has the scripts where the shells find them. For others: 'source <(" +
                  name + " completion bash)' in ~/.bashrc, '" + name + " completion zsh > _" + name +
                  "' in a folder of $fpath, '" + name + " completion fish > ~/.config/fish/completions/" +
                  name + ".fish'");
  command->callback([shell, &app, &action] {
    action = [shell, &app] { return print_text(completion_script(usage_of(app), *shell)); };
  });
}

void add_man(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<ManualOptions>();
  CLI::App* const command =
      app.add_subcommand("man", "Print a manual page; '" + program.name + " man run | man -l -' shows it");
  command->add_option("page", options->page, "A command, such as run (default: " + program.name + " itself)");
  command->add_flag("--list", options->list, "Print the names of all pages instead");
  command->callback([options, &app, &action, &program] {
    action = [options, &app, &program] {
      return print_manual(usage_of(app), version_text(program, ""), *options);
    };
  });
}

}  // namespace takt::cli
