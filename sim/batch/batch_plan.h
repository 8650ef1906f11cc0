// load_batch_plan() reads a plan of `takt batch` from JSON (schemas/batch.fbs). A BatchPlan is a list of
// variants, one for each entry of the plan: a scene with changed values, its ticks and its outputs. A variant
// has one run for each combination of swept values and each seed. Runs are numbered from 0, in the order of
// the plan's entries, then of swept values, then of seeds. BatchShard distributes the runs. Paths stay as the
// plan has them; no file is read here, and no scene is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scene/scene_setting.h"
#include "takt/core/result.h"
#include "takt/physics/world_def.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// A value of the last tick, which becomes one or more columns of the table.
enum class BatchMeasureKind : std::uint8_t {
  kEnergy,           ///< kinetic and of height, J
  kContacts,         ///< number of contact points
  kAwake,            ///< number of dynamic bodies that do not sleep
  kPosition,         ///< of a body's origin, m
  kRotation,         ///< of a body, unit quaternion
  kVelocity,         ///< of a body's centre of mass, m/s
  kAngularVelocity,  ///< of a body, rad/s
};
struct BatchMeasure {
  BatchMeasureKind kind = BatchMeasureKind::kEnergy;
  std::string body;  ///< its name in the scene; empty for measures of the world
};

/// A value of the scene that takes each of several values.
struct BatchSweep {
  std::string path;
  std::vector<std::string> values;  ///< at least one
};

struct BatchVariant {
  std::string name;        ///< without control characters, commas and quotes
  std::string scene_path;  ///< as the plan has it
  std::uint64_t ticks = 0;
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint32_t hz = 0;                ///< 0 = the scene's
  std::uint32_t substeps = 0;          ///< 0 = the scene's
  std::vector<SceneSetting> settings;  ///< without those of sweeps
  std::vector<BatchSweep> sweeps;      ///< the last one varies first
  std::string inputs_path;             ///< empty = none
  bool record = false;
  std::uint64_t csv_every = 0;  ///< 0 = no table of bodies
  std::uint64_t first_run = 0;  ///< number of its first run
  std::size_t entry = 0;        ///< index in the plan's `runs`, for messages
  /// Seeds of each combination: `seeds`, or first_seed to first_seed + seed_count - 1. Neither: one run with
  /// the scene's seed.
  std::vector<std::uint64_t> seeds;
  std::uint64_t first_seed = 0;
  std::uint32_t seed_count = 0;
  std::string seed_path;  ///< the scene's value that takes the seed; empty = the world's random stream

  [[nodiscard]] bool has_seeds() const noexcept;
  /// Runs of each combination.
  [[nodiscard]] std::uint64_t seeds_per_combination() const noexcept;
  /// Product of the numbers of swept values, at least 1. At most kMaxBatchRuns + 1, which stands for more.
  [[nodiscard]] std::uint64_t combination_count() const noexcept;
  /// The swept values of a combination, in the order of the sweeps.
  [[nodiscard]] std::vector<SceneSetting> swept(std::uint64_t combination) const;
};

struct BatchRun {
  std::uint64_t index = 0;
  const BatchVariant* variant = nullptr;
  std::uint64_t combination = 0;      ///< of swept values, below combination_count()
  std::optional<std::uint64_t> seed;  ///< none = the scene's

  /// The values in place of the scene's, in the order in which they are set: of the variant, of its sweeps
  /// and of seed_path.
  [[nodiscard]] std::vector<SceneSetting> settings() const;
};

/// Largest number of runs of a plan.
inline constexpr std::uint64_t kMaxBatchRuns = 1'000'000;
/// Largest number of shards.
inline constexpr std::uint64_t kMaxBatchShards = 100'000;

struct BatchPlan {
  std::string title;
  std::vector<BatchMeasure> measures;
  std::vector<BatchVariant> variants;  ///< at least one
  std::uint64_t run_count = 0;

  /// The run of this number, which is below run_count (asserted).
  [[nodiscard]] BatchRun run(std::uint64_t index) const;
};

/// A shard among `count` shards; both count from 1.
struct BatchShard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  /// Runs of equal remainder by `count` belong to one shard, so neighbours with equal costs are distributed.
  [[nodiscard]] bool contains(std::uint64_t run) const noexcept { return run % count + 1 == index; }
};

/// Reads a plan. `file_name` is for messages only. The error is the first fault, with file and line.
[[nodiscard]] Result<BatchPlan, SceneError> load_batch_plan(std::string_view json,
                                                            std::string_view file_name);

}  // namespace takt::sim
