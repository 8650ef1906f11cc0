// BatchRunner simulates runs of a BatchJob, one at a time, and returns the row of each. It writes the files
// of a run (recording, table of bodies) into the folder of results. A run depends on nothing but the plan and
// its files: not on other runs, threads or lanes. One thread uses a BatchRunner; `takt batch` has one for
// each thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/batch_job.h"
#include "takt/core/result.h"
#include "takt/server/game_registry.h"

namespace takt::cli {

/// Set by a signal: runs end at their next tick.
using StopFlag = std::atomic<bool>;

class BatchRunner {
 public:
  /// The end of a run: with a row, with a failure, or stopped without either.
  struct Outcome {
    std::string row;      ///< without a line end
    std::string failure;  ///< a line about an output or the game
  };

  /// `folder` gets the files of runs; empty = they are not written. The references must outlive the runner.
  BatchRunner(const BatchJob& job, const server::GameRegistry& games, std::string folder,
              const StopFlag& is_stopped);

  /// Loads the scene and the inputs of the run, and creates its world. The error is bad input: a line with
  /// plan, run, file and place.
  [[nodiscard]] Result<Unit, server::FileError> check(const sim::BatchRun& run);
  /// Simulates the run, after check() of a run of its variant and combination.
  [[nodiscard]] Outcome run(const sim::BatchRun& run);

 private:
  struct Files;
  [[nodiscard]] Result<Unit, server::FileError> load(const sim::BatchRun& run);
  [[nodiscard]] Result<sim::Simulation, server::FileError> start(const sim::BatchRun& run) const;
  [[nodiscard]] std::string row_of(const sim::BatchRun& run, const sim::Simulation& simulation,
                                   std::uint64_t refused_count) const;
  void append_measure(const sim::BatchMeasure& measure, const sim::AnyWorld& world, std::string& row) const;

  const BatchJob& job_;
  const server::GameRegistry& games_;
  std::string folder_;
  const StopFlag& is_stopped_;
  // The last variant and combination, their scene and inputs. Their runs differ in the seed alone.
  const sim::BatchVariant* variant_ = nullptr;
  std::uint64_t combination_ = 0;
  std::optional<sim::Scene> scene_;
  std::vector<sim::Input> script_;
};

}  // namespace takt::cli
