// A row of the table that bench_scenes and bench_bullet print: what a tick of a scene cost and how well its
// bodies behaved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/tick_times.h"
#include "tests/physics/trial_run.h"

namespace takt::bench {

/// Who steps, and how.
struct Engine {
  std::string name;           ///< with what a tick of it is, where that is a choice
  std::string numbers;        ///< "float" or "fixed"
  std::uint32_t lanes = 1;    ///< contacts solved at a time
  std::uint32_t threads = 1;  ///< that share a tick
};
/// Takt with the lanes that it would choose (0) or is told.
/// `lanes`: as in StepOptions, for so many contacts.
[[nodiscard]] Engine takt_engine(NumbersMode numbers, std::size_t contact_count, std::uint32_t lanes = 0,
                                 std::uint32_t threads = 1);

struct SceneRow {
  test::TrialStats stats;
  TickTimes tick_ms;
};

/// Median and p99 of what each tick took.
[[nodiscard]] SceneRow scene_row(const test::TrialStats& stats, std::vector<double> tick_ms);

void print_head(std::uint32_t ticks);
void print_row(const std::string& name, const test::Trial& trial, const Engine& engine, const SceneRow& row);

/// A trial by name, or a scene of examples/scenes with sleep off. Throws std::runtime_error.
[[nodiscard]] test::Trial load_trial(const std::string& name);

/// Runs the trial in Takt, `ticks` long after `settle_ticks` that are not timed. Without a pool its
/// milliseconds are this thread's processor time, with one the time that passes.
[[nodiscard]] SceneRow run_trial(const test::Trial& trial, NumbersMode numbers, const StepOptions& options,
                                 std::uint32_t ticks, std::uint32_t settle_ticks = 0);

}  // namespace takt::bench
