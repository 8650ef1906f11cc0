// compare_outputs() compares the messages and refusals of two runs of one tick. They are no state, so equal
// hashes do not cover them. bisect() (replay.h) and SyncTest (rollback_buffer.h) find by them state that a
// game does not save.
#pragma once

#include <optional>

#include "takt/sim/replay.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// The first output of the game that differs; `restored` is the run after a restore or rollback.
[[nodiscard]] std::optional<OutputMismatch> compare_outputs(const TickResult& continued,
                                                            const TickResult& restored);

}  // namespace takt::sim
