// Speed-up by threads: two runs of one scene alternate, some ticks each, one on the calling thread alone and
// one shared. Other load on the machine meets both alike. The program fails when the bits differ.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/scene_row.h"
#include "takt/threads/thread_pool.h"

namespace {

namespace bench = takt::bench;

// Short beside what else the machine does, and long beside the one tick that finds the other run's world in
// the caches.
constexpr std::uint32_t kTurnTicks = 20;

struct Options {
  std::uint32_t settle_ticks = 240;
  std::uint32_t ticks = 120;
  std::uint32_t threads = 2;
  std::string numbers = "float";
  std::uint32_t lanes = 0;
  std::vector<std::string> scenes;
};

void take_turn(takt::test::TrialRun& run, const takt::StepOptions& step, std::uint32_t ticks,
               std::vector<double>& tick_ms) {
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    double const begin_ms = bench::wall_ms();
    run.step(step);
    tick_ms.push_back(bench::wall_ms() - begin_ms);
  }
}

/// False when the threads changed the bits.
bool print_scene(const std::string& name, const Options& options, takt::NumbersMode numbers) {
  takt::test::Trial const trial = bench::load_trial(name);
  takt::test::TrialRun scalar(trial, numbers);
  takt::test::TrialRun shared(trial, numbers);
  takt::ThreadPool pool(options.threads);
  takt::StepOptions const alone_step{.lanes = options.lanes};
  takt::StepOptions const shared_step{.lanes = options.lanes, .pool = &pool};
  std::vector<double> alone_ms;
  std::vector<double> shared_ms;
  take_turn(scalar, alone_step, options.settle_ticks, alone_ms);
  take_turn(shared, shared_step, options.settle_ticks, shared_ms);
  alone_ms.clear();
  shared_ms.clear();
  for (std::uint32_t left = options.ticks; left > 0;) {
    std::uint32_t const now = std::min(kTurnTicks, left);
    take_turn(scalar, alone_step, now, alone_ms);
    take_turn(shared, shared_step, now, shared_ms);
    left -= now;
  }
  bench::SceneRow const rows[] = {bench::scene_row(scalar.stats(), alone_ms),
                                  bench::scene_row(shared.stats(), shared_ms)};
  bench::print_row(name, trial, bench::takt_engine(numbers, rows[0].stats.contact_count, options.lanes, 1),
                   rows[0]);
  bench::print_row(name, trial,
                   bench::takt_engine(numbers, rows[1].stats.contact_count, options.lanes, options.threads),
                   rows[1]);
  std::printf("%s: %u threads are %.2f times as fast as one\n", name.c_str(), options.threads,
              rows[0].tick_ms.median / rows[1].tick_ms.median);
  std::fflush(stdout);
  return rows[0].stats.digest == rows[1].stats.digest;
}

int run(const Options& options) {
  std::printf("Times of the clock, of two runs that take turns; ");
  bench::print_head(options.ticks);
  bool equal = true;
  for (const std::string& name : options.scenes) {
    if (options.numbers != "fixed") equal = print_scene(name, options, takt::NumbersMode::kFloat) && equal;
    if (options.numbers != "float") equal = print_scene(name, options, takt::NumbersMode::kFixed) && equal;
  }
  if (!equal) std::fprintf(stderr, "bench_threads: threads changed the bits\n");
  return equal ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  Options options;
  CLI::App app("Ticks on several threads against ticks on one, in turn");
  app.add_option("--settle", options.settle_ticks, "ticks before the first that is timed")
      ->capture_default_str();
  app.add_option("--ticks", options.ticks, "that are timed")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "that share a tick")
      ->check(CLI::Range(2u, takt::ThreadPool::kMaxWorkers))
      ->capture_default_str();
  app.add_option("--numbers", options.numbers)
      ->check(CLI::IsMember({"float", "fixed", "both"}))
      ->capture_default_str();
  app.add_option("--lanes", options.lanes, "of float: 1, 4, 8, 16 or 0 for the best")
      ->check(CLI::IsMember({0, 1, 4, 8, 16}));
  app.add_option("scenes", options.scenes, "trials or scenes; none = pyramid100 and mix8000");
  CLI11_PARSE(app, argument_count, arguments);
  if (options.scenes.empty()) options.scenes = {"pyramid100", "mix8000"};
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_threads: %s\n", error.what());
    return 1;
  }
}
