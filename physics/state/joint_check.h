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

/// Checks a definition alone: numbers, axes, softness. Returns the first error, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const JointDef& def) noexcept;
/// True for a free coordinate that is a length or an angle that counts turns. Any other angle would jump when
/// it wraps.
[[nodiscard]] bool can_be_geared(std::uint8_t locked, JointAxis axis) noexcept;
/// Checks a definition within its world, including bodies and coupled joints.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> check(const WorldState<Real>& state, const JointDef& def) noexcept;
template <class Real>
[[nodiscard]] bool consistent_joints(const WorldState<Real>& state);

}  // namespace takt
