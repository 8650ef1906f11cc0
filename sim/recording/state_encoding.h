// encode_state() and decode_state() convert a SimState (players, ownership, forces, shuttles, policy) to
// bytes and back, for saving, hashing and restoring in simulation.cpp. The bytes are little-endian, field by
// field (docs/RECORDING.md). list_fields() passes the fields to a FieldSink. All three functions walk the
// fields by visit_state() (sim/state/sim_state.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/state/sim_state.h"
#include "takt/physics/world.h"

namespace takt::sim {

/// Appends the state's bytes to `out`.
void encode_state(const SimState& state, std::vector<std::byte>& out);

/// The state from exactly these bytes; none when they are malformed or a field is out of range. Ids are not
/// checked against a world. Simulation::restore() checks those of bodies, and a grab that the world lacks
/// counts as none.
[[nodiscard]] std::optional<SimState> decode_state(std::span<const std::byte> bytes);

/// The record "sim", and one for each player, owned body, lasting force and shuttle.
void list_fields(const SimState& state, FieldSink& sink);

}  // namespace takt::sim
