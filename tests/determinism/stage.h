// Runs of the determinism tests: the example scenes in both number modes, alone and with scripts of inputs
// that players could have sent.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"
#include "tests/determinism/chronicle.h"

namespace takt::determinism {

[[nodiscard]] std::string_view mode_name(NumbersMode mode);

/// Ticks of a full run, and those of which a costly test takes a fraction.
inline constexpr std::uint64_t kGoldenTicks = 1000;
inline constexpr std::uint64_t kCostlyTicks = 240;

/// kGoldenTicks, or TAKT_DETERMINISM_TICKS where a machine is emulated. With a `share` below 1 a costly
/// test's part of the first kCostlyTicks of them, at least 40; with TAKT_DETERMINISM_FULL in the environment
/// it takes all.
[[nodiscard]] std::uint64_t run_ticks(double share = 1.0);

/// The inputs of every tick of a run, index = tick.
using Script = std::vector<std::vector<sim::Input>>;

/// A run with inputs and what came of it.
struct Play {
  Script script;
  Chronicle chronicle;
};

/// Inputs that exercise every command, made by playing: two players join, push, spawn, despawn, grab, drag,
/// release, teleport, cut ropes, drive, spring, switch and destroy joints, send nonsense that policy or
/// engine refuses, leave. Bodies come and go every few ticks. Depends on the scene and mode only.
/// `before_tick` may do to the simulation what leaves no trace.
[[nodiscard]] Play play(const sim::Scene& scene, NumbersMode mode, std::uint64_t ticks,
                        const std::function<void(sim::Simulation&)>& before_tick = {});

/// A simulation at tick 0; fails the test when the scene is refused.
[[nodiscard]] sim::Simulation begin(const sim::Scene& scene, NumbersMode mode);
/// Steps once with the script's inputs of this tick; an empty script has none.
void step(sim::Simulation& simulation, const Script& script, const StepOptions& options = {});
/// Disturbances that must not change a run: 0 saves and restores, 1 drops derived state, 2 rolls back three
/// ticks and steps them again with `options`; other numbers do nothing.
void disturb(sim::Simulation& simulation, std::uint32_t what, sim::SimulationSnapshot& snapshot,
             const Script& script, const StepOptions& options = {});
/// A run from tick 0 to `ticks`.
[[nodiscard]] Chronicle run(const sim::Scene& scene, NumbersMode mode, const Script& script,
                            std::uint64_t ticks, std::uint32_t lanes = 0);

/// A test per scene and mode.
struct Stage {
  std::string scene;
  NumbersMode mode = NumbersMode::kFloat;
};
[[nodiscard]] std::vector<Stage> stages();
/// The runs for tests that repeat a scene: all but the far pyramid in fixed mode, which costs as much as the
/// near one and has its bits (Place).
[[nodiscard]] std::vector<Stage> stages_once_near();
[[nodiscard]] std::string name_of(const Stage& stage);
/// For GoogleTest.
inline void PrintTo(const Stage& stage, std::ostream* out) { *out << name_of(stage); }

}  // namespace takt::determinism
