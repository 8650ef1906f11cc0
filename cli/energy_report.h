// EnergyReport records the mechanical energy of a run for `takt run --energy`: its first and last value, the
// largest rise above the running minimum, the largest rise in one tick (0 without a rise), and the changes by
// stage if the build measures them (takt/physics/energy_ledger.h). It changes no bit of the run.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "takt/physics/energy_ledger.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::cli {

class EnergyReport {
 public:
  /// Reads the first energy from `simulation`. `scene` has the names of bodies and must outlive the report.
  EnergyReport(const sim::Simulation& simulation, const sim::Scene& scene);

  /// The caller passes this ledger as StepOptions::energy to each step.
  [[nodiscard]] EnergyLedger* ledger() noexcept { return &ledger_; }
  /// Adds the tick that has just been stepped; called after each tick.
  void add(const sim::Simulation& simulation);
  /// text() returns lines for people, json() one JSON object; each ends with a line end.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  struct Stage {
    double change_j = 0;  ///< over the run
    double peak_j = 0;    ///< in the tick of the largest rise
    StageEnergy worst;    ///< the substep with the largest rise
    std::uint64_t worst_tick = 0;
  };
  [[nodiscard]] std::string name_of_body(BodyId body) const;

  const sim::Scene& scene_;
  EnergyLedger ledger_;
  WorldEnergy first_;
  WorldEnergy last_;
  double lowest_j_ = 0;
  double rise_j_ = 0;  ///< largest above the running minimum
  std::uint64_t rise_tick_ = 0;
  double peak_j_ = 0;  ///< largest rise in one tick
  std::uint64_t peak_tick_ = 0;
  std::array<Stage, kEnergyStageCount> stages_{};
};

}  // namespace takt::cli
