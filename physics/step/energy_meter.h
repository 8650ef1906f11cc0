// EnergyMeter measures the mechanical energy of the solver bodies between the stages of a substep for an
// EnergyLedger (takt/physics/energy_ledger.h). run_substeps() calls mark() after each stage. Without
// TAKT_VALIDATION all calls compile to nothing. EnergyMeter reads bodies and never changes them.
#pragma once

#include <cstdint>

#include "physics/constraints/solver_bodies.h"
#include "physics/state/world_state.h"
#include "takt/physics/energy_ledger.h"

namespace takt {

#if defined(TAKT_VALIDATION) && TAKT_VALIDATION
inline constexpr bool kMeasuresEnergy = true;
#else
inline constexpr bool kMeasuresEnergy = false;
#endif

template <class Real>
class EnergyMeter {
 public:
  /// Starts a tick; all three arguments must outlive the meter. `ledger` may be null: then nothing is
  /// measured.
  EnergyMeter(const WorldState<Real>& state, const SolverBodies<Real>& bodies, EnergyLedger* ledger)
      : bodies_(bodies), ledger_(kMeasuresEnergy ? ledger : nullptr) {
    if constexpr (kMeasuresEnergy) begin_tick(state);
  }
  /// `substep` counts from 0.
  void begin_substep(std::uint32_t substep) {
    if constexpr (kMeasuresEnergy) substep_ = substep;
  }
  /// Adds the change of energy since the last mark, or since the tick's start, to `stage`.
  void mark(EnergyStage stage) const {
    if constexpr (kMeasuresEnergy) record(stage);
  }

 private:
  void begin_tick(const WorldState<Real>& state);
  void record(EnergyStage stage) const;
  [[nodiscard]] double energy_j(std::size_t i) const;

  const SolverBodies<Real>& bodies_;
  EnergyLedger* ledger_;
  std::uint32_t substep_ = 0;
};

}  // namespace takt
