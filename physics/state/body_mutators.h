// Functions that change a body in WorldState. enable() and change_type() change its enabled flag and its
// type. aim() and drop_target() set and remove the target of a kinematic body (its pose after the next step);
// stop_locked() removes velocities along locked axes. World calls the functions between ticks, and
// mover_step.cpp calls aim() in a tick. Bodies are pool indices and must be alive (asserted). The functions
// wake no other body: World wakes the neighbours.
#pragma once

#include <optional>

#include "physics/state/world_state.h"

namespace takt {

/// Sets velocity components of a dynamic body along or about locked axes to 0; other bodies stay as they are.
template <class Real>
void stop_locked(BodyRecord<Real>& body) noexcept;

/// Sets the enabled flag. Disabling also clears force, torque and target; the velocities stay.
template <class Real>
void enable(WorldState<Real>& state, std::uint32_t body, bool enabled);

/// Changes the body type. The body is then awake, without force, torque and target. A static body loses its
/// velocities, and a body that is not dynamic loses its grabs. Mass is computed from the shapes if the record
/// has none. Errors, on which nothing changes: kOutOfRange (no type), kHalfSpaceNotStatic,
/// kHeightFieldNotStatic, kMeshOnDynamic, kNoMass, kMassOutOfRange.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> change_type(WorldState<Real>& state, std::uint32_t body,
                                                      BodyType type);

/// Sets the velocities that move a kinematic body (asserted) to a pose in the next step, and stores the pose
/// as its target. `center` is the position of its centre of mass. `rotation` is a unit quaternion. Error:
/// kOutOfRange, and nothing changes, if a velocity would exceed kMaxLinearSpeedMS or kMaxAngularSpeedRadS.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> aim(WorldState<Real>& state, std::uint32_t body,
                                              const Position& center, Quat<Real> rotation);

/// Removes the body's target, if any; the velocities stay.
template <class Real>
void drop_target(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
