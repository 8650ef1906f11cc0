// encode_state and decode_state convert a SimState to bytes and back, and diff_states lists the fields in
// which two differ. All three walk the fields by visit_state (sim/state/sim_state.h). The bytes are
// little-endian, field by field; docs/RECORDING.md has the byte table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/state/sim_state.h"
#include "takt/physics/world.h"

namespace takt::sim {

void encode_state(const SimState& state, std::vector<std::byte>& out);

/// The state from exactly these bytes; none when they are malformed or a field is out of range. Ids are not
/// checked against a world: is_rooted does.
[[nodiscard]] std::optional<SimState> decode_state(std::span<const std::byte> bytes);

/// The first `most` fields in which two states differ.
[[nodiscard]] std::vector<StateDifference> diff_states(const SimState& left, const SimState& right,
                                                       std::size_t max);

}  // namespace takt::sim
