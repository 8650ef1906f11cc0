// check() returns the first error in the definition of a rope or of a pin, or nothing. A pin attaches a node
// of a rope to a body or to a point of the world. World calls check() before it creates a rope or a pin.
// rope_segment_m(), rope_node_mass_kg() and rope_node_count() derive the stored values from a definition.
// consistent_ropes() checks the rope records of an untrusted saved world; state_check.h calls it at load.
#pragma once

#include <optional>

#include "physics/state/world_state.h"

namespace takt {

/// Rest length of a definition's segments, m: its own, or the mean distance of its nodes. The definition has
/// at least two nodes (asserted).
[[nodiscard]] double rope_segment_m(const RopeDef& def) noexcept;
/// Mass of one node: the rope's mass, or that of its linear density, divided by the number of nodes.
[[nodiscard]] double rope_node_mass_kg(const RopeDef& def) noexcept;
/// Number of points, or node_count without points.
[[nodiscard]] std::uint32_t rope_node_count(const RopeDef& def) noexcept;

/// Returns the first error, except those of pins, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const RopeDef& def) noexcept;
/// Checks a segment's length, [kMinExtentM, 1000] m. Errors: kNotFinite, kRopeLength.
[[nodiscard]] std::optional<PhysicsError> check_segment_length(double segment_m) noexcept;
/// Checks a pin for a rope of `node_count` nodes. Errors: kRopePinIndex, kNotFinite, kOutOfRange. The caller
/// checks that a named body is alive.
[[nodiscard]] std::optional<PhysicsError> check(const RopePin& pin, std::uint32_t node_count) noexcept;

/// True when ropes, nodes and pins of a decoded state are valid. The body pool must be consistent.
template <class Real>
[[nodiscard]] bool consistent_ropes(const WorldState<Real>& state);

}  // namespace takt
