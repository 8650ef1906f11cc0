// The soft constraint of CONSTRAINTS 1.9 from a frequency and a damping ratio, worked out in doubles and
// rounded once.
#pragma once

#include "physics/contact_solver/contact_constraint.h"

namespace takt {

/// hertz > 0, damping_ratio >= 0 (dimensionless), substep_s > 0.
template <class Real>
[[nodiscard]] ContactSoftness<Real> make_softness(double hertz, double damping_ratio,
                                                  double substep_s) noexcept {
  constexpr double kTwoPi = 6.28318530717958647692;
  double const omega = kTwoPi * hertz;
  double const rate = 2.0 * damping_ratio + substep_s * omega;
  double const a = substep_s * omega * rate;
  return {to_real<Real>(omega / rate), to_real<Real>(a / (1.0 + a)), to_real<Real>(1.0 / (1.0 + a))};
}

}  // namespace takt
