#include "physics/state/free_motion.h"

#include "physics/state/activity.h"
#include "physics/state/locked_axes.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
Vec3<double> displacement_in_tick(const WorldState<Real>& state, const BodyRecord<Real>& body) noexcept {
  if (!body.enabled || body.asleep || is_still(body)) return {};
  TAKT_ASSERT(state.def.tick_rate_hz > 0);
  double const period = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  Vec3<double> velocity = to_double(body.motion.linear_velocity);
  if (body.type == BodyType::kDynamic) {
    Vec3<double> const acceleration = state.def.gravity_m_s2 * to_double(body.gravity_scale) +
                                      to_double(body.motion.force) * to_double(body.inverse_mass);
    velocity += free_linear(body.locked_axes, acceleration) * period;
  }
  return velocity * period;
}

template Vec3<double> displacement_in_tick(const WorldState<float>&, const BodyRecord<float>&) noexcept;
template Vec3<double> displacement_in_tick(const WorldState<Fixed>&, const BodyRecord<Fixed>&) noexcept;

}  // namespace takt
