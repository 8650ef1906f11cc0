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

/// Values are the wire's.
enum class ReplicaMode : std::uint8_t {
  /// Nothing is computed; bodies follow snapshots, as in takt::client::Client. A session goes on in it that
  /// cannot keep up (ModeChanged); connect() refuses it.
  kSnapshot = 0,
  kRollback = 1,  ///< own commands act at once; inputs of others are predicted, and corrected later
  kLockstep = 2,  ///< nothing is predicted; own commands act after the way to the server and back
  /// Own commands act at once; bodies near the own ones are predicted, the others follow snapshots. Nothing
  /// runs the room's Game, and own spawns appear when the server tells of them.
  kPredicted = 3,
};

/// The session goes on in this mode: in mode snapshot because this machine steps fewer ticks than the room,
/// because its ticks are no longer kept, or after three desyncs in ten minutes; in another one because the
/// caller asked (switch_mode). In modes that simulate WorldEntered follows; in mode snapshot there is no own
/// world. A refusal changes nothing.
struct ModeChanged {
  ReplicaMode mode = ReplicaMode::kSnapshot;
  std::string text;           ///< the reason, for a person
  std::uint32_t request = 0;  ///< of switch_mode(), which this answers; 0 = nobody asked
  bool is_refused = false;    ///< the server refuses the request, and `mode` is the present one
};

/// The world is there, at the state of `tick`: the first one, another one of the room, or a repair of the
/// own one after a desync. After reconnect() it may be the own world of before, which inputs alone bring to
/// the present tick.
struct WorldEntered {
  std::uint64_t tick = 0;
  bool is_resumed = false;  ///< no image came: the own world goes on from `tick`
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
using ReplicaClientEvent = std::variant<WorldEntered, ModeChanged, RolledBack, DesyncFound, CommandOutcome,
                                        GameMessage, Left, Disconnected>;

}  // namespace takt::client
