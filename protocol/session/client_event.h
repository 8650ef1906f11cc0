// ClientOptions, ClientState and ClientEvent are the options of a ClientEndpoint, its states and the events
// that it reports. ClientEvent is a variant of messages (message.h) and of the structs of this header. The
// header has types only; client_endpoint.h has the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/confirmed/confirmed_batch.h"
#include "protocol/messages/geometry.h"
#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"
#include "protocol/snapshot/snapshot_decoder.h"

namespace takt::protocol {

struct ClientOptions {
  TransportKind transport = TransportKind::kDatagram;
  std::string player_name;       ///< at most kPlayerNameBytesMax bytes of printable UTF-8 (asserted)
  std::uint64_t scene_hash = 0;  ///< 0 = any
  NumbersMode numbers_mode = NumbersMode::kAny;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  Role role = Role::kPlayer;
  std::uint32_t protocol_version = kProtocolVersion;  ///< another one is for tests
  /// Random; tells two attempts from one address apart. Draw it from the operating system.
  std::uint64_t nonce = 1;
  /// The whole handshake must be done in this time, else Disconnected{connection_lost}.
  std::uint64_t connect_timeout_us = 5 * kSecond;
  /// Silence that ends the session.
  std::uint64_t timeout_us = 10 * kSecond;
  /// Between two pings once the clock has settled; the first eight go every 100 ms.
  std::uint64_t ping_interval_us = 500 * kMillisecond;
  /// Greatest join image taken, bytes.
  std::uint64_t join_image_max = 256ull * 1024 * 1024;
};

enum class ClientState : std::uint8_t {
  kIdle,        ///< connect() not called yet
  kRequesting,  ///< waiting for the challenge (or, over a stream, the answer)
  kResponding,  ///< waiting for the answer to our response
  kConnected,
  kLeaving,       ///< disconnect() called; the copies are going out
  kDisconnected,  ///< over; the endpoint is spent
};

/// We are in.
struct Connected {
  Accept accept;
};
/// It is over, or never began: then `refused` says why, if the server did.
struct Disconnected {
  DisconnectReason reason = DisconnectReason::kNone;
  RefuseReason refused = RefuseReason::kNone;
  std::string text;
};
/// A part of a snapshot, already applied to world(). Its bodies are samples of tick `part.tick` for an
/// interpolator. Parts may arrive out of order, and a body may be older here than in world().
struct SnapshotArrived {
  SnapshotPart part;
  bool completes = false;  ///< with this part, all parts of its snapshot are here
  RopeNews ropes;          ///< what the part says of ropes
};
struct JoinImageArrived {
  std::uint64_t tick = 0;
  std::vector<std::byte> bytes;  ///< hash checked
};
/// The geometry of hulls, meshes or height fields, whole and checked; bodies that name it follow. Void when
/// another world begins.
struct GeometryArrived {
  std::uint64_t digest = 0;
  Geometry geometry;
};
/// Confirmed ticks that follow those of the event before, the first ones the state of the join image.
struct TicksConfirmed {
  ConfirmedBatch batch;
};
/// Every input up to `received_through` has arrived. `margin_ticks` says how early (> 0) or late the latest
/// ones were.
struct InputsAcknowledged {
  std::uint32_t received_through = 0;
  std::uint64_t tick = 0;
  std::int32_t margin_ticks = 0;
};
/// Inputs that were moved or refused.
struct CommandOutcomes {
  std::vector<CommandOutcome> outcomes;
};

/// The scene that plays, or its tick rate, has changed. The first RoomChanged follows the Connected event.
/// The clock has been restarted at the room's tick rate.
struct RoomChanged {
  RoomState room;
  /// Another world: every body and snapshot of before is void. The server has been told that we are there.
  bool is_new_world = false;
};

using ClientEvent =
    std::variant<Connected, Disconnected, SnapshotArrived, BodiesAdded, BodiesRemoved, JoinImageArrived,
                 InputsAcknowledged, CommandOutcomes, GameEvent, ServerStats, RoomChanged, ControlResult,
                 Contacts, JointFrames, GeometryArrived, QueryResult, JointsBroken, TicksConfirmed>;

}  // namespace takt::protocol
