// Snapshots in memory as rollback uses them: after each tick the world is captured into a ring of snapshots,
// and every eighth tick it is rolled back to the oldest and the eight ticks are simulated again; and the hash
// of its state. Fails when they end in other bits.
#include <CLI/CLI.hpp>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/scene_row.h"
#include "bench/trial_world.h"

namespace {

using namespace takt;  // NOLINT(google-build-using-namespace): a program

constexpr std::size_t kWindow = 8;  // ticks that are simulated again

struct Options {
  std::uint32_t settle_ticks = 600;
  std::uint32_t rounds = 60;  // of kWindow ticks
  std::string numbers = "float";
  std::uint32_t lanes = 0;
  bool shares_scratch = false;  // as the worlds of a host do that steps many
  std::vector<std::string> scenes;
};

/// Times of one scene, us.
struct SnapshotTimes {
  std::vector<double> capture;
  std::vector<double> rollback;
  std::vector<double> hash;
  std::vector<double> first;  // kWindow ticks as they come
  std::vector<double> again;  // the same after a rollback
  std::size_t snapshot_bytes = 0;
  std::uint32_t contact_count = 0;
  bool equal = true;
};

template <class Work>
void timed(std::vector<double>& us, const Work& work) {
  double const begin_ms = bench::thread_ms();
  work();
  us.push_back(1e3 * (bench::thread_ms() - begin_ms));
}

template <class Real>
SnapshotTimes measure(const test::Trial& trial, const Options& options) {
  World<Real> world = bench::trial_world<Real>(trial);
  StepScratch scratch;
  StepOptions const step{.lanes = options.lanes, .scratch = options.shares_scratch ? &scratch : nullptr};
  SnapshotTimes times;
  for (std::uint32_t tick = 0; tick < options.settle_ticks; ++tick) (void)world.step(step);
  std::array<WorldSnapshot<Real>, kWindow> ring;
  for (auto& snapshot : ring) world.capture(snapshot);
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    for (auto& snapshot : ring) {
      timed(times.capture, [&] { world.capture(snapshot); });
      (void)world.step(step);
    }
    std::uint64_t hash = 0;
    timed(times.hash, [&] { hash = world.hash(); });
    timed(times.rollback, [&] { world.rollback(ring.front()); });
    timed(times.again, [&] {
      for (std::size_t i = 0; i < kWindow; ++i) times.contact_count = world.step(step).contact_count;
    });
    times.equal = times.equal && world.hash() == hash;
    timed(times.first, [&] {
      for (std::size_t i = 0; i < kWindow; ++i) (void)world.step(step);
    });
  }
  times.snapshot_bytes = ring.back().size_bytes();
  return times;
}

bool print_scene(const std::string& name, const Options& options, NumbersMode numbers) {
  test::Trial const trial = bench::load_trial(name);
  SnapshotTimes const times =
      numbers == NumbersMode::kFloat ? measure<float>(trial, options) : measure<Fixed>(trial, options);
  bench::Engine const engine = bench::takt_engine(numbers, times.contact_count, options.lanes);
  bench::TickTimes const capture = bench::tick_times(times.capture);
  bench::TickTimes const rollback = bench::tick_times(times.rollback);
  std::printf("| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %zu | %" PRIu32
              " | 0 | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.3f | %.3f | %s |\n",
              name.c_str(), engine.name.c_str(), engine.numbers.c_str(), engine.lanes, engine.threads,
              trial.scene.bodies.size(), times.contact_count, capture.median, capture.p99, rollback.median,
              rollback.p99, bench::tick_times(times.hash).median,
              static_cast<double>(times.snapshot_bytes) / static_cast<double>(trial.scene.bodies.size()),
              1e-3 * bench::tick_times(times.again).median, 1e-3 * bench::tick_times(times.first).median,
              times.equal ? "equal" : "DIFFERENT");
  std::fflush(stdout);
  return times.equal;
}

int run(const Options& options) {
  std::printf(
      "us of the processor; nothing sleeps; ticks again = %zu ticks after a rollback, ms, beside %zu ticks "
      "that come.\n\n",
      kWindow, kWindow);
  std::printf(
      "| scene | engine | numbers | lanes | threads | bodies | contacts | joints | capture us median | p99 | "
      "rollback us median | p99 | hash us | "
      "bytes/body | ticks again ms | ticks ms | bits "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool equal = true;
  for (const std::string& name : options.scenes) {
    if (options.numbers != "fixed") equal = print_scene(name, options, NumbersMode::kFloat) && equal;
    if (options.numbers != "float") equal = print_scene(name, options, NumbersMode::kFixed) && equal;
  }
  if (!equal) std::fprintf(stderr, "bench_snapshots: ticks that were simulated again ended in other bits\n");
  return equal ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  Options options;
  CLI::App app("Capture, rollback and simulating again");
  app.add_option("--settle", options.settle_ticks, "ticks before the first snapshot")->capture_default_str();
  app.add_option("--ticks", options.rounds, "rounds of eight ticks")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--numbers", options.numbers)
      ->check(CLI::IsMember({"float", "fixed", "both"}))
      ->capture_default_str();
  app.add_option("--lanes", options.lanes, "of float: 1, 4, 8, 16 or 0 for the best")
      ->check(CLI::IsMember({0, 1, 4, 8, 16}));
  app.add_flag("--shared-scratch", options.shares_scratch, "step in shared scratch memory");
  app.add_option("scenes", options.scenes, "trials or scenes without joints; none = mix1000");
  CLI11_PARSE(app, argument_count, arguments);
  if (options.scenes.empty()) options.scenes = {"mix1000"};
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_snapshots: %s\n", error.what());
    return 1;
  }
}
