// ClientOptions, ClientState and ClientEvent are the options of a ClientEndpoint, its states and the events
// that it reports. ClientEvent is a variant of messages (message.h) and of the structs of this header. The
// header has types only; client_endpoint.h has the calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "crypto/datagram_cipher.h"
#include "crypto/key_exchange.h"
#include "protocol/confirmed/confirmed_batch.h"
#include "protocol/messages/geometry.h"
#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"
#include "protocol/snapshot/snapshot_decoder.h"
#include "takt/crypto/secret.h"

namespace takt::protocol {

struct ClientOptions {
  /// Over kDatagram and kStream (TCP) the session is sealed. Over kWebSocket it is not: TLS is, around it.
  TransportKind transport = TransportKind::kDatagram;
  std::string player_name;       ///< at most kPlayerNameBytesMax bytes of printable UTF-8 (asserted)
  std::uint64_t scene_hash = 0;  ///< 0 = any
  NumbersMode numbers_mode = NumbersMode::kAny;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  Role role = Role::kPlayer;
  /// In modes rollback and lockstep: the client has the room's world still. Accept::resumed has the server's
  /// answer.
  std::optional<ResumePoint> resume{};
  /// The client can go on in another mode (ModeSwitch). Without, a server that changes the mode breaks the
  /// protocol.
  bool may_switch_mode = false;
  std::uint32_t protocol_version = kProtocolVersion;  ///< another one is for tests
  /// Sealed part of a connect token, at most kConnectTokenBytesMax bytes (asserted); empty = none. Servers
  /// take the name from the token, so player_name is not sent beside it.
  std::vector<std::byte> token;
  /// The session keys of the token; needed with one (asserted). Null without.
  std::shared_ptr<const crypto::SessionKeys> token_keys;
  /// The lasting key that the server must have; none = any, so a man in the middle can be the server.
  std::optional<crypto::PublicKey> server_key;
  /// Random bytes from the operating system (net::draw_seed) for the key pair of this session; needed, but
  /// not over a web socket (asserted). Copies of the options share it. The endpoint gives it up when the
  /// session has begun, and the last owner wipes it.
  std::shared_ptr<const crypto::SecretKey> key_seed;
  /// Ciphers that the client offers for datagrams.
  crypto::CipherBits ciphers = crypto::ciphers_of_cpu();
  /// Random number from the operating system (net::draw_nonce). It distinguishes attempts from one address,
  /// and only answers with it are believed.
  std::uint64_t nonce = 1;
  /// The handshake ends with Disconnected (DisconnectReason::kConnectionLost) after this time.
  std::uint64_t connect_timeout_us = 5 * kSecond;
  /// A session in which nothing arrives for this time ends (DisconnectReason::kTimedOut).
  std::uint64_t timeout_us = 10 * kSecond;
  /// Time between two pings. The first eight of a session, and after each RoomState, go every 100 ms.
  std::uint64_t ping_interval_us = 500 * kMillisecond;
  /// Greatest join image that is accepted, bytes; a larger one ends the session as kProtocolError.
  std::uint64_t join_image_max = 256ull * 1024 * 1024;
};

enum class ClientState : std::uint8_t {
  kIdle,        ///< connect() not called yet
  kRequesting,  ///< waits for the Challenge; over a web socket for Accept or Refuse
  kResponding,  ///< waits for Accept or Refuse to the ChallengeResponse
  kConnected,
  kLeaving,       ///< disconnect() was called, or the server broke the protocol; copies of Disconnect go out
  kDisconnected,  ///< the end; the endpoint cannot connect again
};

/// The server accepted the client.
struct Connected {
  Accept accept;
};
/// The session ended, or the connection failed. Comes once; no event of the server follows.
struct Disconnected {
  DisconnectReason reason = DisconnectReason::kNone;  ///< kNone when the server refused the connection
  RefuseReason refused = RefuseReason::kNone;         ///< kNone when it did not
  std::string text;                                   ///< for a person; may be empty
};
/// A part of a snapshot, already applied to ClientEndpoint::world(). Its bodies have the states of tick
/// `part.tick`, for an interpolator. Parts may arrive out of order, and a body may be older here than in
/// world().
struct SnapshotArrived {
  SnapshotPart part;
  bool completes = false;  ///< all parts of the snapshot have arrived now
  RopeNews ropes;          ///< the decoded ropes of the part and of earlier ones that it completes
};
/// A complete join image (the saved simulation at a tick).
struct JoinImageArrived {
  std::uint64_t tick = 0;
  std::vector<std::byte> bytes;  ///< hash checked
};
/// The geometry of a hull, mesh or height field, decoded and checked. It comes before bodies that name it,
/// and is void after a RoomChanged with is_new_world.
struct GeometryArrived {
  std::uint64_t digest = 0;  ///< ShapeInfo::geometry; the server's word, not computed from the bytes
  Geometry geometry;
};
/// Confirmed ticks that follow those of the event before, the first ones the state of the join image.
struct TicksConfirmed {
  ConfirmedBatch batch;
};
/// All inputs with sequences up to `received_through` have arrived.
struct InputsAcknowledged {
  std::uint32_t received_through = 0;
  std::uint64_t tick = 0;         ///< InputAck::tick
  std::int32_t margin_ticks = 0;  ///< InputAck::margin_ticks
};
/// Outcomes of inputs that were moved to a later tick or refused; applied inputs have none.
struct CommandOutcomes {
  std::vector<CommandOutcome> outcomes;
};

/// A RoomState arrived: the scene, tick rate, speed or another value of it has changed. The first one of a
/// session follows Connected. The clock has been restarted at room.tick and the room's speed.
struct RoomChanged {
  RoomState room;
  /// True when the epoch has changed: all earlier bodies, ropes, geometries and snapshots are void.
  /// RoomEntered has been sent. False for the first RoomChanged of a session.
  bool is_new_world = false;
};

using ClientEvent =
    std::variant<Connected, Disconnected, SnapshotArrived, BodiesAdded, BodiesRemoved, JoinImageArrived,
                 InputsAcknowledged, CommandOutcomes, GameEvent, ServerStats, RoomChanged, ControlResult,
                 Contacts, JointFrames, GeometryArrived, QueryResult, JointsBroken, TicksConfirmed,
                 DesyncAnswer, ModeSwitch>;

}  // namespace takt::protocol
