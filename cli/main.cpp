// The takt program: chooses a subcommand, turns every failure into one line on stderr and an exit code.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <sstream>

#include "cli/standard_output.h"
#include "cli/subcommand.h"
#include "takt/physics/float_control.h"

namespace takt::cli {

void print_error(const std::string& what) {
  flush_standard_output();
  std::fprintf(stderr, "takt: %s\n", what.c_str());
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

int run(int argc, char** argv) {
  CLI::App app(
      "Takt: deterministic physics, headless or as a server. Same inputs, same bits, on any machine.",
      "takt");
  app.set_version_flag("--version", "takt " TAKT_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the run or check failed, 2 bad usage or bad input. 'takt COMMAND --help' "
      "explains a command.");
  Action action;
  add_serve(app, action);
  add_bot(app, action);
  add_run(app, action);
  add_replay(app, action);
  add_relay(app, action);
  add_shot(app, action);
  add_completion(app, action);
  add_man(app, action);
  auto const is_first = [&](CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first).empty()) {
    print_error("there is no command '" + std::string(argv[1]) + "'; see 'takt --help'");
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
    std::string chosen = "takt";
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
}  // namespace takt::cli

int main(int argc, char** argv) {
  try {
    return takt::cli::finish_standard_output(takt::cli::run(argc, argv));
  } catch (const std::bad_alloc&) {
    takt::cli::print_error("out of memory: use a smaller scene or a machine with more");
  } catch (const std::exception& error) {
    takt::cli::print_error(error.what());
  }
  return takt::cli::kExitFailed;
}
