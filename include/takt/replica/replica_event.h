// ReplicaClientEvent is a variant of the events of a ReplicaClient, and DrawnBody is a body as it draws it.
// ReplicaClient::next_event() returns events in the order in which they happened. The own world tells what
// spawned, broke or was hit; these events tell what the network did to the own world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "takt/client/event.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt::client {

/// The world is there, at the state of `tick`: the first one, another one of the room, or a repair of the
/// own one after a desync.
struct WorldEntered {
  std::uint64_t tick = 0;
};
/// States from `from` on were computed again, up to `to`, the present tick. Events of these ticks may have
/// been shown already. Adjacent ones that nobody took become one, from the lowest tick to the highest.
struct RolledBack {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
/// The own state at a confirmed tick differs from the server's, which sends a fresh image next.
struct DesyncFound {
  std::uint64_t tick = 0;
  std::string text;  ///< record, fields, values (server != own) and ULPs, or the reason for their absence
  /// Own states before and at `tick`, with the inputs between them: a recording for `takt replay bisect` and
  /// `diff`. Empty unless ReplicaClientOptions::keeps_desync_states is set, and when the state is gone
  /// or has more than 64 MiB.
  std::vector<std::byte> recording{};
};
/// A body as it is drawn.
struct DrawnBody {
  BodyId id;
  Position position;  ///< of the origin
  Quat<double> rotation;
};

/// GameMessage comes once its tick is confirmed, from the own world's Game.
using ReplicaClientEvent =
    std::variant<WorldEntered, RolledBack, DesyncFound, CommandOutcome, GameMessage, Left, Disconnected>;

}  // namespace takt::client
