// WorldDef has the settings of a world: gravity, tick rate, substeps, capacity and others. World::create
// takes a WorldDef. Only max_contacts can change later (World::set_max_contacts). The settings belong to the
// saved and hashed state. NumbersMode names the number type of a world: float or fixed.
#pragma once

#include <cstdint>

#include "takt/physics/body.h"

namespace takt {

/// The Real that a world computes with. Frozen values: they stand in every image and on the wire.
enum class NumbersMode : std::uint8_t { kFloat = 1, kFixed = 2 };

template <class Real>
inline constexpr NumbersMode kNumbersMode = NumbersMode::kFloat;
template <>
inline constexpr NumbersMode kNumbersMode<Fixed> = NumbersMode::kFixed;

/// Settings of a world. All of them are canonical.
struct WorldDef {
  Vec3<double> gravity_m_s2{0.0, -9.81, 0.0};  ///< each within +-1000
  std::uint32_t tick_rate_hz = 60;             ///< ticks per second, [1, 1000]
  std::uint32_t substeps = 4;                  ///< solver substeps per tick, [1, 64]
  double restitution_threshold_m_s = 1.0;      ///< slower contacts do not bounce, [0, 1000]
  double contact_push_max_m_s = 3.0;           ///< maximum separation speed of overlapping shapes, [0, 1000]
  std::uint32_t max_bodies = 1u << 20;         ///< maximum number of bodies, of grabs and of ropes, [1, 2^24]
  std::uint64_t seed = 0;                      ///< seed of the world's own random stream (World::random)
  MixRule friction_rule =
      MixRule::kGeometricMean;  ///< of shapes whose rule is kWorld; must not be kWorld itself
  MixRule restitution_rule =
      MixRule::kMaximum;  ///< of shapes whose rule is kWorld; must not be kWorld itself
  double hit_threshold_m_s =
      1.0;  ///< contacts that approach faster and carry an impulse are reported as hits, [0, 4000]
  /// Maximum number of pairs of shapes that a tick tests, and of contacts that it keeps (limited_pairs.h),
  /// [0, 2^24]; 0 = no limit. For each contact a tick tests four triangles of meshes and height fields, and
  /// as many for sweeps (triangle_budget.h). A step that leaves out any sets StepStatus::contacts_cut. Images
  /// and hashes have this field only if it is not 0.
  std::uint32_t max_contacts = 0;
  bool allow_sleep = true;  ///< true: islands at rest for half a second fall asleep and cost almost nothing
  friend bool operator==(const WorldDef&, const WorldDef&) = default;
};

}  // namespace takt
