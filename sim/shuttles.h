// Shuttles: kinematic bodies that go to and fro (SceneMotion). Where a shuttle should be is a pure function
// of the tick; each tick it gets the velocity that takes it there, so rounding never adds up. It does not
// move anything itself: the engine does.
#pragma once

#include <cstdint>

#include "sim/state/sim_state.h"
#include "takt/sim/any_world.h"
#include "takt/sim/scene.h"

namespace takt::sim {

[[nodiscard]] Shuttle make_shuttle(BodyId body, const Position& from, const SceneMotion& motion,
                                   std::uint32_t tick_rate_hz);

/// Where the shuttle should be in the state of `tick`.
[[nodiscard]] Position shuttle_position(const Shuttle& shuttle, std::uint64_t tick) noexcept;

/// Gives every shuttle the velocity for the step from world.tick() to the next.
void drive_shuttles(const SimState& state, AnyWorld& world);

}  // namespace takt::sim
