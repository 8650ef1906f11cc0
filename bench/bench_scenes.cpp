// Whole scenes: what a tick costs and how well the bodies behave, a line per scene, mode and lane width. Scenes are the trials of tests/physics/trials.h and
// those of examples/scenes. Rows of one scene and mode must end with the same digest, and the program fails when they do not: lanes never change a bit.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tests/physics/trial_run.h"
#include "tests/physics/trials.h"
#include "tests/scene_file.h"

namespace {

using takt::NumbersMode;
using takt::test::Trial;
using takt::test::TrialFigures;
using takt::test::TrialRun;

struct Options {
  std::uint32_t ticks = 600;
  std::uint32_t substeps = 0;  // 0 = the scene's
  std::string numbers = "both";
  std::string lanes = "auto";
  bool list = false;
  std::vector<std::string> scenes;
};

struct Row {
  TrialFigures figures;
  double median_ms = 0;
  double p99_ms = 0;
};

// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

Row measure(const Trial& trial, NumbersMode numbers, std::uint32_t lanes, std::uint32_t ticks) {
  TrialRun run(trial, numbers);
  std::vector<double> tick_ms;
  tick_ms.reserve(ticks);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    auto const begin = std::chrono::steady_clock::now();
    run.step({.lanes = lanes});
    tick_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    if (tick % 4 == 0) run.watch_energy();
  }
  std::ranges::sort(tick_ms);
  return {run.figures(), quantile(tick_ms, 0.5), quantile(tick_ms, 0.99)};
}

void print_head(const Options& options) {
  std::printf("%" PRIu32
              " ticks a row, one thread, nothing sleeps. Lengths in mm; gain = most rise of mechanical energy, as a height of all bodies.\n\n",
              options.ticks);
  std::printf(
      "| scene | numbers | lanes | bodies | contacts | ms/tick median | p99 | depth mean | p99 | max | sink | drift | gain | fastest m/s | lost | "
      "digest |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const std::string& name, const Trial& trial, NumbersMode numbers, const std::string& lanes, const Row& row) {
  const TrialFigures& f = row.figures;
  std::printf("| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %.3f | %.3f | %.2f | %.2f | %.2f |", name.c_str(),
              numbers == NumbersMode::kFloat ? "float" : "fixed", lanes.c_str(), f.body_count, f.contact_count, row.median_ms, row.p99_ms,
              1e3 * f.penetration.mean_m, 1e3 * f.penetration.p99_m, 1e3 * f.penetration.max_m);
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

Trial load(const std::string& name) {
  const std::vector<std::string> trials = takt::test::trial_names();
  if (std::ranges::count(trials, name) > 0) return takt::test::trial(name);
  Trial trial;
  trial.name = name;
  trial.scene = takt::scene_files::load(name);
  trial.scene.world.allow_sleep = false;
  // A platform that moves brings energy in, and so may a body that starts inside another.
  trial.is_driven =
      std::ranges::any_of(trial.scene.bodies, [](const takt::sim::SceneBody& body) { return body.def.type == takt::BodyType::kKinematic; });
  return trial;
}

/// False when two numbers of lanes gave different bits.
bool print_rows(const std::string& name, const Options& options, NumbersMode numbers) {
  Trial trial = load(name);
  if (options.substeps != 0) trial.scene.world.substeps = options.substeps;
  std::vector<std::string> widths{options.lanes};
  if (options.lanes == "all") widths = {"1", "4", "8", "16"};
  if (numbers == NumbersMode::kFixed) widths = {"1"};
  std::uint64_t first = 0;
  bool equal = true;
  for (const std::string& width : widths) {
    Row const row = measure(trial, numbers, width == "auto" ? 0 : static_cast<std::uint32_t>(std::stoul(width)), options.ticks);
    if (width == widths.front()) first = row.figures.digest;
    equal = equal && row.figures.digest == first;
    print_row(name, trial, numbers, width, row);
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
  print_head(options);
  bool equal = true;
  for (const std::string& name : options.scenes) {
    if (options.numbers != "fixed") equal = print_rows(name, options, NumbersMode::kFloat) && equal;
    if (options.numbers != "float") equal = print_rows(name, options, NumbersMode::kFixed) && equal;
  }
  if (!equal) std::fprintf(stderr, "bench_scenes: the number of lanes changed the bits\n");
  return equal ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  Options options;
  CLI::App app("What a tick of each scene costs and how well its bodies behave");
  app.add_option("--ticks", options.ticks, "ticks a row")->check(CLI::Range(1u, 1'000'000u))->capture_default_str();
  app.add_option("--substeps", options.substeps, "instead of the scene's; 0 = the scene's")->check(CLI::Range(0u, 64u));
  app.add_option("--numbers", options.numbers)->check(CLI::IsMember({"float", "fixed", "both"}))->capture_default_str();
  app.add_option("--lanes", options.lanes, "of float; fixed has one")
      ->check(CLI::IsMember({"auto", "all", "1", "4", "8", "16"}))
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
