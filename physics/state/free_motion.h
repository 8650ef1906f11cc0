// The displacement of a body in one tick without contacts, joints and turning. Broad phase and soft contacts
// look ahead by it; nothing integrates with it.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Displacement in this tick when only gravity and forces act, m. 0 for a body that does not move.
template <class Real>
[[nodiscard]] Vec3<double> displacement_in_tick(const WorldState<Real>& state,
                                                const BodyRecord<Real>& body) noexcept;

}  // namespace takt
