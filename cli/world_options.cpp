#include "cli/world_options.h"

#include <CLI/CLI.hpp>

#include "server/scene_file.h"

namespace takt::cli {

void add_world_options(CLI::App& app, WorldOptions& options) {
  app.add_option("--numbers", options.numbers, "How the world computes: float (fast) or fixed (Q31.32)")
      ->check(CLI::IsMember({"float", "fixed"}))
      ->capture_default_str();
  app.add_option("--hz", options.hz, "Ticks a second, 1 to 1000 (default: the scene's)")->check(CLI::Range(1, 1000));
  app.add_option("--substeps", options.substeps, "Solver substeps a tick, 1 to 64 (default: the scene's)")->check(CLI::Range(1, 64));
}

void add_lanes_option(CLI::App& app, std::string& lanes) {
  app.add_option("--lanes", lanes, "Constraints solved at a time: auto, 1, 4, 8 or 16. Never changes a result")
      ->check(CLI::IsMember({"auto", "1", "4", "8", "16"}))
      ->capture_default_str();
}

void add_threads_option(CLI::App& app, std::uint32_t& threads) {
  app.add_option("--threads", threads, "Threads of the solver; only 1 in this version")
      ->check(CLI::Validator(
          [](std::string& text) { return text == "1" ? std::string() : "this version steps on one thread: allowed is 1, not " + text; }, "1",
          "one thread"))
      ->capture_default_str();
}

NumbersMode numbers_of(const WorldOptions& options) { return options.numbers == "fixed" ? NumbersMode::kFixed : NumbersMode::kFloat; }

StepOptions step_options_of(const std::string& lanes) {
  StepOptions options;
  options.lanes = lanes == "auto" ? 0u : static_cast<std::uint32_t>(std::stoul(lanes));  // checked by the option
  return options;
}

Result<sim::Scene, server::FileError> load_scene_file(const WorldOptions& options) {
  Result<sim::Scene, server::FileError> scene = server::read_scene_file(options.scene_path, options.scene_path);
  if (!scene) return scene;
  if (options.hz != 0) scene->world.tick_rate_hz = options.hz;
  if (options.substeps != 0) scene->world.substeps = options.substeps;
  return *std::move(scene);
}

}  // namespace takt::cli
