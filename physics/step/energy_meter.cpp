#include "physics/step/energy_meter.h"

#include <array>

#include "physics/state/body_energy.h"

namespace takt {
std::string_view name_of(EnergyStage stage) noexcept {
  constexpr std::array<std::string_view, kEnergyStageCount> kNames{
      "forces", "restitution", "joint start",  "contact start", "grabs",          "joints",
      "ropes",  "contacts",    "joints again", "positions",     "relax contacts", "relax joints"};
  return kNames[static_cast<std::size_t>(stage)];
}

bool EnergyLedger::measures_stages() noexcept { return kMeasuresEnergy; }

template <class Real>
void EnergyMeter<Real>::begin_tick(const WorldState<Real>& state) {
  if (ledger_ == nullptr) return;
  ledger_->bodies_.resize(bodies_.bodies.size());
  for (std::size_t i = 1; i < bodies_.bodies.size(); ++i) {
    EnergyLedger::Body& body = ledger_->bodies_[i];
    const BodyRecord<Real>& record = state.bodies[bodies_.moving[i].index];
    body = {};
    if (!bodies_.moving[i].dynamic) continue;
    body.id = state.bodies.id(bodies_.moving[i].index);
    body.mass_kg = record.mass_kg;
    body.inertia_kg_m2 = inertia_of(record);
    body.weight_n = state.def.gravity_m_s2 * (record.mass_kg * to_double(record.gravity_scale));
    body.energy_j = energy_j(i);
  }
}

// Height counts from the pose at the tick's start.
template <class Real>
double EnergyMeter<Real>::energy_j(std::size_t i) const {
  const EnergyLedger::Body& body = ledger_->bodies_[i];
  const SolverBody<Real>& now = bodies_.bodies[i];
  return kinetic_energy_j(body.mass_kg, body.inertia_kg_m2, to_double(bodies_.moving[i].rotation),
                          doubles_of(now.linear_velocity), doubles_of(now.angular_velocity)) -
         dot(body.weight_n, doubles_of(now.delta_position));
}

template <class Real>
void EnergyMeter<Real>::record(EnergyStage stage) const {
  if (ledger_ == nullptr) return;
  double change_j = 0;
  double body_rise_j = 0;
  BodyId rise_body;
  for (std::size_t i = 1; i < ledger_->bodies_.size(); ++i) {
    EnergyLedger::Body& body = ledger_->bodies_[i];
    if (body.mass_kg <= 0) continue;
    double const now_j = energy_j(i);
    double const rise_j = now_j - body.energy_j;
    body.energy_j = now_j;
    change_j += rise_j;
    if (!(rise_j > body_rise_j)) continue;
    body_rise_j = rise_j;
    rise_body = body.id;
  }
  StageEnergy& entry = ledger_->stages_[static_cast<std::size_t>(stage)];
  entry.change_j += change_j;
  if (!(change_j > entry.rise_j)) return;
  entry.rise_j = change_j;
  entry.rise_substep = substep_;
  entry.rise_body = rise_body;
  entry.body_rise_j = body_rise_j;
}

template class EnergyMeter<float>;
template class EnergyMeter<Fixed>;

}  // namespace takt
