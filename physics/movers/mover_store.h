// These functions serve the public calls of World on stored movers (MoverRecord). mover_body() makes the
// definition of a mover's body, and mover_of() finds the mover of a body. throw_mover() launches a mover,
// view_mover() reads one; MoverStep moves them.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Body definition of a mover; it refers to `shape`, which receives the capsule.
[[nodiscard]] BodyDef mover_body(const MoverDef& def, ShapeDef& shape) noexcept;

/// Index of the mover that owns a body, or kNoIndex.
template <class Real>
[[nodiscard]] std::uint32_t mover_of(const WorldState<Real>& state, std::uint32_t body) noexcept;

/// Puts the mover into the air with this velocity, m/s, world.
void throw_mover(MoverRecord& mover, Vec3<double> velocity) noexcept;

template <class Real>
[[nodiscard]] MoverView view_mover(const WorldState<Real>& state, const MoverRecord& mover);

}  // namespace takt
