#include "bench/scene_row.h"

#include <time.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "tests/scene_file.h"

namespace takt::bench {
namespace {

// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

double read_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_ms() { return read_ms(CLOCK_THREAD_CPUTIME_ID); }
double wall_ms() { return read_ms(CLOCK_MONOTONIC); }

SceneRow scene_row(const test::TrialFigures& figures, std::vector<double> tick_ms) {
  std::ranges::sort(tick_ms);
  return {figures, quantile(tick_ms, 0.5), quantile(tick_ms, 0.99)};
}

void print_head(std::uint32_t ticks) {
  std::printf("%" PRIu32
              " ticks a row; ms of the processor on one thread, of the clock on several; nothing sleeps. Lengths in mm; gap = the widest that "
              "a joint was open; gain = most rise of mechanical energy, as a height of all bodies.\n\n",
              ticks);
  std::printf(
      "| scene | numbers | lanes | bodies | contacts | joints | ms/tick median | p99 | depth mean | p99 | max | gap | sink | drift | gain | "
      "fastest m/s | lost | digest |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const std::string& name, const test::Trial& trial, const std::string& numbers, const std::string& lanes, const SceneRow& row) {
  const test::TrialFigures& f = row.figures;
  std::printf("| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %zu | %.3f | %.3f | %.2f | %.2f | %.2f |", name.c_str(), numbers.c_str(), lanes.c_str(),
              f.body_count, f.contact_count, trial.scene.joints.size(), row.median_ms, row.p99_ms, 1e3 * f.penetration.mean_m,
              1e3 * f.penetration.p99_m, 1e3 * f.penetration.max_m);
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
  std::printf(" %.3f | %" PRIu32 " | %016" PRIx64 " |\n", f.fastest_m_s, f.lost_count, f.digest);
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
  trial.is_driven = std::ranges::any_of(trial.scene.bodies,
                                        [](const sim::SceneBody& body) { return body.def.type == BodyType::kKinematic || body.mover.has_value(); });
  return trial;
}

SceneRow run_trial(const test::Trial& trial, NumbersMode numbers, const StepOptions& options, std::uint32_t ticks) {
  auto const now_ms = options.pool == nullptr ? thread_ms : wall_ms;
  test::TrialRun run(trial, numbers);
  std::vector<double> tick_ms;
  tick_ms.reserve(ticks);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    double const begin_ms = now_ms();
    run.step(options);
    tick_ms.push_back(now_ms() - begin_ms);
    if (tick % 4 == 0) run.watch();
  }
  return scene_row(run.figures(), std::move(tick_ms));
}

}  // namespace takt::bench
