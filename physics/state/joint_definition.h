// read_joint() returns the definition of a joint as its owner gave it, from the joint and axis records of
// WorldState, which stays unchanged. World returns that definition to applications, and joint_check.h checks
// it at load. Frames come back with normalised rotations.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// The inverse of insert_joint() (joint_store.h). `joint` is a pool index, which must be alive (asserted).
template <class Real>
[[nodiscard]] JointDef read_joint(const WorldState<Real>& state, std::uint32_t joint);

}  // namespace takt
