// What is around ropes in one tick: which sleeping things they wake and which wake them, and the pairs of
// nodes and shapes that may meet. A pair is there or not by exact Q31.32 bounds and velocities as they stand
// at the tick's start, so what the broad phase offers beyond that has no effect.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/ropes/rope_scratch.h"
#include "physics/state/world_state.h"

namespace takt {

/// Where the nodes of the rope at a place in the pool begin.
template <class Real>
[[nodiscard]] std::uint32_t first_node(const WorldState<Real>& state, std::uint32_t rope) noexcept;

/// Wakes ropes that something awake holds or reaches, and bodies that an awake rope holds, or touches while
/// it moves. True when a body woke. Needs current proxies. `found` is scratch.
template <class Real>
[[nodiscard]] bool wake_by_ropes(WorldState<Real>& state, Proxies& proxies, std::vector<std::uint32_t>& found,
                                 StepEvents& events);

/// Fills the shapes and pairs of `scratch`, whose ropes and particles are prepared.
template <class Real>
void gather_rope_pairs(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
                       RopeScratch& scratch);

/// Stands a shape where a rotation of its body has it.
void place_rope_shape(RopeShape& shape, Quat<double> body_rotation);

/// Wakes sleeping ropes near a body's shapes, before the body is moved, changed or taken away by a call.
template <class Real>
void wake_ropes_near(WorldState<Real>& state, std::uint32_t body);
/// The other way round: bodies that sleep on a rope's pins or near its nodes.
template <class Real>
void wake_bodies_near(WorldState<Real>& state, std::uint32_t rope);

}  // namespace takt
