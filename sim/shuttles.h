// drive_shuttles() sets the velocities of shuttles: kinematic bodies of a scene that go to and fro between
// two points (SceneMotion). The wanted position of a shuttle is a pure function of the tick
// (shuttle_position()). Before each World::step a shuttle gets the velocity that takes it to the next tick's
// wanted position, at most 0.999 kMaxLinearSpeedMS. So rounding errors do not add up. make_shuttle() converts
// a SceneMotion to ticks. Simulation calls drive_shuttles() and make_shuttle().
#pragma once

#include <cstdint>

#include "sim/state/sim_state.h"
#include "takt/sim/any_world.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// The shuttle that goes from `from` to motion.to and back in each period. Times are rounded to ticks; the
/// period is at least one, and the phase at most the period.
[[nodiscard]] Shuttle make_shuttle(BodyId body, const Position& from, const SceneMotion& motion,
                                   std::uint32_t tick_rate_hz);

/// The wanted position in the state of `tick`. The speed along the line is that of a smooth step: 0 at both
/// ends, greatest in the middle.
[[nodiscard]] Position shuttle_position(const Shuttle& shuttle, std::uint64_t tick) noexcept;

/// Gives every shuttle the velocity for the step from world.tick() to the next, and leaves its rotation
/// alone. A shuttle whose body is gone or not kinematic is left out.
void drive_shuttles(const SimState& state, AnyWorld& world);

}  // namespace takt::sim
