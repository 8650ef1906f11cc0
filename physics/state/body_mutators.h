// Changes of what a body is, between ticks: its type, whether it takes part, the axes it may use, where it is
// to be next. They work on canonical state; waking what is around is the world's.
#pragma once

#include <optional>

#include "physics/state/world_state.h"

namespace takt {

/// Takes what moves along locked axes out of its velocities.
template <class Real>
void stop_locked(BodyRecord<Real>& body) noexcept;

template <class Real>
void enable(WorldState<Real>& state, std::uint32_t body, bool enabled);

/// An error leaves everything as it was.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> change_type(WorldState<Real>& state, std::uint32_t body,
                                                      BodyType type);

/// Gives a kinematic body the velocities that take it to a pose (of its centre of mass) in the next step, and
/// notes the pose.
template <class Real>
[[nodiscard]] std::optional<PhysicsError> aim(WorldState<Real>& state, std::uint32_t body,
                                              const Position& center, Quat<Real> rotation);

/// Forgets where it was to be, if it was.
template <class Real>
void drop_target(WorldState<Real>& state, std::uint32_t body);

}  // namespace takt
