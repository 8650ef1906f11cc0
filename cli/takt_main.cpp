#include "takt/cli/takt_main.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <sstream>

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
  add_replay(app, action, program);
  add_relay(app, action);
  add_shot(app, action, program);
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
    for (CLI::App const* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      chosen += ' ' + at->get_name();
    }
    print_error(std::string(error.what()) + "; see '" + chosen + " --help'");
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
