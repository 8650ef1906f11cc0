// displacement_in_tick() estimates the displacement of a body's centre of mass in one tick from velocity,
// gravity and force, without contacts, joints, damping and rotation. Worlds that have shapes with spring
// contacts (is_soft()) look ahead by that displacement: proxies.h widens the boxes of moving bodies,
// soft_contact_sweep.h sweeps the shapes. No body is moved by the estimate; integrate_bodies.h moves bodies.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Displacement of the centre of mass in this tick when only velocity, gravity and force act, m, world axes.
/// 0 for a body that is disabled, asleep, static or quarantined; kinematic bodies have their velocity only.
template <class Real>
[[nodiscard]] Vec3<double> displacement_in_tick(const WorldState<Real>& state,
                                                const BodyRecord<Real>& body) noexcept;

}  // namespace takt
