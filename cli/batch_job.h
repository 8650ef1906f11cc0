// A BatchJob is a plan of `takt batch` (sim/batch/batch_plan.h) with its place on disk, its files and its
// identity. load_batch_job() reads the plan and all files that it names: scenes, their meshes and scripts of
// inputs. The identity is a hash of these bytes, of the program's version and of the game, so results of
// other inputs are never mixed with those of the plan. Runs read the bytes that were hashed: a file that
// changes later changes no run. Paths of a plan are relative to its folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/file_claims.h"
#include "cli/world_options.h"
#include "server/file_bytes.h"
#include "sim/batch/batch_plan.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The bytes of a file, or the line of the error that its read had.
struct BatchFile {
  std::string bytes;
  std::string fault;  ///< empty = `bytes` are whole
};

struct BatchJob {
  std::string plan_path;
  sim::BatchPlan plan;
  std::string game;  ///< as --game chose it
  std::string version;
  std::uint64_t id = 0;
  std::map<std::string, BatchFile> files;  ///< by path

  /// The path of a file that the plan names.
  [[nodiscard]] std::string path_of(const std::string& in_plan) const;
  /// Scene, numbers and values of a run.
  [[nodiscard]] WorldOptions world_of(const sim::BatchRun& run) const;
  /// The scene of a run, of `files` alone. Its seed is that of the run.
  [[nodiscard]] Result<sim::Scene, server::FileError> load_scene(const sim::BatchRun& run) const;
  /// The inputs of a run, of `files` alone.
  [[nodiscard]] Result<std::vector<sim::Input>, server::FileError> load_inputs(const sim::BatchRun& run,
                                                                               const sim::Scene& scene) const;
  /// "plan.json: run 12 (pile): ", before an error.
  [[nodiscard]] std::string name_of(const sim::BatchRun& run) const;
};

/// Reads the plan and its files, which `claims` gets as inputs. `version` is that of the program. The error
/// is a line with file and place. A mesh that cannot be read is an error of its runs, in load_scene().
[[nodiscard]] Result<BatchJob, server::FileError> load_batch_job(const std::string& plan_path,
                                                                 const std::string& version,
                                                                 const std::string& game, FileClaims& claims);

}  // namespace takt::cli
