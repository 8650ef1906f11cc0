// RefusalCounts holds the number of refused commands by reason. `takt serve` and `takt bot` print it at their
// end; the names are those of docs/PROTOCOL.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "protocol/messages/message.h"

namespace takt::cli {

/// By CommandRefusal.
using RefusalCounts = std::array<std::uint64_t, protocol::kCommandRefusals>;

/// " (game_refused 5, rate_limited 3)", most frequent first; empty without a refusal. `queue_full` counts
/// commands that never reached a room.
[[nodiscard]] std::string refusals_text(const RefusalCounts& counts, std::uint64_t queue_full = 0);

/// {"game_refused":5,"rate_limited":3}, in the order of the protocol.
[[nodiscard]] std::string refusals_json(const RefusalCounts& counts);

}  // namespace takt::cli
