#include "cli/world_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/subcommand.h"
#include "server/scene_file.h"
#include "sim/random_scene/draw_scene.h"
#include "takt/threads/thread_pool.h"

namespace takt::cli {

namespace {

std::string check_setting(const std::string& text) {
  std::size_t const equals = text.find('=');
  return equals != std::string::npos && equals > 0 && equals + 1 < text.size()
             ? ""
             : "expected PATH=VALUE, such as world.gravity=[0,-1.62,0], not '" + text + "'";
}

}  // namespace

void add_world_options(CLI::App& app, WorldOptions& options) {
  app.add_option("--numbers", options.numbers, "How the world computes: float (fast) or fixed (Q31.32)")
      ->check(CLI::IsMember({"float", "fixed"}))
      ->capture_default_str();
  add_number(app, "--hz", options.hz, 1, 1000, "Ticks a second (default: the scene's)");
  add_number(app, "--substeps", options.substeps, 1, 64, "Solver substeps a tick (default: the scene's)");
  add_number(app, "--seed", options.seed, 0, UINT64_MAX,
             "Of the world's random stream (default: the scene's); generators have seeds of their own");
  app.add_option("--set", options.settings,
                 "PATH=VALUE: change a value of the scene, such as world.gravity=[0,-1.62,0]; may be given "
                 "several times")
      ->check(CLI::Validator(check_setting, "PATH=VALUE", "setting"))
      ->allow_extra_args(false);
}

void add_wild_option(CLI::App& app, WorldOptions& options, CLI::Option& scene) {
  add_number(
      app, "--wild", options.wild, 0, UINT64_MAX,
      "Random scene of this seed in place of a scene file: bodies of all shapes and very unequal masses")
      ->each([&scene](const std::string&) { scene.required(false); });
}

void add_lanes_option(CLI::App& app, std::string& lanes) {
  app.add_option("--lanes", lanes,
                 "Constraints solved at a time: auto, 1, 4, 8 or 16. Never changes a result")
      ->check(CLI::IsMember({"auto", "1", "4", "8", "16"}))
      ->capture_default_str();
}

void add_record_options(CLI::App& app, std::string& path, bool& force) {
  CLI::Option* const record = add_path(
      app, "--record", path, PathKind::kFile,
      "Write a recording to this file (see '" + program_name() + " replay'); the file must not exist yet");
  app.add_flag("--force", force, "Replace the recording of --record, if one exists")->needs(record);
}

void add_threads_option(CLI::App& app, std::string& threads, const std::string& purpose) {
  auto const allowed = [](std::string& text) {
    std::string const range = range_text(1, std::uint64_t{ThreadPool::kMaxWorkers});
    if (text == "auto" || check_number(text, 1, std::uint64_t{ThreadPool::kMaxWorkers}).empty())
      return std::string();
    return "allowed is auto or " + range + ", not " + text;
  };
  app.add_option(
         "--threads", threads,
         purpose + ": a number, or auto for as many as the machine runs at once. Never changes a result")
      ->transform(
          CLI::Validator(allowed, "1 to " + std::to_string(ThreadPool::kMaxWorkers) + ", auto", "threads"))
      ->capture_default_str();
}

std::unique_ptr<TaskPool> make_pool(const std::string& threads) {
  // 0 = the system does not say
  std::uint32_t const count =
      threads == "auto" ? std::clamp(std::thread::hardware_concurrency(), 1u, ThreadPool::kMaxWorkers)
                        : static_cast<std::uint32_t>(std::stoul(threads));  // checked by the option
  return count == 1 ? nullptr : std::make_unique<ThreadPool>(count);
}

NumbersMode numbers_of(const WorldOptions& options) {
  return options.numbers == "fixed" ? NumbersMode::kFixed : NumbersMode::kFloat;
}

StepOptions step_options_of(const std::string& lanes, TaskPool* pool) {
  StepOptions options;
  options.lanes =
      lanes == "auto" ? 0u : static_cast<std::uint32_t>(std::stoul(lanes));  // checked by the option
  options.pool = pool;
  return options;
}

std::string name_of_scene(const WorldOptions& options) {
  if (options.wild) return sim::random_scene_name(*options.wild);
  return options.scene_path == "-" ? "stdin" : options.scene_path;
}

std::string path_of_scene(const WorldOptions& options) {
  return options.scene_path == "-" ? "/dev/stdin" : options.scene_path;
}

Result<sim::Scene, server::FileError> load_scene_file(const WorldOptions& options, FileClaims& claims) {
  if (auto const checked = claims.check(); !checked) return checked.error();
  std::vector<std::filesystem::path> meshes;
  std::vector<sim::SceneSetting> settings;
  for (const std::string& text : options.settings)
    settings.push_back({text.substr(0, text.find('=')), text.substr(text.find('=') + 1)});
  if (options.wild && !options.scene_path.empty()) {
    return server::FileError{"--wild " + std::to_string(*options.wild) + ": the scene " + options.scene_path +
                             " is given too; leave one of the two out"};
  }
  Result<sim::Scene, server::FileError> scene =
      options.wild
          ? server::parse_scene(sim::random_scene(*options.wild).json, name_of_scene(options), nullptr,
                                settings)
          : server::read_scene_file(path_of_scene(options), name_of_scene(options), &meshes, settings);
  if (!scene) return scene;
  for (const std::filesystem::path& mesh : meshes) claims.add_input("the scene's mesh", mesh.string());
  if (auto const checked = claims.check(); !checked) return checked.error();
  if (options.hz != 0) scene->world.tick_rate_hz = options.hz;
  if (options.seed) scene->world.seed = *options.seed;
  if (options.substeps != 0) scene->world.substeps = options.substeps;
  return *std::move(scene);
}

}  // namespace takt::cli
