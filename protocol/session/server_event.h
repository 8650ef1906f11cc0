// ServerOptions and ServerEvent are the options of a ServerEndpoint and the events that it reports.
// PlayingRoom, StreamOrigin and OutgoingDatagram are arguments and results of its calls. PlayerId, StreamId
// and SecretKey are its ids and its key. The header has types only; server_endpoint.h has the calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/session/address_gate.h"
#include "protocol/session/session_budget.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/wire/address.h"
#include "protocol/wire/network_prefix.h"
#include "takt/core/id.h"

namespace takt::protocol {

/// Players count from 1 in join order and are never reused within a run; 0 is the server itself.
using PlayerId = std::uint32_t;

/// Spectators count from here: they take no id of a player, so that the ids of players do not depend on them.
inline constexpr PlayerId kSpectatorIdFirst = 0x8000'0000u;

/// Names one accepted stream (TCP connection) between transport and endpoint.
using StreamId = Id<struct StreamTag>;

/// 128 secret bits for cookies and session ids. Draw them from the operating system at start-up; who knows
/// them can forge both.
using SecretKey = std::array<std::uint64_t, 2>;

enum class TransportKind : std::uint8_t { kDatagram, kStream, kWebSocket };
inline constexpr std::size_t kTransportKinds = 3;

/// "udp", "tcp", "websocket".
[[nodiscard]] std::string_view name_of(TransportKind kind) noexcept;

/// Who may control the room.
enum class AdminGrant : std::uint8_t {
  kNone,      ///< nobody
  kLoopback,  ///< sessions from this machine's own addresses, unless their stream was opened as untrusted
};

/// How a stream came to be.
struct StreamOrigin {
  TransportKind transport = TransportKind::kStream;
  /// False when the address proves nothing about who speaks: a page of another host in somebody's browser, or
  /// a proxy. Such a session never has the admin right.
  bool is_trusted = true;
};

/// The part of the room's state that sessions need.
struct PlayingRoom {
  std::uint32_t epoch = 0;  ///< of the world; grows when it is replaced. 0 = the host does not count them and
                            ///< sends no RoomState
  std::uint64_t scene_hash = 0;
  std::uint32_t tick_rate_hz = 60;  ///< 1 .. 10,000
  std::uint32_t substeps = 4;
  double ticks_per_s = 60;  ///< as the room runs now; 0 = paused
};

struct ServerOptions {
  /// Players at once, over all transports together. 1 .. 4096.
  std::uint32_t players_max = 64;
  /// Spectators at once, beside the players. 0 .. 4096.
  std::uint32_t spectators_max = 64;
  /// Streams that have not been accepted yet; for one more the oldest is closed. Bounds what strangers can
  /// hold to about 20 kB each; a whole class of clients that connect in the same instant must fit.
  std::uint32_t pending_streams_max = 256;
  std::uint64_t scene_hash = 0;
  NumbersMode numbers_mode = NumbersMode::kFloatMode;  ///< float_mode or fixed_mode
  std::uint32_t tick_rate_hz = 60;                     ///< 1 .. 10,000
  std::uint32_t substeps = 4;
  /// A session that is silent this long has timed out. An honest peer speaks every kKeepAliveInterval.
  std::uint64_t timeout_us = 10 * kSecond;
  /// A stream must have been accepted this long after it opened.
  std::uint64_t stream_handshake_us = 5 * kSecond;
  /// Requests and responses of handshakes over datagrams a second, of all addresses together, and the burst.
  /// Their addresses are not proved, so they have no limit of their own; 20,000 take some 5 % of a core.
  std::uint32_t handshakes_per_s = 20'000;
  std::uint32_t handshake_burst = 2'000;
  /// Limits of one address, and of addresses of this machine.
  AddressLimits address;
  AddressLimits loopback = AddressLimits::of_loopback();
  /// The datagrams, bytes and messages that one session may send.
  SessionLimits session;
  /// Inputs per second and player that are taken, and the burst; more are refused with refused_rate.
  std::uint32_t inputs_per_s = 1000;
  std::uint32_t input_burst = 512;
  /// Control messages per second and player that are taken, and the burst: a seek bar that is dragged, not a
  /// flood.
  std::uint32_t controls_per_s = 30;
  std::uint32_t control_burst = 60;
  /// Questions (QueryRequest) per second and player that are taken, and the burst: a ray a tick for some
  /// dozen creatures, not a flood. Not below kQueriesPerRequest, or a full request never passes.
  std::uint32_t queries_per_s = 1200;
  std::uint32_t query_burst = 600;
  /// The first id of a new player, above those of a world that goes on; and the players of that world by
  /// name: who connects with the name first gets the id.
  PlayerId first_player = 1;
  std::map<std::string, PlayerId> away_players{};
  /// Trusted proxies. Nobody who comes through them has the admin right, and sessions from their own
  /// addresses have none either.
  std::vector<NetworkPrefix> proxies;
  /// Who may control the room.
  AdminGrant admin = AdminGrant::kNone;
  OfferedModes modes;  ///< that sessions may ask for
  SnapshotBudget snapshot_budget;
  /// Rate of one client over datagrams, snapshots and reliable channel together: start, floor and cap,
  /// bytes/s.
  std::uint64_t send_rate_start = 512 * 1024;
  std::uint64_t send_rate_min = 32 * 1024;
  std::uint64_t send_rate_max = 8 * 1024 * 1024;
  /// Bytes a second that the server sends to all clients together; 0 = no limit.
  std::uint64_t egress_max = 0;
  /// Reliable bytes waiting for one client (join images are shared and do not count); past it the client is
  /// dropped as slow_reader.
  std::size_t reliable_queue_max = 4 * 1024 * 1024;
  /// Unsent stream bytes above which this client's snapshots are dropped instead of queued.
  std::size_t stream_backlog_max = 64 * 1024;
};

/// A player or a spectator is in. Send it what it needs to draw (write_bodies_added or send_join_image).
struct PlayerJoined {
  PlayerId player = 0;
  std::string name;  ///< printable, at most kPlayerNameBytesMax bytes, may be empty
  TransportKind transport = TransportKind::kDatagram;
  Address address;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  bool admin = false;  ///< may send Control
  Role role = Role::kPlayer;
};

/// A player is out. Its id never comes back.
struct PlayerLeft {
  PlayerId player = 0;
  DisconnectReason reason = DisconnectReason::kNone;
  std::string text;
};

/// New inputs of one player: each sequence exactly once over the session, ascending. A gap in `sequence` is
/// an input that failed its range check or the rate limit; the client has been told.
struct InputsArrived {
  PlayerId player = 0;
  std::vector<Input> inputs;
  std::uint32_t epoch = 0;  ///< of the world they are meant for
};

/// A player that may do so wants the room to do something. Answer with send_control_result.
struct ControlArrived {
  PlayerId player = 0;
  Control control;
};

/// A player wants to look inside: kInspect bits. At most one in kInspectInterval for each player: the newest.
struct InspectArrived {
  PlayerId player = 0;
  std::uint32_t what = 0;
};

/// A player has forgotten the world before and takes the one of `epoch`, the newest it was told of. Send it
/// what it needs to draw. Its snapshots have begun to flow.
struct EpochEntered {
  PlayerId player = 0;
  std::uint32_t epoch = 0;
};

/// A player asks the world something. Answer with send_query_result.
struct QueryArrived {
  PlayerId player = 0;
  QueryRequest request;
  std::uint32_t epoch = 0;  ///< of the world it is meant for
};

using ServerEvent = std::variant<PlayerJoined, PlayerLeft, InputsArrived, ControlArrived, InspectArrived,
                                 EpochEntered, QueryArrived>;

struct OutgoingDatagram {
  Address to;
  std::vector<std::byte> bytes;  ///< at most kDatagramBytesMax
};

}  // namespace takt::protocol
