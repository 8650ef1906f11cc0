// check() returns the first error in the definition of a joint, alone or within its world, or nothing.
// World's create_joint() and change_joint() call check() before anything is changed. can_be_geared() decides
// whether a gear may couple a coordinate of a joint. consistent_joints() checks the joint records of an
// untrusted saved world; state_check.h calls it at load.
#pragma once

#include <optional>

#include "physics/state/world_state.h"
#include "takt/physics/error.h"
#include "takt/physics/joint.h"

namespace takt {

/// Checks a definition alone: numbers, axes, softness, coupling. Returns the first error, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const JointDef& def) noexcept;
/// True for a free linear coordinate, or a free angle that counts turns, of a joint with these locked
/// coordinates. Any other angle would jump when it wraps; distance and swing cannot be geared.
[[nodiscard]] bool can_be_geared(std::uint8_t locked, JointAxis axis) noexcept;
/// Checks a definition alone and within its world: bodies and coupled joints exist, and at least one body is
/// dynamic.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> check(const WorldState<Real>& state, const JointDef& def) noexcept;
/// True when joints and axes of a decoded state are valid. The body pool must be consistent.
template <class Real>
[[nodiscard]] bool consistent_joints(const WorldState<Real>& state);

}  // namespace takt
