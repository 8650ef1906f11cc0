// Takt and Bullet on equal scenes, in one run, with equal metrics side by side. Bullet runs with its defaults
// (one step a tick, ten iterations) and, unless disabled, with Takt's budget (as many steps a tick as Takt
// has substeps, two iterations each, for Takt's two passes). Both run without sleep, on one thread, in
// processor time.
#include <LinearMath/btAlignedAllocator.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/bullet_world.h"
#include "bench/heap_bytes.h"
#include "bench/scene_row.h"
#include "bench/world_crowd.h"

namespace {

namespace bench = takt::bench;

struct Options {
  std::uint32_t ticks = 600;
  std::uint32_t settle_ticks = 0;
  std::uint32_t worlds = 256;
  bool as_it_comes = false;
  std::vector<std::string> scenes;
};

bench::Engine bullet(const bench::BulletSettings& settings) {
  return {"Bullet " + std::to_string(settings.steps) + "x" + std::to_string(settings.iterations), "float", 1,
          1};
}

bench::SceneRow run_in_bullet(const takt::test::Trial& trial, const bench::BulletSettings& settings,
                              const Options& options) {
  bench::BulletWorld world(trial, settings);
  std::vector<double> tick_ms;
  for (std::uint32_t tick = 0; tick < options.settle_ticks + options.ticks; ++tick) {
    double const begin_ms = bench::thread_ms();
    world.tick();
    if (tick >= options.settle_ticks) tick_ms.push_back(bench::thread_ms() - begin_ms);
    if (tick % 4 == 0) world.watch();
  }
  return bench::scene_row(world.stats(), std::move(tick_ms));
}

void run_scenes(const Options& options) {
  std::printf("Bullet SxI: S steps a tick of I iterations each. ");
  bench::print_head(options.ticks);
  for (const std::string& name : options.scenes) {
    takt::test::Trial const trial = bench::load_trial(name);
    bench::SceneRow const row =
        bench::run_trial(trial, takt::NumbersMode::kFloat, {}, options.ticks, options.settle_ticks);
    bench::print_row(name, trial, bench::takt_engine(takt::NumbersMode::kFloat, row.stats.contact_count),
                     row);
    std::vector<bench::BulletSettings> budgets{{}};
    if (!options.as_it_comes)
      budgets.push_back({.steps = static_cast<int>(trial.scene.world.substeps), .iterations = 2});
    for (const bench::BulletSettings& settings : budgets)
      bench::print_row(name, trial, bullet(settings), run_in_bullet(trial, settings, options));
  }
}

class BulletSmallWorld : public bench::SmallWorld {
 public:
  explicit BulletSmallWorld(const takt::test::Trial& trial) : world_(trial, {}) {}
  void tick() override { world_.tick(); }
  void kick() override { world_.kick(); }
  [[nodiscard]] takt::test::TrialStats stats() override { return world_.stats(); }

 private:
  bench::BulletWorld world_;
};

void run_crowd(const Options& options) {
  takt::test::Trial const trial = bench::load_trial("mix50");
  bench::CrowdSettings const settings{.worlds = options.worlds};
  std::printf("\n");
  bench::print_crowd_head(settings);
  takt::StepScratch scratch;
  bench::CrowdRow const row = bench::run_crowd(settings, [&] {
    return bench::takt_small_world(trial, takt::NumbersMode::kFloat, {.scratch = &scratch});
  });
  bench::print_crowd_row("mix50", bench::takt_engine(takt::NumbersMode::kFloat, row.first.contact_count),
                         settings, row);
  bench::print_crowd_row("mix50", bullet({}), settings, bench::run_crowd(settings, [&] {
                           return std::make_unique<BulletSmallWorld>(trial);
                         }));
}

}  // namespace

int main(int argument_count, char** arguments) {
  btAlignedAllocSetCustom(bench::counted_alloc, bench::counted_free);
  Options options;
  CLI::App app("The same scenes in Takt and in Bullet");
  app.add_option("--ticks", options.ticks, "that are timed")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--settle", options.settle_ticks, "ticks before the first that is timed")
      ->capture_default_str();
  app.add_option("--worlds", options.worlds, "small worlds stepped in turn, after the scenes; 0 = none")
      ->capture_default_str();
  app.add_flag("--as-it-comes", options.as_it_comes, "Bullet with its own budget alone");
  app.add_option("scenes", options.scenes,
                 "trials without pulls; none = the two comparisons of docs/PERFORMANCE.md");
  CLI11_PARSE(app, argument_count, arguments);
  if (options.scenes.empty()) {
    options.scenes = {"stack20",    "pyramid20",   "mass10",        "mass100",  "mass1000",  "tower100",
                      "dominoes2",  "cards",       "arch",          "pile1000", "two_boxes", "chain100",
                      "pyramid100", "ragdolls100", "joint_grid100", "mix1000",  "mix4000",   "mix8000",
                      "rest10000",  "hulls5000",   "drum8000"};
  }
  try {
    run_scenes(options);
    if (options.worlds > 0) run_crowd(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_bullet: %s\n", error.what());
    return 1;
  }
}
