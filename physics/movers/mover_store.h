// These functions serve World's calls on movers (characters), whose stored state is MoverRecord. mover_body()
// makes the definition of a mover's body, a kinematic capsule, for create_mover(). mover_of() returns the
// mover that owns a body. throw_mover() takes a mover off its ground with a given velocity;
// World::set_velocity() on a mover's body calls it. view_mover() makes the MoverView that World::mover()
// returns. MoverStep (mover_step.h) moves the movers in a tick.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Makes the body definition of a mover from a checked definition. The result refers to `shape`, which
/// receives the capsule and must outlive the result.
[[nodiscard]] BodyDef mover_body(const MoverDef& def, ShapeDef& shape) noexcept;

/// Index of the mover that owns a body, or kNoIndex.
template <class Real>
[[nodiscard]] std::uint32_t mover_of(const WorldState<Real>& state, std::uint32_t body) noexcept;

/// Puts the mover into the air with this velocity, m/s, world, which must be finite.
void throw_mover(MoverRecord& mover, Vec3<double> velocity) noexcept;

/// Gives the mover the velocity of its body, m/s, world, which must be finite. It stays on its ground.
void correct_mover(MoverRecord& mover, Vec3<double> velocity) noexcept;

/// The public view of a mover, whose body must be alive (asserted).
template <class Real>
[[nodiscard]] MoverView view_mover(const WorldState<Real>& state, const MoverRecord& mover);

}  // namespace takt
