#include "bench/scene_row.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "bench/tick_times.h"
#include "physics/contact_solver/contact_constraint.h"
#include "tests/scene_file.h"

namespace takt::bench {

Engine takt_engine(NumbersMode numbers, std::size_t contact_count, std::uint32_t lanes,
                   std::uint32_t threads) {
  if (numbers == NumbersMode::kFixed)
    return {"Takt", "fixed", contact_kernels<Fixed>(lanes, contact_count).lanes, threads};
  return {"Takt", "float", contact_kernels<float>(lanes, contact_count).lanes, threads};
}

SceneRow scene_row(const test::TrialStats& stats, std::vector<double> tick_ms) {
  return {stats, tick_times(std::move(tick_ms))};
}

void print_head(std::uint32_t ticks) {
  std::printf("%" PRIu32
              " ticks a row; ms of the processor on one thread, of the clock on several; nothing sleeps. "
              "Lengths in mm; gap = the widest that "
              "a joint was open; gain = most rise of mechanical energy, as a height of all bodies.\n\n",
              ticks);
  std::printf(
      "| scene | engine | numbers | lanes | threads | bodies | contacts | joints | ms/tick median | p99 | "
      "depth mean | p99 | max | gap | sink | "
      "drift | gain | "
      "fastest m/s | lost | digest |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const std::string& name, const test::Trial& trial, const Engine& engine, const SceneRow& row) {
  const test::TrialStats& f = row.stats;
  std::printf("| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " | %" PRIu32
              " | %zu | %.4f | %.4f | %.2f | %.2f | %.2f |",
              name.c_str(), engine.name.c_str(), engine.numbers.c_str(), engine.lanes, engine.threads,
              f.body_count, f.contact_count, trial.scene.joints.size(), row.tick_ms.median, row.tick_ms.p99,
              1e3 * f.penetration.mean_m, 1e3 * f.penetration.p99_m, 1e3 * f.penetration.max_m);
  if (trial.scene.joints.empty()) {
    std::printf(" |");
  } else {
    std::printf(" %.3f |", 1e3 * f.gap_m);
  }
  if (trial.watched) {
    std::printf(" %.1f | %.1f |", 1e3 * f.sink_m, 1e3 * f.drift_m);
  } else {
    std::printf(" | |");
  }
  if (trial.is_driven) {
    std::printf(" |");
  } else {
    std::printf(" %.2f |", 1e3 * f.gain_m);
  }
  std::printf(" %.3f | %" PRIu32 " |", f.fastest_m_s, f.lost_count);
  if (f.digest == 0) {  // another engine's
    std::printf(" |\n");
  } else {
    std::printf(" %016" PRIx64 " |\n", f.digest);
  }
  std::fflush(stdout);
}

test::Trial load_trial(const std::string& name) {
  const std::vector<std::string> trials = test::trial_names();
  if (std::ranges::count(trials, name) > 0) return test::trial(name);
  test::Trial trial;
  trial.name = name;
  trial.scene = scene_files::load(name);
  trial.scene.world.allow_sleep = false;
  // A platform or a mover brings energy in.
  trial.is_driven = std::ranges::any_of(trial.scene.bodies, [](const sim::SceneBody& body) {
    return body.def.type == BodyType::kKinematic || body.mover.has_value();
  });
  return trial;
}

SceneRow run_trial(const test::Trial& trial, NumbersMode numbers, const StepOptions& options,
                   std::uint32_t ticks, std::uint32_t settle_ticks) {
  auto const now_ms = options.pool == nullptr ? thread_ms : wall_ms;
  test::TrialRun run(trial, numbers);
  std::vector<double> tick_ms;
  tick_ms.reserve(ticks);
  for (std::uint32_t tick = 0; tick < settle_ticks + ticks; ++tick) {
    double const begin_ms = now_ms();
    run.step(options);
    if (tick >= settle_ticks) tick_ms.push_back(now_ms() - begin_ms);
    if (tick % 4 == 0) run.watch();
  }
  return scene_row(run.stats(), std::move(tick_ms));
}

}  // namespace takt::bench
