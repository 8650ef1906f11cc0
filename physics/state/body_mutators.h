// Functions that change a body in WorldState. enable() and change_type() change its enabled flag and its
// type. aim() and drop_target() set and remove the target of a kinematic body (its pose after the next step);
// stop_locked() removes velocities along locked axes. World calls the functions between ticks, and
// mover_step.cpp calls aim() in a tick. The functions wake no other body: World wakes the neighbours.
#pragma once

#include <optional>

#include "physics/state/world_state.h"

namespace takt {

/// Removes velocity components along locked axes.
template <class Real>
void stop_locked(BodyRecord<Real>& body) noexcept;

template <class Real>
void enable(WorldState<Real>& state, std::uint32_t body, bool enabled);

/// Changes the body type. On an error nothing changes.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> change_type(WorldState<Real>& state, std::uint32_t body,
                                                      BodyType type);

/// Sets the velocities that move a kinematic body to a pose (of its centre of mass) in the next step, and
/// stores the pose as its target.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> aim(WorldState<Real>& state, std::uint32_t body,
                                              const Position& center, Quat<Real> rotation);

/// Removes the body's target, if any.
template <class Real>
void drop_target(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
