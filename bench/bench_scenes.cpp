// Whole scenes: what a tick costs and how well the bodies behave, a line per scene, mode, lane width and
// number of threads. Scenes are the trials of tests/physics/trials.h and those of examples/scenes. Rows of
// one scene and mode must end with the same digest, and the program fails when they do not: lanes and threads
// never change a bit.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "bench/scene_row.h"
#include "takt/threads/thread_pool.h"
#include "tests/scene_file.h"

namespace {

using takt::NumbersMode;
namespace bench = takt::bench;

struct Options {
  std::uint32_t ticks = 600;
  std::uint32_t settle_ticks = 0;
  std::uint32_t substeps = 0;  // 0 = the scene's
  std::string numbers = "both";
  std::string lanes = "auto";
  std::vector<std::uint32_t> threads{1};
  bool list = false;
  std::vector<std::string> scenes;
};

/// False when two numbers of lanes or threads gave different bits.
bool print_rows(const std::string& name, const Options& options, NumbersMode numbers) {
  takt::test::Trial trial = bench::load_trial(name);
  if (options.substeps != 0) trial.scene.world.substeps = options.substeps;
  std::vector<std::string> widths{options.lanes};
  if (options.lanes == "all")
    widths = numbers == NumbersMode::kFixed ? std::vector<std::string>{"1", "8"}
                                            : std::vector<std::string>{"1", "4", "8", "16"};
  std::uint64_t first = 0;
  bool equal = true;
  for (const std::string& width : widths) {
    std::uint32_t const lanes = width == "auto" ? 0 : static_cast<std::uint32_t>(std::stoul(width));
    for (std::uint32_t const threads : options.threads) {
      std::optional<takt::ThreadPool> pool;
      if (threads > 1) pool.emplace(threads);
      takt::StepOptions const step{.lanes = lanes, .pool = pool ? &*pool : nullptr};
      bench::SceneRow const row = bench::run_trial(trial, numbers, step, options.ticks, options.settle_ticks);
      if (width == widths.front() && threads == options.threads.front()) first = row.stats.digest;
      equal = equal && row.stats.digest == first;
      bench::print_row(name, trial, bench::takt_engine(numbers, row.stats.contact_count, lanes, threads),
                       row);
    }
  }
  return equal;
}

int run(Options options) {
  if (options.scenes.empty()) {
    options.scenes = takt::scene_files::names();
    const std::vector<std::string> trials = takt::test::trial_names();
    options.scenes.insert(options.scenes.end(), trials.begin(), trials.end());
  }
  if (options.list) {
    for (const std::string& name : options.scenes) std::printf("%s\n", name.c_str());
    return 0;
  }
  bench::print_head(options.ticks);
  bool equal = true;
  for (const std::string& name : options.scenes) {
    if (options.numbers != "fixed") equal = print_rows(name, options, NumbersMode::kFloat) && equal;
    if (options.numbers != "float") equal = print_rows(name, options, NumbersMode::kFixed) && equal;
  }
  if (!equal) std::fprintf(stderr, "bench_scenes: the number of lanes or threads changed the bits\n");
  return equal ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  Options options;
  CLI::App app("What a tick of each scene costs and how well its bodies behave");
  app.add_option("--ticks", options.ticks, "that are timed, a row")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--settle", options.settle_ticks, "ticks before the first that is timed")
      ->capture_default_str();
  app.add_option("--substeps", options.substeps, "instead of the scene's; 0 = the scene's")
      ->check(CLI::Range(0u, 64u));
  app.add_option("--numbers", options.numbers)
      ->check(CLI::IsMember({"float", "fixed", "both"}))
      ->capture_default_str();
  app.add_option("--lanes", options.lanes, "fixed has 1 and 8")
      ->check(CLI::IsMember({"auto", "all", "1", "4", "8", "16"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "that share a tick; several numbers, separated by commas: a row for each")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows are scenes
      ->check(CLI::Range(1u, takt::ThreadPool::kMaxWorkers))
      ->capture_default_str();
  app.add_flag("--list", options.list, "name the scenes and stop");
  app.add_option("scenes", options.scenes, "trials or scenes of examples/scenes; none = all");
  CLI11_PARSE(app, argument_count, arguments);
  try {
    return run(std::move(options));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_scenes: %s\n", error.what());
    return 1;
  }
}
