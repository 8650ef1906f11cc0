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

#include "crypto/datagram_cipher.h"
#include "protocol/messages/message.h"
#include "protocol/session/address_gate.h"
#include "protocol/session/session_budget.h"
#include "protocol/session/token_opener.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/wire/address.h"
#include "protocol/wire/network_prefix.h"
#include "takt/core/id.h"
#include "takt/crypto/secret.h"

namespace takt::protocol {

/// Players count from ServerOptions::first_player (1) in join order, and an id has one session in a run; 0 is
/// the server itself. A player of ServerOptions::away_players has the id of an earlier run.
using PlayerId = std::uint32_t;

/// First id of a spectator. The ids of players therefore do not depend on spectators.
inline constexpr PlayerId kSpectatorIdFirst = 0x8000'0000u;

/// Id of a stream (TCP connection or web socket) that ServerEndpoint::handle_stream_open() accepted.
using StreamId = Id<struct StreamTag>;

/// 128 secret bits for cookies and session ids, drawn from the operating system at start-up
/// (net::draw_secret_key). Anyone who knows them can forge both.
using SecretKey = std::array<std::uint64_t, 2>;

/// The seeds of a server's keys of X25519 (crypto/server_keys.h), 32 random bytes each.
struct ServerSeeds {
  crypto::SecretKey lasting;  ///< of the key that clients may pin, which outlives the process if it is kept
  crypto::SecretKey chain;    ///< of the short-lived keys, drawn anew for each endpoint
};

/// Transport of a session: UDP, TCP or WebSocket.
enum class TransportKind : std::uint8_t { kDatagram, kStream, kWebSocket };
inline constexpr std::size_t kTransportKinds = 3;

/// "udp", "tcp", "websocket".
[[nodiscard]] std::string_view name_of(TransportKind kind) noexcept;

/// The sessions that get the admin right, which Control needs.
enum class AdminGrant : std::uint8_t {
  kNone,      ///< no session
  kLoopback,  ///< sessions from addresses of this machine that are no proxies, except over untrusted streams
};

/// The kind of a stream, and the trust in its address.
struct StreamOrigin {
  TransportKind transport = TransportKind::kStream;  ///< kStream or kWebSocket, for handle_stream_open()
  /// False when the address does not identify the client: a web page of another host in a user's browser, or
  /// a proxy. Such a session never has the admin right.
  bool is_trusted = true;
};

/// The part of the room's state that sessions need (ServerEndpoint::handle_room).
struct PlayingRoom {
  std::uint32_t epoch = 0;  ///< of the world; never falls, and rises when the world is replaced. 0 = the host
                            ///< counts no epochs and sends no RoomState
  std::uint64_t scene_hash = 0;     ///< a request for another scene is refused
  std::uint32_t tick_rate_hz = 60;  ///< 1 .. 10,000
  std::uint32_t substeps = 4;
  double ticks_per_s = 60;  ///< rate at which the room runs now: tick rate x speed; 0 = paused
};

struct ServerOptions {
  /// Players at once, over all transports together. 1 .. 4096 (asserted).
  std::uint32_t players_max = 64;
  /// Spectators at once, beside the players. 0 .. 4096.
  std::uint32_t spectators_max = 64;
  /// Streams at once that have no session yet; for one more the oldest is closed. A stream is closed, too,
  /// when it sends more than 12 kB before it has a session. A class of clients that connect at once must fit.
  std::uint32_t pending_streams_max = 256;
  /// scene_hash, tick_rate_hz and substeps of the first PlayingRoom; handle_room() replaces them.
  std::uint64_t scene_hash = 0;
  NumbersMode numbers_mode = NumbersMode::kFloatMode;  ///< kFloatMode or kFixedMode (asserted)
  std::uint32_t tick_rate_hz = 60;                     ///< 1 .. 10,000 (asserted)
  std::uint32_t substeps = 4;
  /// A session from which nothing arrives for this long has timed out. Every client sends a KeepAlive after
  /// kKeepAliveInterval of silence.
  std::uint64_t timeout_us = 10 * kSecond;
  /// A stream that has no session this long after it opened is closed.
  std::uint64_t stream_handshake_us = 5 * kSecond;
  /// Requests of handshakes over datagrams that are read in a second, for all addresses together, and the
  /// burst (NetworkLimiter). Responses have no limit before their cookie. 20,000 a second take some 5 % of
  /// a core. Latency probes have a quarter of both, beside the requests.
  std::uint32_t handshakes_per_s = 20'000;
  std::uint32_t handshake_burst = 2'000;
  /// Limits of one address; `loopback` applies to each address of this machine instead.
  AddressLimits address;
  AddressLimits loopback = AddressLimits::of_loopback();
  /// The datagrams, bytes and messages that one session may send.
  SessionLimits session;
  /// Inputs per second and player that are passed on, and the burst. Further ones are refused
  /// (CommandStatus::kRefusedRate).
  std::uint32_t inputs_per_s = 1000;
  std::uint32_t input_burst = 512;
  /// Control messages per second and player that are passed on, and the burst: enough for a seek bar that is
  /// dragged. Further ones are answered with ControlStatus::kFailed.
  std::uint32_t controls_per_s = 30;
  std::uint32_t control_burst = 60;
  /// Queries (of QueryRequests) per second and player that are passed on, and the burst: a ray a tick for
  /// some dozen creatures. Further requests are answered with QueryStatus::kRefusedRate. The burst is at
  /// least kQueriesPerRequest, or a full request never passes.
  std::uint32_t queries_per_s = 1200;
  std::uint32_t query_burst = 600;
  /// Id of the first new player: at least 1, and above those of a resumed world.
  PlayerId first_player = 1;
  /// Players of a resumed world by name. The first player who connects with the name gets the id.
  std::map<std::string, PlayerId> away_players{};
  /// Sequences of the last inputs of these players, by id; without an entry 0. handle_room() forgets them
  /// with a new epoch.
  std::map<PlayerId, std::uint32_t> input_offsets{};
  /// Trusted proxies. Sessions from their addresses have no admin right. The transport reads the address of a
  /// client behind them and opens its stream as untrusted (StreamOrigin).
  std::vector<NetworkPrefix> proxies;
  /// The sessions that may control the room.
  AdminGrant admin = AdminGrant::kNone;
  OfferedModes modes;  ///< that sessions may ask for
  /// Opens the tokens of requests; null = tokens are ignored. Not owned, and must outlive the endpoint.
  TokenOpener* tokens = nullptr;
  /// With `tokens`, sessions without a token are accepted, too.
  bool allow_guests = false;
  /// Tokens that are opened in a second, for all addresses together, and the burst (NetworkLimiter). A token
  /// over it is not opened: the request waits, as one above the joins of its address. An open takes 2 to 8
  /// us, so the rate takes at most 3 % of a core.
  std::uint32_t token_opens_per_s = 4'000;
  std::uint32_t token_open_burst = 500;
  /// Agreements of keys in a second, for all addresses together, and the burst (NetworkLimiter): an answer to
  /// a challenge with a good cookie costs one. Above it the answer waits. An agreement takes some 0.4 ms, so
  /// the rate takes at most a fifth of a core; a class that connects at once is in the burst.
  std::uint32_t agreements_per_s = 500;
  std::uint32_t agreement_burst = 500;
  /// Ciphers that sessions over datagrams may have beside ChaCha20-Poly1305.
  crypto::CipherBits ciphers = crypto::ciphers_of_cpu();
  SnapshotBudget snapshot_budget;
  /// Rate of one client over datagrams, snapshots and reliable channel together, at the start, at least and
  /// at most, bytes/s (PacerOptions).
  std::uint64_t send_rate_start = 512 * 1024;
  std::uint64_t send_rate_min = 32 * 1024;
  std::uint64_t send_rate_max = 8 * 1024 * 1024;
  /// Bytes a second that the server sends to all clients together (EgressLimiter); 0 = no limit.
  std::uint64_t egress_max = 0;
  /// Greatest number of reliable bytes that wait in the ReliableQueue of one client, without shared messages,
  /// join images and geometry. A message above it ends the session (DisconnectReason::kSlowReader).
  std::size_t reliable_queue_max = 4 * 1024 * 1024;
  /// Unsent bytes of one stream above which its client gets no snapshots.
  std::size_t stream_backlog_max = 64 * 1024;
};

/// A session of a player or spectator has begun. The host sends its client the bodies (send_shared() with
/// write_bodies_added(), or send_join_image()), and first send_room_state() if it counts epochs.
struct PlayerJoined {
  PlayerId player = 0;  ///< spectators count from kSpectatorIdFirst
  std::string name;     ///< of the token, if there is one; printable, may be empty
  TransportKind transport = TransportKind::kDatagram;
  Address address;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  bool admin = false;  ///< may send Control
  Role role = Role::kPlayer;
  std::uint64_t user_id = 0;     ///< of the token; 0 = a session without a token
  std::uint32_t bodies_max = 0;  ///< that the player may own, of the token; 0 = as the room
  /// The client has the world of this epoch still, and gets the confirmed ticks that it lacks; 0 = it needs
  /// an image, if it simulates.
  std::uint32_t resumed_epoch = 0;
};

/// A session has ended. No event of this player follows.
struct PlayerLeft {
  PlayerId player = 0;
  DisconnectReason reason = DisconnectReason::kNone;
  std::string text;  ///< for a person, as the Disconnect has it
};

/// A session over datagrams goes on at another address, where its client has answered a path probe. A session
/// has at most one such event a second: the first move is reported at once, and those of the second after it
/// together. Moves that no second followed before PlayerLeft are not reported.
struct PlayerMoved {
  PlayerId player = 0;
  Address from;               ///< at the last event of the session, or at its join
  Address to;                 ///< the present one; equal to `from` if the session has come back
  std::uint32_t moves = 1;    ///< since the last event, at least 1
  std::uint64_t user_id = 0;  ///< of the token; 0 = a session without a token
};

/// New inputs of one player, with ascending sequences; each sequence comes once in a session. A gap in
/// `sequence` is an input that was refused (range check, rate limit, earlier epoch); the client has been
/// told.
struct InputsArrived {
  PlayerId player = 0;
  std::vector<Input> inputs;
  std::uint32_t epoch =
      0;  ///< of the world that the client had entered; an older one than the host's is late
};

/// A session with the admin right sent a Control. The host answers by send_control_result().
struct ControlArrived {
  PlayerId player = 0;
  Control control;
};

/// A session asks for contacts, joints or ropes from now on. Each session has at most one event in
/// kInspectInterval, with its newest Inspect.
struct InspectArrived {
  PlayerId player = 0;
  std::uint32_t what = 0;  ///< kInspect bits; 0 = nothing more
};

/// The client of a session has replaced its world by that of `epoch`, the newest that a RoomState told it.
/// The host sends it the bodies. Snapshots go to this client from now on.
struct EpochEntered {
  PlayerId player = 0;
  std::uint32_t epoch = 0;
  std::uint32_t mode_epoch = 0;  ///< as ModeSwitched::mode_epoch; 0 = the mode of the join
};

/// A session sent queries. The host answers by send_query_result().
struct QueryArrived {
  PlayerId player = 0;
  QueryRequest request;
  std::uint32_t epoch = 0;  ///< of the world that the client had entered
};

/// A client that simulates compares its state with the server's, which differs (ConfirmedSlice has the
/// hashes). The host answers by send_desync_answer().
struct DesyncProbed {
  PlayerId player = 0;
  DesyncProbe probe;
  std::uint32_t epoch = 0;  ///< of the world that the client has entered
};

/// A session goes on in another mode, as its client or the host asked (ServerEndpoint::switch_mode). Its
/// client has nothing of the world any more: the host sends it the bodies, or an image.
struct ModeSwitched {
  PlayerId player = 0;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  std::string text;              ///< for a person; printable
  std::uint32_t mode_epoch = 0;  ///< changes of the session's mode so far, this one included
};

using ServerEvent = std::variant<PlayerJoined, PlayerLeft, PlayerMoved, InputsArrived, ControlArrived,
                                 InspectArrived, EpochEntered, QueryArrived, DesyncProbed, ModeSwitched>;

/// A datagram for the transport to send.
struct OutgoingDatagram {
  Address to;
  std::vector<std::byte> bytes;  ///< at most kDatagramBytesMax
};

}  // namespace takt::protocol
