// displacement_in_tick() estimates the displacement of a body in one tick without contacts, joints and
// rotation. Proxies of the broad phase and soft contacts (soft_contact_sweep.h) look ahead by that
// displacement. No body is moved by it; integrate_bodies.h moves bodies.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Displacement in this tick when only gravity and forces act, m. 0 for a body that does not move.
template <class Real>
[[nodiscard]] Vec3<double> displacement_in_tick(const WorldState<Real>& state,
                                                const BodyRecord<Real>& body) noexcept;

}  // namespace takt
