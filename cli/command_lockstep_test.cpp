// takt lockstep-test: runs two programs, or two configurations of one, tick by tick against each other.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "cli/child_process.h"
#include "cli/file_claims.h"
#include "cli/game_option.h"
#include "cli/line_child.h"
#include "cli/lockstep_report.h"
#include "cli/number_option.h"
#include "cli/output_file.h"
#include "cli/path_option.h"
#include "cli/progress_bar.h"
#include "cli/run_start.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/world_options.h"
#include "sim/comparison/lockstep_comparison.h"
#include "sim/comparison/lockstep_peer.h"
#include "takt/cli/takt_main.h"
#include "takt/threads/thread_pool.h"

namespace takt::cli {
namespace {

using sim::ComparedEnd;
constexpr std::array kEnds{ComparedEnd::kLeft, ComparedEnd::kRight};

struct TestOptions {
  WorldOptions world;
  std::uint64_t ticks = 600;
  std::vector<std::string> builds;
  std::string lanes = "auto";
  std::string threads = "1";
  std::string sync_test = "0";
  std::string game;
  bool has_game_option = false;
  std::string inputs_path;
  std::string junit_path;
  double timeout_s = 60.0;
  bool json = false;
};

// The value of an end in an option of one value for both or "A,B".
std::string value_of(const std::string& text, ComparedEnd end) {
  std::size_t const comma = text.find(',');
  if (comma == std::string::npos) return text;
  return end == ComparedEnd::kLeft ? text.substr(0, comma) : text.substr(comma + 1);
}

// Words of a command: one for the path of a program, else the text between spaces.
std::vector<std::string> words_of(const std::string& command) {
  if (!find_program({command}).empty()) return {command};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < command.size();) {
    std::size_t const end = std::min(command.find(' ', at), command.size());
    if (end != at) words.push_back(command.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Empty if the program has no file any more, after it was built anew for example.
std::string own_program() {
  std::error_code error;
  std::string const path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  return error || !std::filesystem::exists(path, error) ? std::string() : path;
}

std::vector<std::string> peer_words(const TestOptions& options, ComparedEnd end) {
  std::vector<std::string> words = options.builds.empty()
                                       ? std::vector{own_program()}
                                       : words_of(options.builds[static_cast<std::size_t>(end)]);
  if (words.empty()) return words;
  auto const add = [&words](const std::string& name, const std::string& value) {
    words.push_back(name);
    words.push_back(value);
  };
  words.emplace_back("lockstep-peer");
  if (options.world.wild) {
    add("--wild", std::to_string(*options.world.wild));
  } else {
    words.push_back(options.world.scene_path);
  }
  add("--numbers", options.world.numbers);
  if (options.world.hz != 0) add("--hz", std::to_string(options.world.hz));
  if (options.world.substeps != 0) add("--substeps", std::to_string(options.world.substeps));
  if (options.world.seed) add("--seed", std::to_string(*options.world.seed));
  for (const std::string& setting : options.world.settings) add("--set", setting);
  if (options.has_game_option) add("--game", options.game);
  if (!options.inputs_path.empty()) add("--inputs", options.inputs_path);
  add("--lanes", value_of(options.lanes, end));
  add("--threads", value_of(options.threads, end));
  if (std::string const ticks = value_of(options.sync_test, end); ticks != "0") add("--sync-test", ticks);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

// Both ends, and the comparison that their lines go to.
class Match {
 public:
  Match(const TestOptions& options, std::vector<LineChild> children)
      : options_(options), comparison_(options.ticks), children_(std::move(children)) {}

  sim::LockstepReport play() {
    ProgressBar bar(options_.ticks, true);
    auto const begin = std::chrono::steady_clock::now();
    receive();
    while (std::optional<std::string> const request = comparison_.poll_request()) {
      send(*request);
      receive();
      bar.show(comparison_.report().final_tick - comparison_.report().first_tick,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    bar.clear();
    return comparison_.report();
  }

 private:
  [[nodiscard]] LineChild::Deadline deadline() const {
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(options_.timeout_s));
  }
  void send(const std::string& line) {
    LineChild::Deadline const until = deadline();
    for (ComparedEnd const end : kEnds) {
      auto const written = children_[static_cast<std::size_t>(end)].write(line, until);
      if (!written) comparison_.handle_failure(end, written.error().text);
    }
  }
  // The next line of each end. Both compute at once, so both have the same deadline.
  void receive() {
    LineChild::Deadline const until = deadline();
    for (ComparedEnd const end : kEnds) {
      if (comparison_.is_finished()) return;
      Result<std::string, ChildFailure> const line =
          children_[static_cast<std::size_t>(end)].read(until, sim::kMaxLockstepLineBytes);
      if (line) {
        comparison_.handle_line(end, *line);
      } else {
        comparison_.handle_failure(end, line.error().text);
      }
    }
  }

  const TestOptions& options_;
  sim::LockstepComparison comparison_;
  std::vector<LineChild> children_;
};

// Checks the scene and the script before a program is started: their errors are bad input, not failures.
std::optional<std::string> find_bad_input(const TestOptions& options, FileClaims& claims) {
  if (options.world.scene_path == "-")
    return "the scene cannot be stdin: each program reads it by itself; write it to a file";
  Result<sim::Scene, server::FileError> const scene = load_scene_file(options.world, claims);
  if (!scene) return message(scene.error());
  Result<std::vector<sim::Input>, server::FileError> const script = load_script(options.inputs_path, *scene);
  if (!script) return message(script.error());
  auto const late =
      std::ranges::count_if(*script, [&](const sim::Input& input) { return input.tick >= options.ticks; });
  if (late == 0) return std::nullopt;
  return options.inputs_path + ": " + std::to_string(late) + " inputs lie past the last tick; raise --ticks";
}

int test(const TestOptions& options) {
  fill_standard_streams();
  FileClaims claims;
  claims.add_input("the scene", path_of_scene(options.world));
  claims.add_input("--inputs", options.inputs_path);
  claims.add_output("--junit", options.junit_path, OutputKind::kFile);
  if (std::optional<std::string> const bad = find_bad_input(options, claims))
    return print_error(*bad), kExitBadInput;
  LockstepReport report;
  report.scene = name_of_scene(options.world);
  std::array<std::vector<std::string>, 2> words;
  for (ComparedEnd const end : kEnds) {
    auto const index = static_cast<std::size_t>(end);
    words[index] = peer_words(options, end);
    report.programs[index] = joined(words[index]);
    if (options.builds.empty() && words[index].front().empty()) {
      print_error("this program's own file is gone; start it again, or name programs by --builds");
      return kExitBadInput;
    }
    if (words[index].empty() || find_program({words[index].front()}).empty()) {
      print_error("--builds: '" + options.builds[index] +
                  "' is no program that can be run; name the path of a " + program_name() +
                  ", or a command with its words");
      return kExitBadInput;
    }
  }
  std::optional<OutputFile> junit;
  if (!options.junit_path.empty()) {
    Result<OutputFile, server::FileError> file = OutputFile::create(options.junit_path, Latecomer::kReplace);
    if (!file) return print_error(message(file.error())), kExitBadInput;
    junit.emplace(*std::move(file));
  }
  auto const begin = std::chrono::steady_clock::now();
  std::vector<LineChild> children;
  for (ComparedEnd const end : kEnds) {
    Result<LineChild, ChildFailure> child = LineChild::start(words[static_cast<std::size_t>(end)]);
    if (!child) {
      report.result.failure = sim::LockstepFailure{end, child.error().text};
      break;
    }
    children.push_back(*std::move(child));
  }
  if (!report.result.failure) report.result = Match(options, std::move(children)).play();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int exit_code = report.result.is_equal() ? kExitDone : kExitFailed;
  if (options.json) {
    std::printf("%s\n", lockstep_json(report).c_str());
  } else if (!report.result.failure) {
    std::fputs(lockstep_text(report).c_str(), stdout);
  }
  if (report.result.failure) print_error(failure_text(report));
  if (junit) {
    std::string const text = lockstep_junit(report);
    if (!junit->write(std::as_bytes(std::span(text))) || !junit->close()) {
      print_error(junit->failure());
      exit_code = kExitFailed;
    }
  }
  return exit_code;
}

// An option with one value for both programs, or with one for each: "A,B". `check` returns an error text.
template <class Check>
void add_pair(CLI::App& app, const std::string& name, std::string& text, const std::string& values,
              const std::string& description, Check check) {
  auto const check_both = [check](std::string& pair) {
    std::string left = value_of(pair, ComparedEnd::kLeft);
    std::string right = value_of(pair, ComparedEnd::kRight);
    std::string error = check(left);
    if (error.empty()) error = check(right);
    return error;
  };
  app.add_option(name, text, description + "; A,B for one value of each program")
      ->transform(CLI::Validator(check_both, values, "pair"))
      ->capture_default_str();
}

}  // namespace

void add_lockstep_test(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<TestOptions>();
  CLI::App* const command = app.add_subcommand(
      "lockstep-test",
      "Run two programs tick by tick against each other and name the first field that differs");
  CLI::Option* const scene = add_path(*command, "scene", options->world.scene_path, PathKind::kFile,
                                      "Scene file (JSON, or its binary form); or --wild");
  scene->required();
  add_wild_option(*command, options->world, *scene);
  command
      ->add_option("--builds", options->builds,
                   "Two programs that have this command: each a path, or words such as 'qemu-aarch64-static "
                   "./takt' (default: this program twice)")
      ->expected(2)
      ->type_name("PROGRAM PROGRAM");
  add_number(*command, "--ticks", options->ticks, 0, kMaxTicks, "Ticks to compare")->capture_default_str();
  add_world_options(*command, options->world);
  add_game_option(*command, options->game, program.games);
  options->has_game_option = !program.games.is_empty();
  add_pair(*command, "--threads", options->threads,
           "1 to " + std::to_string(ThreadPool::kMaxWorkers) + "|auto", "Threads that share a tick",
           [](std::string& text) {
             if (text == "auto") return std::string();
             std::string const error = check_number(text, 1, std::uint64_t{ThreadPool::kMaxWorkers});
             return error.empty() ? error
                                  : "allowed is auto or " + error.substr(std::string("allowed is ").size());
           });
  add_pair(*command, "--lanes", options->lanes, "auto|1|4|8|16", "Constraints solved at a time",
           [](std::string& text) {
             bool const is_width =
                 text == "auto" || text == "1" || text == "4" || text == "8" || text == "16";
             return is_width ? std::string() : "allowed is auto, 1, 4, 8 or 16, not " + text;
           });
  add_pair(*command, "--sync-test", options->sync_test, "0 to 1024",
           "Roll back N ticks after each tick and step them again (0: no test)",
           [](std::string& text) { return check_number(text, 0, std::uint64_t{1024}); });
  add_path(*command, "--inputs", options->inputs_path, PathKind::kFile,
           "Script of inputs, as '" + program_name() + " run --inputs' takes it: a JSON file");
  add_path(*command, "--junit", options->junit_path, PathKind::kFile,
           "Write the result as JUnit XML to this file, - = stdout");
  add_number(*command, "--timeout", options->timeout_s, 0.1, kMaxSeconds,
             "Seconds that a program may need for one line")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object instead of text");
  command->callback([options, &action] { action = [options] { return test(*options); }; });
}

}  // namespace takt::cli
