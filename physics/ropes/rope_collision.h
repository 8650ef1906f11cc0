// These functions find the shapes that ropes may touch in one tick, and wake ropes and bodies.
// wake_by_ropes() wakes sleeping ropes and bodies that a pin connects or that reach each other; a step
// repeats it until no body wakes. gather_rope_pairs() lists for RopeSolver the pairs of a node and a shape
// that may touch; rope_contacts.h computes their contacts. A pair qualifies if the exact Q31.32 bounds of
// node and shape, enlarged by the motion that velocities and gravity predict, overlap (half-spaces always).
// Additional candidates of the broad phase therefore have no effect. wake_ropes_near() and wake_bodies_near()
// serve calls of World that move, change or destroy a body or a rope.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/ropes/rope_scratch.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

/// Index of the first node of the rope at a pool index.
template <class Real>
[[nodiscard]] std::uint32_t first_node(const WorldState<Real>& state, std::uint32_t rope) noexcept;

/// Wakes ropes pinned to or reached by an active body. Wakes bodies that an awake rope is pinned to, or
/// touches while it moves. Returns true when a body woke. Requires current proxies. `found` is scratch.
template <class Real>
[[nodiscard]] bool wake_by_ropes(WorldState<Real>& state, Proxies& proxies, std::vector<std::uint32_t>& found,
                                 StepEvents& events);

/// Fills the shapes and pairs of `scratch`; its ropes and particles must be complete.
template <class Real>
void gather_rope_pairs(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
                       RopeScratch& scratch);

/// Updates a shape's pose for a rotation of its body.
void update_rope_shape(RopeShape& shape, Quat<double> body_rotation);

/// Wakes sleeping ropes near a body's shapes, before a call moves, changes or destroys the body.
template <class Real>
void wake_ropes_near(WorldState<Real>& state, std::uint32_t body);
/// Wakes sleeping bodies that a rope is pinned to or near.
template <class Real>
void wake_bodies_near(WorldState<Real>& state, std::uint32_t rope);

}  // namespace takt
