// make_softness() computes the coefficients of a soft row (ContactSoftness) from a frequency, a damping ratio
// and the substep length (docs/CONSTRAINTS.md 1.9). The function computes bias rate, mass scale and impulse
// scale in binary64 and rounds each once to Real. make_step_constants() calls make_softness() in each tick,
// for contacts, friction springs and grabs. The other three coefficients are 0 (rigid); make_step_constants()
// sets them where they apply.
#pragma once

#include "takt/core/assert.h"
#include "takt/physics/vector.h"

namespace takt {

/// Coefficients of soft contact and grab rows for one substep length.
template <class Real>
struct ContactSoftness {
  Real bias_rate{};      ///< 1/s
  Real mass_scale{};     ///< factor of the effective mass, 1 - impulse_scale
  Real impulse_scale{};  ///< fraction of the accumulated impulse that an iteration removes; 0 = rigid
  Real friction_impulse_scale{};  ///< impulse scale of friction and twist in the biased pass: 0 = rigid
  Real relax_impulse_scale{};     ///< impulse scale of all rows in the relax pass: 0 = rigid
  Real anchor_rate{};             ///< 1/s: bias rate of friction and twist towards the anchor; 0 = none
};

/// Computes bias_rate, mass_scale and impulse_scale. Asserts hertz > 0 (Hz), damping_ratio >= 0
/// (dimensionless) and substep_s > 0 (s).
template <class Real>
[[nodiscard]] ContactSoftness<Real> make_softness(double hertz, double damping_ratio,
                                                  double substep_s) noexcept {
  TAKT_ASSERT(hertz > 0.0 && damping_ratio >= 0.0 && substep_s > 0.0);
  constexpr double kTwoPi = 6.28318530717958647692;
  double const omega = kTwoPi * hertz;
  double const rate = 2.0 * damping_ratio + substep_s * omega;
  double const a = substep_s * omega * rate;
  return {to_real<Real>(omega / rate), to_real<Real>(a / (1.0 + a)), to_real<Real>(1.0 / (1.0 + a))};
}

}  // namespace takt
