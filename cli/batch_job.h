// A BatchJob is a plan of `takt batch` (sim/batch/batch_plan.h) with its place on disk and its identity.
// load_batch_job() reads the plan, and the bytes of all files that it names. The identity is a hash of these
// bytes, of the program's version and of the game, so results of other inputs are never mixed with those of
// the plan. Paths of a plan are relative to its folder.
#pragma once

#include <cstdint>
#include <string>

#include "cli/file_claims.h"
#include "cli/world_options.h"
#include "server/file_bytes.h"
#include "sim/batch/batch_plan.h"
#include "takt/core/result.h"

namespace takt::cli {

struct BatchJob {
  std::string plan_path;
  sim::BatchPlan plan;
  std::string game;  ///< as --game chose it
  std::string version;
  std::uint64_t id = 0;

  /// The path of a file that the plan names.
  [[nodiscard]] std::string path_of(const std::string& in_plan) const;
  /// Scene, numbers and values of a run.
  [[nodiscard]] WorldOptions world_of(const sim::BatchRun& run) const;
  /// "plan.json: run 12 (pile): ", before an error.
  [[nodiscard]] std::string name_of(const sim::BatchRun& run) const;
};

/// Reads the plan and hashes its files, which `claims` gets as inputs. `version` is that of the program. The
/// error is a line with file and place.
[[nodiscard]] Result<BatchJob, server::FileError> load_batch_job(const std::string& plan_path,
                                                                 const std::string& version,
                                                                 const std::string& game, FileClaims& claims);

}  // namespace takt::cli
