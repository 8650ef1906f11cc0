// WorldOptions holds the options of `takt run`, `takt serve` and `takt shot` about a world. It has the scene
// file or the seed of a random scene, the numbers mode (float or fixed), and values in place of the scene's.
// The add_ functions declare the options --numbers, --hz, --substeps, --seed, --set, --wild, --record,
// --force, --lanes (SIMD) and --threads; `takt replay` uses the last two as well. The parser checks the
// values. The other functions convert them to a NumbersMode, a thread pool (make_pool), StepOptions and a
// loaded Scene.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/file_claims.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace takt::cli {

struct WorldOptions {
  std::string scene_path;             ///< "-" = stdin
  std::optional<std::uint64_t> wild;  ///< seed of a random scene, in place of scene_path
  std::string numbers = "float";      ///< float or fixed
  std::uint32_t hz = 0;               ///< 0 = the scene's
  std::uint32_t substeps = 0;         ///< 0 = the scene's
  std::optional<std::uint64_t> seed;  ///< none = the scene's
  std::vector<std::string> settings;  ///< PATH=VALUE each
};

/// The variables of the add_ functions must outlive the parsing.
/// Declares --numbers, --hz, --substeps, --seed and --set.
void add_world_options(CLI::App& app, WorldOptions& options);
/// Declares --wild SEED, with which the option or positional `scene` is no longer required.
void add_wild_option(CLI::App& app, WorldOptions& options, CLI::Option& scene);
/// Declares --lanes auto|1|4|8|16.
void add_lanes_option(CLI::App& app, std::string& lanes);
/// Declares --record FILE (`path`), and --force, with which it may replace a recording.
void add_record_options(CLI::App& app, std::string& path, bool& force);
/// Declares --threads N|auto; auto = the number of threads that the machine runs at once. The help text
/// begins with `purpose`.
void add_threads_option(CLI::App& app, std::string& threads,
                        const std::string& purpose = "Threads that share a tick");

[[nodiscard]] NumbersMode numbers_of(const WorldOptions& options);
/// Returns a pool for a value of --threads, which counts the calling thread; null for one thread.
[[nodiscard]] std::unique_ptr<TaskPool> make_pool(const std::string& threads);
/// Returns step options for a value of --lanes. The pool may be null, and must outlive the returned options.
[[nodiscard]] StepOptions step_options_of(const std::string& lanes, TaskPool* pool);

/// Returns the scene's name in messages: its path, "stdin" or the random scene's name, such as "wild 7".
[[nodiscard]] std::string name_of_scene(const WorldOptions& options);
/// Returns the path of the scene file, /dev/stdin for "-"; empty for a random scene.
[[nodiscard]] std::string path_of_scene(const WorldOptions& options);

/// Loads the scene and applies the options to it. The error is a line to print. The command has declared all
/// its files in `claims`, path_of_scene() too, but not the scene's mesh files. The files are checked before
/// the scene is read, and again with the mesh files, which this call adds.
[[nodiscard]] Result<sim::Scene, server::FileError> load_scene_file(const WorldOptions& options,
                                                                    FileClaims& claims);

}  // namespace takt::cli
