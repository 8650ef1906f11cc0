// Sleep: islands of bodies that touch one another fall asleep together when all have been still for a while,
// and wake together. What sleeps has no velocity, is not stepped, and keeps its contacts bit for bit. Islands
// are found anew from the contacts: nothing of them is canonical but each body's flag and its count of still
// ticks.
//
// A sleeping island wakes at the start of a tick when one of its bodies was woken by a call, and in the
// middle of collision detection when something that moves reaches one of its bodies in this tick, so that the
// first hit meets bodies that can give way.
#pragma once

#include <cstdint>
#include <span>

#include "physics/state/activity.h"
#include "physics/state/world_state.h"
#include "physics/step/step.h"

namespace takt {

/// True when nothing in the world is active: a step then changes only the tick.
template <class Real>
[[nodiscard]] bool is_all_asleep(const WorldState<Real>& state) noexcept;

/// Wakes every body that a stored touching contact connects, over others asleep, to an awake one.
template <class Real>
void wake_connected(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

/// The sleeping body that an active one reaches through this contact within the tick, by its place in the
/// pool; kNoIndex when there is none. `period` is the tick's length, s.
template <class Real>
[[nodiscard]] std::uint32_t reached_sleeper(const WorldState<Real>& state,
                                            const PreparedContact<Real>& contact, std::uint32_t body_a,
                                            std::uint32_t body_b, Real period) noexcept;

/// Wakes the bodies at these places in the pool that are still asleep. True when there was one.
template <class Real>
[[nodiscard]] bool wake_reached(WorldState<Real>& state, std::span<const std::uint32_t> reached,
                                StepEvents& events);

/// Once a tick and body, with its new velocity: how long it has been slow enough to sleep.
template <class Real>
void count_still_tick(BodyRecord<Real>& body) noexcept;

/// After the solve: counts still ticks and puts islands to sleep. Returns the number of islands that are
/// awake.
template <class Real>
std::uint32_t fall_asleep(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

}  // namespace takt
