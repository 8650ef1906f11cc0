// These functions find the shapes that ropes may touch in one tick, and wake ropes and bodies.
// wake_by_ropes() wakes sleeping ropes and bodies that a pin connects or that reach each other; a step
// repeats it until no body wakes. gather_rope_pairs() lists for RopeSolver the pairs of a node and a shape
// that may touch; rope_contacts.h computes their contacts. A pair qualifies if the exact Q31.32 bounds of
// node and shape, enlarged by the motion that velocities and gravity predict, overlap (half-spaces always).
// Sensors, shapes whose filters do not match, and ropes that do not collide have no pairs. Additional
// candidates of the broad phase therefore have no effect. wake_ropes_near() and wake_bodies_near() serve
// calls of World that move, change or destroy a body or a rope.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/ropes/rope_scratch.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

/// Index in WorldState::rope_nodes of the first node of the rope at a pool index below the pool's capacity
/// (asserted). The cost is linear in the number of ropes.
template <class Real>
[[nodiscard]] std::uint32_t first_node(const WorldState<Real>& state, std::uint32_t rope) noexcept;

/// Wakes ropes that are pinned to an active body or that one may reach in this tick. Wakes enabled bodies
/// that an awake rope is pinned to, or that a rope touches whose last tick was not still; appends them to
/// events.woken. Returns true when a body woke: call it again then. Quarantined ropes are left out. Requires
/// current proxies. It uses `found` and `triangles` of `scratch`.
template <class Real>
[[nodiscard]] bool wake_by_ropes(WorldState<Real>& state, Proxies& proxies, RopeScratch& scratch,
                                 StepEvents& events);

/// Replaces shapes and pairs of `scratch`, and sets first_pair and end_pair of its ropes. The ropes and
/// particles of `scratch` must be complete.
template <class Real>
void gather_rope_pairs(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
                       RopeScratch& scratch);

/// Sets geometry.rotation, offset, belt and convex for a rotation of the shape's body. `body_rotation` may
/// differ from unit length by rounding.
void update_rope_shape(RopeShape& shape, Quat<double> body_rotation);

/// Wakes sleeping ropes near a body's shapes, before a call moves, changes or destroys the body. Near: the
/// bounds overlap, whatever the filters; a half-space is near every rope.
template <class Real>
void wake_ropes_near(WorldState<Real>& state, std::uint32_t body);
/// Wakes sleeping bodies that a rope is pinned to or near. Half-spaces do not count. No event is appended.
template <class Real>
void wake_bodies_near(WorldState<Real>& state, std::uint32_t rope);

}  // namespace takt
