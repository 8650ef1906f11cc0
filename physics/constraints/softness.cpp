#include "takt/physics/softness.h"

#include <cmath>

namespace takt {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr double kLargest = 1e15;

/// A smaller positive number would underflow binary64 in the products of row().
constexpr double kMin = 1e-12;

bool in_range(double value, double max) noexcept {
  return value == 0.0 || (value >= kMin && value <= max);
}  // false for NaN

}  // namespace

bool Softness::is_valid() const noexcept {
  switch (form_) {
    case Form::kRigid: return first_ == 0.0 && second_ == 0.0;
    case Form::kBetaGamma:
    case Form::kErpCfm: return in_range(first_, 1.0) && in_range(second_, kLargest);
    case Form::kSpring:
    case Form::kFrequency: return in_range(first_, kLargest) && in_range(second_, kLargest);
  }
  return false;
}

SoftRow Softness::row(double substep_s, double inverse_mass) const noexcept {
  double const h = substep_s;
  double stiffness = first_;
  double damping = second_;
  switch (form_) {
    case Form::kRigid: return {};
    case Form::kBetaGamma: return {first_ / h, second_};
    case Form::kErpCfm: return {first_ / h, second_ / h};
    case Form::kSpring: break;
    case Form::kFrequency: {
      double const omega = kTwoPi * first_;
      stiffness = omega * omega / inverse_mass;
      damping = 2.0 * second_ * omega / inverse_mass;
      break;
    }
  }
  double const force_per_velocity = damping + h * stiffness;
  if (!(force_per_velocity > 0.0)) return {};
  return {stiffness / force_per_velocity, 1.0 / (h * force_per_velocity)};
}

Softness Softness::as_beta_gamma(double substep_s, double inverse_mass) const noexcept {
  if (is_rigid() || is_idle()) return *this;
  SoftRow const r = row(substep_s, inverse_mass);
  return beta_gamma(r.bias_rate * substep_s, r.gamma);
}

Softness Softness::as_erp_cfm(double substep_s, double inverse_mass) const noexcept {
  if (is_rigid() || is_idle()) return *this;
  SoftRow const r = row(substep_s, inverse_mass);
  return erp_cfm(r.bias_rate * substep_s, r.gamma * substep_s);
}

Softness Softness::as_spring(double substep_s, double inverse_mass) const noexcept {
  if (is_rigid() || is_idle()) return *this;
  SoftRow const r = row(substep_s, inverse_mass);
  if (!(r.gamma > 0.0)) return rigid();
  // gamma = 1 / (h (c + h k)) and beta / h = k / (c + h k)
  double const force_per_velocity = 1.0 / (substep_s * r.gamma);
  return spring(r.bias_rate * force_per_velocity, (1.0 - r.bias_rate * substep_s) * force_per_velocity);
}

Softness Softness::as_frequency(double substep_s, double inverse_mass) const noexcept {
  if (is_rigid() || is_idle()) return *this;
  Softness const s = as_spring(substep_s, inverse_mass);
  if (s.is_rigid()) return s;
  double const omega = std::sqrt(s.first() * inverse_mass);
  if (!(omega > 0.0)) return frequency(0.0, 0.0);
  return frequency(omega / kTwoPi, s.second() * inverse_mass / (2.0 * omega));
}

}  // namespace takt
