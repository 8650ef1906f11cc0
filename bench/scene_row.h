// A row of the table that bench_scenes and bench_bullet print: what a tick of a scene cost and how well its bodies behaved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/physics/trial_run.h"

namespace takt::bench {

struct SceneRow {
  test::TrialFigures figures;
  double median_ms = 0;  ///< a tick
  double p99_ms = 0;
};

/// Processor time that this thread has had so far, ms: what other programs on the machine take does not count.
[[nodiscard]] double thread_ms();

/// Median and p99 of what each tick took.
[[nodiscard]] SceneRow scene_row(const test::TrialFigures& figures, std::vector<double> tick_ms);

/// "numbers" and "lanes" of Takt; for another engine its name and settings.
void print_head(std::uint32_t ticks);
void print_row(const std::string& name, const test::Trial& trial, const std::string& numbers, const std::string& lanes, const SceneRow& row);

/// A trial by name, or a scene of examples/scenes with sleep off. Throws std::runtime_error.
[[nodiscard]] test::Trial load_trial(const std::string& name);

/// Time that has passed, ms: what a tick takes that several threads share.
[[nodiscard]] double wall_ms();

/// Runs the trial in Takt, `ticks` long. Without a pool its milliseconds are this thread's processor time, with one the time that passes.
[[nodiscard]] SceneRow run_trial(const test::Trial& trial, NumbersMode numbers, const StepOptions& options, std::uint32_t ticks);

}  // namespace takt::bench
