// Many small worlds on one thread: what a world's step costs when its memory is cold, and how much memory a
// world keeps. Beside it one world alone, whose memory stays warm. Each with scratch that all worlds share,
// which is counted, and with scratch of each world's own.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/world_crowd.h"

namespace {

using takt::NumbersMode;
namespace bench = takt::bench;

struct Options {
  bench::CrowdSettings settings;
  std::vector<std::uint32_t> worlds{1, 256};
  std::string numbers = "float";
  std::uint32_t lanes = 0;
  std::string scene = "mix50";
};

void run(Options options) {
  takt::test::Trial const trial = bench::load_trial(options.scene);
  bench::print_crowd_head(options.settings);
  for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    if (options.numbers != "both" && (options.numbers == "float") != (numbers == NumbersMode::kFloat))
      continue;
    for (std::uint32_t const worlds : options.worlds) {
      options.settings.worlds = worlds;
      for (bool const shares : {true, false}) {
        takt::StepScratch scratch;
        takt::StepOptions const step{.lanes = options.lanes, .scratch = shares ? &scratch : nullptr};
        bench::CrowdRow const row =
            bench::run_crowd(options.settings, [&] { return bench::takt_small_world(trial, numbers, step); });
        bench::Engine engine = bench::takt_engine(numbers, row.first.contact_count, options.lanes);
        if (!shares) engine.name += ", own scratch";
        bench::print_crowd_row(options.scene, engine, options.settings, row);
      }
    }
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  Options options;
  CLI::App app("What a step of one among many small worlds costs, and how much memory it keeps");
  app.add_option("--worlds", options.worlds,
                 "stepped in turn; several numbers, separated by commas: a row for each")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str();
  app.add_option("--settle", options.settings.settle_ticks,
                 "ticks of each world before the first that is timed")
      ->capture_default_str();
  app.add_option("--ticks", options.settings.rounds, "of every world that are timed")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--numbers", options.numbers)
      ->check(CLI::IsMember({"float", "fixed", "both"}))
      ->capture_default_str();
  app.add_option("--lanes", options.lanes, "of float: 1, 4, 8, 16 or 0 for the best")
      ->check(CLI::IsMember({0, 1, 4, 8, 16}));
  app.add_option("scene", options.scene, "a trial or scene without joints")->capture_default_str();
  CLI11_PARSE(app, argument_count, arguments);
  try {
    run(std::move(options));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_worlds: %s\n", error.what());
    return 1;
  }
}
