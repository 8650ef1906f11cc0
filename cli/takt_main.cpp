#include "takt/cli/takt_main.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/standard_output.h"
#include "cli/subcommand.h"
#include "takt/core/assert.h"
#include "takt/physics/float_control.h"

namespace takt::cli {

namespace {

// The name of the program in messages: takt_main() sets it before anything else.
std::string& mutable_program_name() {
  static std::string name = "takt";
  return name;
}

}  // namespace

const std::string& program_name() { return mutable_program_name(); }

void print_error(const std::string& what) {
  flush_standard_output();
  std::fprintf(stderr, "%s: %s\n", program_name().c_str(), what.c_str());
}

std::string version_text(const Program& program, const std::string& command) {
  std::string text = program.name;
  if (!command.empty()) text += ' ' + command;
  if (program.name == "takt" && program.version.empty()) return text + " " TAKT_VERSION;
  if (!program.version.empty()) text += ' ' + program.version;
  return text + " (takt " TAKT_VERSION ")";
}

namespace {

// A machine or a build that computes floats in another way would break every promise about bits: refuse to
// start.
bool floats_are_sound() {
  FloatControlGuard const guard;
  Result<Unit, FloatFault> const tested = float_self_test();
  if (!tested)
    print_error(std::string("this build computes floats wrongly on this machine (") +
                message(tested.error()) + "); build it without -ffast-math for this CPU");
  return tested.ok();
}

// The least number of letters to insert, delete or replace that makes `right` of `left` (Levenshtein).
std::size_t edit_count(std::string_view left, std::string_view right) {
  std::vector<std::size_t> counts(right.size() + 1);
  std::iota(counts.begin(), counts.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(counts[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      std::size_t const replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = counts[j + 1];
      counts[j + 1] = std::min({replaced, diagonal + 1, counts[j] + 1});
    }
  }
  return counts.back();
}

// The option of `command` that is nearest to `word`, within two edits; empty = none is.
std::string nearest_option(const CLI::App& command, std::string_view word) {
  std::string nearest;
  std::size_t min_edits = 3;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      std::size_t const edits = edit_count("--" + name, word);
      if (edits >= min_edits) continue;
      min_edits = edits;
      nearest = "--" + name;
    }
  }
  return nearest;
}

// The reason of `error` in one line. A word that no option takes comes first: it is often the misspelt name
// of the option that is missing.
std::string reason_of(const CLI::ParseError& error, const CLI::App& app, const CLI::App& command) {
  auto const is = [&](CLI::ExitCodes code) { return error.get_exit_code() == static_cast<int>(code); };
  bool const is_extra = is(CLI::ExitCodes::ExtrasError);
  std::vector<std::string> const words = app.remaining(true);
  if (words.empty() || (!is_extra && !is(CLI::ExitCodes::RequiredError))) return error.what();
  auto const option =
      std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end())
    return (is_extra ? "" : error.what() + std::string("; ")) + "'" + words.front() + "' was not expected";
  std::string const name = option->substr(0, option->find('='));
  std::string const nearest = nearest_option(command, name);
  if (name == "--" || name == nearest) return "words behind '--' are no options; remove the '--'";
  return "there is no option '" + name + "'" + (nearest.empty() ? "" : "; the nearest is '" + nearest + "'");
}

int run(int argc, char** argv, const Program& program) {
  CLI::App app(
      "Takt: deterministic physics, headless or as a server. Same inputs, same bits, on any machine.",
      program.name);
  app.set_version_flag("--version", version_text(program, ""));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 the run or check failed, 2 bad usage or bad input. '" + program.name +
             " COMMAND --help' explains a command.");
  Action action;
  add_serve(app, action, program);
  add_bot(app, action, program);
  add_run(app, action, program);
  add_batch(app, action, program);
  add_replay(app, action, program);
  add_ping(app, action);
  add_relay(app, action);
  add_service(app, action, program);
  add_shot(app, action, program);
  add_lockstep_test(app, action, program);
  add_lockstep_peer(app, action, program);
  add_token(app, action);
  add_completion(app, action);
  add_man(app, action, program);
  auto const is_first = [&](CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first).empty()) {
    print_error("there is no command '" + std::string(argv[1]) + "'; see '" + program.name + " --help'");
    return kExitBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    int const code = app.exit(success, text, text);
    print_standard_output(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    std::string chosen = program.name;
    CLI::App const* command = &app;
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      chosen += ' ' + command->get_name();
    }
    print_error(reason_of(error, app, *command) + "; see '" + chosen + " --help'");
    return kExitBadInput;
  }
  if (!floats_are_sound()) return kExitFailed;
  return action();
}

}  // namespace

int takt_main(int argc, char** argv, const Program& program) {
  TAKT_ASSERT(!program.name.empty());
  try {
    mutable_program_name() = program.name;
    return finish_standard_output(run(argc, argv, program));
  } catch (const std::bad_alloc&) {
    print_error("out of memory: use a smaller scene or a machine with more");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kExitFailed;
}

}  // namespace takt::cli
