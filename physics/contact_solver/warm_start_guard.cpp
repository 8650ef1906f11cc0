#include "physics/contact_solver/warm_start_guard.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/state/locked_axes.h"
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

/// The largest factor of the carried impulses with which they change the body's velocities as much as is
/// allowed, at most 1; or the factor with which they change them least.
template <class Real>
double WarmStartGuard<Real>::factor_of(const MassRatioInput<Real>& input, const SolverMass<Real>& mass,
                                       std::uint32_t body, const Carried& carried) const {
  double const inverse_mass = to_double(mass.inverse_mass);
  double const rest = std::max(rest_m_s_, length(to_double(input.moving[body].linear.change)));
  double const limit = kStillWeights * rest;
  const ExternalLoad& external = input.external[body];
  Vec3<double> const impulse = free_linear(mass.locked_axes, carried.impulse);
  Vec3<double> const joints = free_linear(mass.locked_axes, external.impulse);
  // The square of the change of velocity is square s^2 + 2 cross s + own, with rotation by its energy. Joints
  // carry the torques of a body that they hold.
  double square = dot(impulse, impulse) * inverse_mass;
  if (external.source == LoadSource::kNone) square += quadratic(mass.inverse_inertia, carried.torque);
  square *= inverse_mass;
  double const cross = dot(impulse, joints) * inverse_mass * inverse_mass;
  double const own = dot(joints, joints) * inverse_mass * inverse_mass;
  if (!(square + 2.0 * cross + own > limit * limit)) return 1.0;
  if (!(square > 0.0)) return 1.0;
  double const discriminant = cross * cross - square * (own - limit * limit);
  double const factor = (sqrt(maximum(discriminant, 0.0)) - cross) / square;
  return clamp(factor, 0.0, 1.0);
}

template <class Real>
void WarmStartGuard<Real>::guard(const MassRatioInput<Real>& input, const ContactLoads& loads,
                                 std::span<const SolverMass<Real>> masses) {
  rest_m_s_ = std::max(input.weight_m_s, kMinRestSpeedMS);
  factors_.assign(input.contacts.size(), 1.0);
  suspects_.clear();
  for (std::uint32_t body = 1; body < masses.size(); ++body) {
    if (input.external[body].source == LoadSource::kUnknown || !is_positive(masses[body].inverse_mass))
      continue;
    if (!loads.is_unequal(body) && !(loads.is_guarded() && loads.is_overloaded(body))) continue;
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
