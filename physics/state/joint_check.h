// What a joint's definition, or its record in a stranger's image, must be.
#pragma once

#include <optional>

#include "physics/state/world_state.h"
#include "takt/physics/error.h"
#include "takt/physics/joint.h"

namespace takt {

/// By itself: numbers, axes, softness. The first error, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const JointDef& def) noexcept;
/// A length or an angle that counts turns, and free: any other angle would jump when it wraps.
[[nodiscard]] bool can_be_geared(std::uint8_t locked, JointAxis axis) noexcept;
/// In its world: bodies and coupled joints too.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> check(const WorldState<Real>& state, const JointDef& def) noexcept;
template <class Real>
[[nodiscard]] bool consistent_joints(const WorldState<Real>& state);

}  // namespace takt
