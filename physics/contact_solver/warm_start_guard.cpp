#include "physics/contact_solver/warm_start_guard.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Scales all impulses that a contact carries over.
template <class Real>
void scale_impulses(PreparedContact<Real>& contact, double factor) noexcept {
  Real const scale = to_real<Real>(factor);
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i)
    contact.impulses[i] = contact.impulses[i] * scale;
  contact.friction_impulse = contact.friction_impulse * scale;
  contact.twist_impulse = contact.twist_impulse * scale;
  contact.rolling_impulse = contact.rolling_impulse * scale;
}

}  // namespace

template <class Real>
typename WarmStartGuard<Real>::Carried WarmStartGuard<Real>::carried_by(const ContactLoads& loads,
                                                                        const MassRatioInput<Real>& input,
                                                                        std::uint32_t body) const {
  Carried carried;
  for (std::uint32_t const index : loads.links().of(body)) {
    const ContactLoad& load = loads.loads()[index];
    double const factor = factors_[index];
    bool const is_b = input.contact_bodies[index].pushed.body_b == body;
    double const sign = is_b ? factor : -factor;
    carried.impulse += load.impulse * sign;
    carried.torque += (is_b ? load.torque_b : load.torque_a) * sign;
  }
  return carried;
}

/// 1, or the factor at which the carried impulses change the body's velocities as much as is allowed.
template <class Real>
double WarmStartGuard<Real>::factor_of(const MassRatioInput<Real>& input, const SolverMass<Real>& mass,
                                       std::uint32_t body, const Carried& carried) const {
  double const inverse_mass = to_double(mass.inverse_mass);
  double const rest = std::max(rest_m_s_, length(to_double(input.moving[body].linear.change)));
  double const still = kStillWeights * rest;
  // The square of the change of velocity, with rotation by its energy.
  double const square = (dot(carried.impulse, carried.impulse) * inverse_mass +
                         quadratic(mass.inverse_inertia, carried.torque)) *
                        inverse_mass;
  if (!(square > still * still)) return 1.0;
  return still / sqrt(square);
}

template <class Real>
void WarmStartGuard<Real>::guard(const MassRatioInput<Real>& input, const ContactLoads& loads,
                                 std::span<const SolverMass<Real>> masses) {
  rest_m_s_ = std::max(input.weight_m_s, kMinRestSpeedMS);
  factors_.assign(input.contacts.size(), 1.0);
  suspects_.clear();
  for (std::uint32_t body = 1; body < masses.size(); ++body) {
    if (!is_positive(masses[body].inverse_mass)) continue;
    double size = 0.0;
    for (std::uint32_t const index : loads.links().of(body)) size += loads.loads()[index].size;
    if (size * to_double(masses[body].inverse_mass) > kStillWeights * rest_m_s_) suspects_.push_back(body);
  }
  bool changed = true;
  for (int round = 0; changed && round < kMaxGuardRounds; ++round) {
    changed = false;
    for (std::uint32_t const body : suspects_) {
      double const factor = factor_of(input, masses[body], body, carried_by(loads, input, body));
      if (factor == 1.0) continue;
      changed = true;
      for (std::uint32_t const index : loads.links().of(body)) factors_[index] *= factor;
    }
  }
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    TAKT_ASSERT(factors_[i] >= 0.0 && factors_[i] <= 1.0);
    if (factors_[i] != 1.0) scale_impulses(input.contacts[i], factors_[i]);
  }
}

template class WarmStartGuard<float>;
template class WarmStartGuard<Fixed>;

}  // namespace takt
