// Movers as records: what a definition becomes, which mover owns a body, what a call from outside changes.
// Moving them is mover_step.h's.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// The body that a mover's definition asks for; its shape goes to `shape`, which the definition refers to.
[[nodiscard]] BodyDef mover_body(const MoverDef& def, ShapeDef& shape) noexcept;

/// The place of the mover that owns a body, or kNoIndex.
template <class Real>
[[nodiscard]] std::uint32_t mover_of(const WorldState<Real>& state, std::uint32_t body) noexcept;

/// In the air with that velocity, m/s, world.
void throw_mover(MoverRecord& mover, Vec3<double> velocity) noexcept;

template <class Real>
[[nodiscard]] MoverView view_mover(const WorldState<Real>& state, const MoverRecord& mover);

}  // namespace takt
