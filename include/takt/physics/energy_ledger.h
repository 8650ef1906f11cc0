// EnergyLedger records the change of mechanical energy in each stage of a step's substeps, with the largest
// rise and the body that gained most in it. StepOptions::energy passes a ledger to World::step. Only builds
// with checks (TAKT_VALIDATION) measure stages; others only clear the ledger. No bit of a result depends on
// it. Energy here is the kinetic energy of dynamic bodies and their potential energy in the world's gravity.
// Springs, joint drives and ropes have energy of their own, which the ledger does not contain.
// World::energy() returns the sum at a tick, in every build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "takt/physics/body.h"

namespace takt {

/// Stages of a substep in their order.
enum class EnergyStage : std::uint8_t {
  kForces,        ///< gravity, forces, damping, speed limits
  kRestitution,   ///< impacts that bounce
  kJointStart,    ///< gyroscopic term and warm start of joints
  kContactStart,  ///< warm start of grabs and contacts
  kGrabs,         ///< biased passes from here on
  kJoints,
  kRopes,
  kContacts,
  kJointsAgain,
  kPositions,      ///< positions, gyroscopic term, and the end of bounces
  kRelaxContacts,  ///< passes without bias from here on
  kRelaxJoints,
};
inline constexpr std::size_t kEnergyStageCount = 12;
/// Returns a name for people: "forces", "contact start", "relax contacts" and so on.
[[nodiscard]] std::string_view name_of(EnergyStage stage) noexcept;

/// Changes of energy in one stage, J.
struct StageEnergy {
  double change_j = 0;             ///< sum over the tick's substeps
  double rise_j = 0;               ///< largest rise in one substep, >= 0
  std::uint32_t rise_substep = 0;  ///< of rise_j, counts from 0
  BodyId rise_body;                ///< gained most in the stage of that substep; null without a rise
  double body_rise_j = 0;          ///< its gain
};

class EnergyLedger {
 public:
  /// True when this build measures stages: configure with TAKT_VALIDATION, as the preset dev does.
  [[nodiscard]] static bool measures_stages() noexcept;

  /// The changes of the last step; zeros in builds without checks and after a step in which all bodies slept.
  [[nodiscard]] const StageEnergy& stage(EnergyStage stage) const noexcept {
    return stages_[static_cast<std::size_t>(stage)];
  }

  /// Sets all stages to 0. Each step with this ledger calls clear() first.
  void clear() noexcept { stages_ = {}; }

 private:
  template <class Real>
  friend class EnergyMeter;
  /// Data of a moving body.
  struct Body {
    std::array<double, 6> inertia_kg_m2{};  ///< body frame; xx, yy, zz, xy, xz, yz
    double mass_kg = 0;                     ///< 0 = kinematic
    Vec3<double> weight_n{};
    BodyId id;
    double energy_j = 0;  ///< at the last mark
  };
  std::array<StageEnergy, kEnergyStageCount> stages_{};
  std::vector<Body> bodies_;  ///< kept from step to step: a steady step does not allocate
};

}  // namespace takt
