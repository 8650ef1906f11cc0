// Collision detection of ropes in one tick: sleeping ropes and bodies that wake each other, and candidate
// pairs of nodes and shapes. Pairs depend on exact Q31.32 bounds and on velocities at the tick's start.
// Additional candidates of the broad phase therefore have no effect.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Index of the first node of the rope at a pool index.
template <class Real>
[[nodiscard]] std::uint32_t first_node(const WorldState<Real>& state, std::uint32_t rope) noexcept;

/// Wakes ropes pinned to or reached by an active body. Wakes bodies that an awake rope is pinned to, or
/// touches while it moves. Returns true when a body woke. Requires up-to-date proxies.
template <class Real>
[[nodiscard]] bool wake_by_ropes(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events);

/// Fills the shapes and pairs of derived.ropes; its ropes and particles must be complete. Requires the solver
/// bodies.
template <class Real>
void gather_rope_pairs(const WorldState<Real>& state, DerivedState<Real>& derived);

/// Updates a shape's pose for a rotation of its body.
void update_rope_shape(RopeShape& shape, Quat<double> body_rotation);

/// Wakes sleeping ropes near a body's shapes, before a call moves, changes or destroys the body.
template <class Real>
void wake_ropes_near(WorldState<Real>& state, std::uint32_t body);
/// Wakes sleeping bodies that a rope is pinned to or near.
template <class Real>
void wake_bodies_near(WorldState<Real>& state, std::uint32_t rope);

}  // namespace takt
