// check_rules() runs a random scene and measures the rules that every scene must keep whatever its bodies
// are: energy does not rise, no body is faster than its fall explains, nobody leaves the pit, bodies overlap
// little, momentum is kept in flight. Each rule is a number and a verdict. compare_times() measures the cost
// of mass ratios. The bounds follow from mechanics and stand here, not in tests. It reads the world through
// the public API, and prints nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/random_scene/random_scene.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::test {

/// Bits of broken rules.
inline constexpr std::uint32_t kRuleEnergy = 1;
inline constexpr std::uint32_t kRuleSpeed = 2;
inline constexpr std::uint32_t kRuleEscape = 4;
inline constexpr std::uint32_t kRulePenetration = 8;
inline constexpr std::uint32_t kRuleMomentum = 16;
inline constexpr std::uint32_t kRuleTime = 32;
inline constexpr std::uint32_t kRuleCount = 6;
/// "energy", "speed", "escape", "penetration", "momentum", "time"
[[nodiscard]] std::string_view rule_name(std::uint32_t index);

/// Largest rise of energy above its running minimum, as a fraction of the first energy: of any seed, and of
/// 95 % of seeds.
inline constexpr double kRiseMax = 0.05;
inline constexpr double kRiseP95Max = 0.01;
/// Energy above the first, as a fraction of it. Poses are rounded to 60 nm and speeds to 24 bits.
inline constexpr double kExcessMax = 1e-3;
/// 99th percentile of overlaps as a fraction of the smaller body's size: of any seed, and of the median seed.
/// Only pairs that have touched for kRestingContactS count: a body that arrives at v overlaps by up to v /
/// tick rate before its contact is there, and leaves at the push limit (3 m/s).
inline constexpr double kPenetrationMax = 0.10;
inline constexpr double kPenetrationMedianMax = 0.01;
/// A seed above kPenetrationMax breaks the rule when it overlaps more than this many times as much as the
/// same scene with equal densities. Contacts are springs: with one substep and 25 m/s^2 each weight sinks 4
/// mm.
inline constexpr double kPenetrationEqualMax = 2.0;
/// Time relative to the same scene with equal densities.
inline constexpr double kTimeRatioMax = 2.0;
inline constexpr double kRestingContactS = 0.5;
/// Margin of the region where contacts are springs, m: the thickness of a pit's walls. A heavy body presses a
/// light one centimetres into a soft floor.
inline constexpr double kSoftWallM = 1.0;
/// After this the bound on speeds holds, s.
inline constexpr double kSettledS = 3.0;

struct RuleStats {
  std::uint32_t body_count = 0;  ///< dynamic ones
  double first_energy_j = 0;     ///< kinetic, and of height above the lowest point of the region
  /// Fractions of the first energy, less the work of the soft push (see soft_push_j() in the source). Rise is
  /// above the running minimum, excess above the first energy.
  double rise = 0;
  double excess = 0;
  std::uint64_t rise_tick = 0;      ///< of the largest rise
  double fastest_m_s = 0;           ///< of any center of mass after kSettledS
  double peak_m_s = 0;              ///< in any tick
  double speed_bound_m_s = 0;       ///< 2 sqrt(2 g H + v0^2)
  std::uint32_t escaped_count = 0;  ///< bodies that were outside the region or quarantined in any tick
  double start_overlap_m = 0;       ///< largest overlap at tick 0
  /// Overlap / size of the smaller body, 1 s, 0.5 s and 0 s before the end: 99th percentile of resting
  /// contacts, and the largest of all.
  double penetration = 0;
  double penetration_max = 0;
  double equal_penetration = 0;  ///< `penetration` with equal densities; measured above kPenetrationMax only
  double momentum_error = 0;     ///< largest change in a tick of flight / the bound of its rounding
  std::uint32_t flight_tick_count = 0;  ///< ticks in which momentum was judged: all, without statics
  double ms_per_tick = 0;               ///< CPU time of the thread
  double own_ms = 0;                    ///< CPU time of the run without sleep; 0 = not measured
  double equal_ms = 0;                  ///< with equal densities and without sleep
  double time_ratio = 0;                ///< own_ms / equal_ms; 0 = not measured
  std::uint64_t cut_tick_count = 0;     ///< ticks in which WorldDef::max_contacts left out something
  std::uint32_t broken_rules = 0;       ///< kRule bits
};

struct RuleOptions {
  NumbersMode numbers = NumbersMode::kFloat;
  double seconds = 4;
  StepOptions step;
  std::uint32_t contacts_per_body = 0;  ///< WorldDef::max_contacts for each dynamic body; 0 = no limit
};

/// Loads the scene and runs it. Throws std::runtime_error with the loader's message when it is refused.
[[nodiscard]] RuleStats check_rules(const sim::RandomScene& random, const RuleOptions& options);
/// check_rules(), and the time relative to equal densities.
[[nodiscard]] RuleStats check_rules_and_time(const sim::RandomScene& random, const RuleOptions& options);

/// "rise 12.3 % (5 %), fastest 455 m/s (21)": the figures of the broken rules with their bounds.
[[nodiscard]] std::string broken_text(const RuleStats& stats);

}  // namespace takt::test
