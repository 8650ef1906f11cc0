// Checks of ropes: of definitions, before anything is created, and of what an image holds of them, before a
// world may step it.
#pragma once

#include <optional>

#include "physics/state/world_state.h"

namespace takt {

/// Rest length of a definition's segments, m; its own or the mean distance of its nodes.
[[nodiscard]] double rope_segment_m(const RopeDef& def) noexcept;
[[nodiscard]] double rope_node_mass_kg(const RopeDef& def) noexcept;
[[nodiscard]] std::uint32_t rope_node_count(const RopeDef& def) noexcept;

/// The first error but those of pins, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const RopeDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check_segment_length(double segment_m) noexcept;
/// Of a rope's node count. The body must be alive when one is named, which only a world knows.
[[nodiscard]] std::optional<PhysicsError> check(const RopePin& pin, std::uint32_t node_count) noexcept;

template <class Real>
[[nodiscard]] bool consistent_ropes(const WorldState<Real>& state);

}  // namespace takt
