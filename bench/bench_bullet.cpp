// The same scenes in Takt and in Bullet, in one run, with the same figures side by side. Bullet is measured twice: as it comes (one step a tick, ten iterations)
// and with Takt's budget (as many steps a tick as Takt has substeps, two iterations each, for Takt's two passes). Both without sleep, on one thread.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/bullet_world.h"
#include "bench/scene_row.h"

namespace {

namespace bench = takt::bench;

bench::SceneRow run_in_bullet(const takt::test::Trial& trial, const bench::BulletSettings& settings, std::uint32_t ticks) {
  bench::BulletWorld world(trial, settings);
  std::vector<double> tick_ms;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    double const begin_ms = bench::thread_ms();
    world.tick();
    tick_ms.push_back(bench::thread_ms() - begin_ms);
    if (tick % 4 == 0) world.watch_energy();
  }
  return bench::scene_row(world.figures(), std::move(tick_ms));
}

void run(const std::vector<std::string>& scenes, std::uint32_t ticks) {
  bench::print_head(ticks);
  for (const std::string& name : scenes) {
    takt::test::Trial const trial = bench::load_trial(name);
    auto const substeps = static_cast<int>(trial.scene.world.substeps);
    std::string const budget = std::to_string(substeps);
    bench::print_row(name, trial, "Takt float", budget + " substeps x 2 passes", bench::run_trial(trial, takt::NumbersMode::kFloat, {}, ticks));
    bench::print_row(name, trial, "Bullet", "1 step x 10 iterations", run_in_bullet(trial, {}, ticks));
    bench::print_row(name, trial, "Bullet", budget + " steps x 2 iterations", run_in_bullet(trial, {.steps = substeps, .iterations = 2}, ticks));
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::uint32_t ticks = 600;
  std::vector<std::string> scenes;
  CLI::App app("The same scenes in Takt and in Bullet");
  app.add_option("--ticks", ticks, "ticks a row")->check(CLI::Range(1u, 1'000'000u))->capture_default_str();
  app.add_option("scenes", scenes, "trials without kinematic bodies and pulls; none = the comparison of docs/PERFORMANCE.md");
  CLI11_PARSE(app, argument_count, arguments);
  if (scenes.empty()) {
    scenes = {"stack20", "pyramid20", "pyramid100", "mass10", "mass100", "mass1000", "tower100", "dominoes2", "cards", "arch", "pile1000"};
  }
  try {
    run(scenes, ticks);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_bullet: %s\n", error.what());
    return 1;
  }
}
