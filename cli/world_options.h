// WorldOptions holds what `takt run`, `takt serve` and `takt shot` are told about a world. It has the scene
// file or the seed of a random scene, the numbers mode (float or fixed), and tick rate and substeps in place
// of the scene's. The add_ functions declare the options --numbers, --hz, --substeps, --seed, --set, --lanes
// (SIMD) and --threads; the last two serve `takt replay` too. The parser checks the values. The other
// functions convert them to a NumbersMode, a thread pool (make_pool), StepOptions and a loaded Scene.
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

/// --numbers, --hz, --substeps, --seed, --set.
void add_world_options(CLI::App& app, WorldOptions& options);
/// --wild SEED, with which the option or positional `scene` is no longer required.
void add_wild_option(CLI::App& app, WorldOptions& options, CLI::Option& scene);
/// --lanes auto|1|4|8|16 into `lanes`.
void add_lanes_option(CLI::App& app, std::string& lanes);
/// --record FILE into `path`, and --force, which lets it replace a recording.
void add_record_options(CLI::App& app, std::string& path, bool& force);
/// --threads N, "auto" for as many as the machine runs at once, into `threads`.
void add_threads_option(CLI::App& app, std::string& threads);

[[nodiscard]] NumbersMode numbers_of(const WorldOptions& options);
/// The threads of a --threads option, the calling one among them; null when that one is alone.
[[nodiscard]] std::unique_ptr<TaskPool> make_pool(const std::string& threads);
/// The pool may be null, and must outlive the options.
[[nodiscard]] StepOptions step_options_of(const std::string& lanes, TaskPool* pool);

/// The scene's name in messages: its path, "stdin" or "wild 7".
[[nodiscard]] std::string name_of_scene(const WorldOptions& options);
/// The file to open: "-" is the standard input; empty for a random scene.
[[nodiscard]] std::string path_of_scene(const WorldOptions& options);

/// The scene with the overrides applied, or a message to print. The command has declared its files in
/// `claims`: they are checked before the scene is read, and once more with the mesh files that it names.
[[nodiscard]] Result<sim::Scene, server::FileError> load_scene_file(const WorldOptions& options,
                                                                    FileClaims& claims);

}  // namespace takt::cli
