// The server's end of every session, over datagrams and streams alike, without any I/O: bytes and the time
// come in by handle_*, bytes and events go out by poll_*. Any transport works; net/server_transport.h is the
// one for sockets.
//
// What it does: stateless challenge before anything is allocated, accept or refuse with a reason, sequence
// and acks, the reliable channel, inputs exactly once and in order, answers to clock pings, snapshots per
// client against what that client holds, keep-alive, time-out, disconnect with a reason. What it does not:
// sockets, clocks, threads, logs, simulation, or deciding whether an input is allowed.
//
// One thread at a time. Times are monotonic microseconds of any epoch and must not run backwards (asserted).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/message.h"
#include "protocol/session/counters.h"
#include "protocol/session/error.h"
#include "protocol/session/session_stats.h"
#include "protocol/session/size_histogram.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/wire/address.h"
#include "takt/core/id.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Players count from 1 in join order and are never reused within a run; 0 is the server itself.
using PlayerId = std::uint32_t;

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

/// What plays, as far as sessions must know.
struct PlayingRoom {
  std::uint32_t epoch = 0;  ///< of the world; grows when it is replaced. 0 = the host does not count them and
                            ///< sends no RoomState
  std::uint64_t scene_hash = 0;
  std::uint32_t tick_rate_hz = 60;  ///< 1 .. 10,000
  std::uint32_t substeps = 4;
  double ticks_per_s = 60;  ///< as the room runs now; 0 = paused
};

struct ServerOptions {
  /// Sessions at once, datagram and stream together. 1 .. 4096.
  std::uint32_t players_max = 64;
  /// Streams that have not been accepted yet; more are closed at once. Bounds what strangers can hold to
  /// about 20 kB each; a whole class of clients that connect in the same instant must fit.
  std::uint32_t pending_streams_max = 256;
  std::uint64_t scene_hash = 0;
  NumbersMode numbers_mode = NumbersMode::kFloatMode;  ///< float_mode or fixed_mode
  std::uint32_t tick_rate_hz = 60;                     ///< 1 .. 10,000
  std::uint32_t substeps = 4;
  /// A session that is silent this long has timed out. An honest peer speaks every kKeepAliveInterval.
  std::uint64_t timeout_us = 10 * kSecond;
  /// A stream must have been accepted this long after it opened.
  std::uint64_t stream_handshake_us = 5 * kSecond;
  /// Handshake datagrams (and new streams) per second and IP address, and the burst above it. Behind one NAT
  /// address many players may start at once: hence not tighter.
  std::uint32_t handshakes_per_s = 128;
  std::uint32_t handshake_burst = 256;
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
  /// Who may control the room.
  AdminGrant admin = AdminGrant::kNone;
  SnapshotBudget snapshot_budget;
  /// Pacing of the reliable channel over datagrams: start, floor and cap, bytes/s. The cap is the congestion
  /// limit of one client.
  std::uint64_t send_rate_start = 512 * 1024;
  std::uint64_t send_rate_min = 32 * 1024;
  std::uint64_t send_rate_max = 8 * 1024 * 1024;
  /// Reliable bytes waiting for one client (join images are shared and do not count); past it the client is
  /// dropped as slow_reader.
  std::size_t reliable_queue_max = 4 * 1024 * 1024;
  /// Unsent stream bytes above which this client's snapshots are dropped instead of queued.
  std::size_t stream_backlog_max = 64 * 1024;
};

/// A player is in. Send it what it needs to draw (send_bodies_added or send_join_image).
struct PlayerJoined {
  PlayerId player = 0;
  std::string name;  ///< printable, at most kPlayerNameBytesMax bytes, may be empty
  TransportKind transport = TransportKind::kDatagram;
  Address address;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  bool admin = false;  ///< may send Control
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

/// A player wants to look inside: kInspect bits.
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

class ServerEndpoint {
 public:
  ServerEndpoint(const ServerOptions& options, const SecretKey& secret);
  ~ServerEndpoint();
  ServerEndpoint(const ServerEndpoint&) = delete;
  ServerEndpoint& operator=(const ServerEndpoint&) = delete;

  // ------------------------------------------------------------ bytes

  /// A datagram arrived. Anything malformed, forged, old or repeated is dropped and counted.
  void handle_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  /// The next datagram to send now, or false. Call until false after every handle_* and send_*, and at
  /// next_wakeup_us(). Reuses out.bytes.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, OutgoingDatagram& out);

  /// A stream was accepted. Null: refused (too many pending, or this address opens too many); close it.
  [[nodiscard]] StreamId handle_stream_open(std::uint64_t now_us, const Address& from,
                                            const StreamOrigin& origin = {});
  /// Bytes of a stream, in order, any split.
  void handle_stream_bytes(std::uint64_t now_us, StreamId stream, std::span<const std::byte> bytes);
  /// The stream closed or failed. Unknown ids are ignored.
  void handle_stream_closed(std::uint64_t now_us, StreamId stream);
  /// Appends up to about `bytes_max` bytes to write to the stream now; returns how many. Pull only what the
  /// socket can take: what stays here is what lets the endpoint drop snapshots of a slow reader.
  [[nodiscard]] std::size_t poll_stream(std::uint64_t now_us, StreamId stream, std::size_t bytes_max,
                                        std::vector<std::byte>& out);
  /// The next stream of that kind that has bytes to pull, once per stream since the last call chain; null
  /// when none. The transport then calls poll_stream.
  [[nodiscard]] StreamId poll_writable_stream(TransportKind kind = TransportKind::kStream);
  /// The next stream of that kind the transport must close after writing what poll_stream still gives; null
  /// when none.
  [[nodiscard]] StreamId poll_closing_stream(TransportKind kind = TransportKind::kStream);

  /// Call poll_datagram (and so time-outs, acks, retransmits) no later than this; UINT64_MAX = no need.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const;

  // ------------------------------------------------------------ events

  /// The next event, in the order things happened, or false.
  [[nodiscard]] bool poll_event(ServerEvent& out);

  // ------------------------------------------------------------ the application

  /// Another world or another pace from here on. After a new epoch nobody gets snapshots until it was told
  /// (send_room_state) and has entered.
  void handle_room(const PlayingRoom& room);
  /// Reliable. Admin right and marks are filled in here: marks go out with the first one of a session alone.
  /// A session's first RoomState puts it into that epoch; later ones of a greater epoch wait for its
  /// EpochEntered.
  Result<Unit, Error> send_room_state(PlayerId player, RoomState state);
  /// True when the player's client is in the present epoch: what is sent of the world reaches the right one.
  [[nodiscard]] bool has_entered(PlayerId player) const noexcept;
  /// Reliable.
  Result<Unit, Error> send_control_result(PlayerId player, const ControlResult& result);
  /// Reliable.
  Result<Unit, Error> send_query_result(PlayerId player, const QueryResult& result);
  /// Unreliable, to those who asked by Inspect: the tick's contact points, at most kContactPointsMax of
  /// `total` (asserted); joints likewise.
  void publish_contacts(std::uint64_t tick, std::uint32_t total, std::span<const ContactPoint> points);
  void publish_joints(std::uint64_t tick, std::uint32_t total, std::span<const JointFrame> joints);

  /// The world has reached `tick` at now_us. Call it every tick: clock answers and input margins are measured
  /// from it.
  void handle_tick(std::uint64_t now_us, std::uint64_t tick);

  /// Queues the state of `tick` to every player: bodies exactly as SnapshotSource::update() wants them, ropes
  /// as RopeSource::update() does, for those who asked by Inspect. Any rate; the last call wins.
  void publish_snapshot(std::uint64_t now_us, std::uint64_t tick, std::span<const BodyState> bodies,
                        std::optional<std::span<const RopeState>> ropes = std::nullopt);

  /// What became of inputs: only moved or refused ones need to be told. Reliable.
  Result<Unit, Error> send_input_outcomes(PlayerId player, std::span<const CommandOutcome> outcomes);

  /// Reliable. Any number: split into messages here.
  Result<Unit, Error> send_joints_broken(PlayerId player, std::uint64_t tick,
                                         std::span<const std::uint64_t> joints);
  /// Reliable, in order with everything reliable. Any number of bodies: split into messages here.
  Result<Unit, Error> send_bodies_added(PlayerId player, std::uint64_t tick,
                                        std::span<const BodyInfo> bodies);
  Result<Unit, Error> send_bodies_removed(PlayerId player, std::uint64_t tick, std::span<const BodyId> ids);
  /// Reliable. The bytes are shared, not copied; slices are made as the channel drains. At most 1 GiB
  /// (asserted).
  Result<Unit, Error> send_join_image(PlayerId player, std::uint64_t tick,
                                      std::shared_ptr<const std::vector<std::byte>> image);
  /// Reliable, before the bodies that name it, once per epoch and player: the caller keeps count of that and
  /// of the epoch's limits. The bytes are shared; slices are made as the channel drains. 1 to
  /// kGeometryBytesMax bytes (asserted).
  Result<Unit, Error> send_geometry(PlayerId player, GeometryBlob geometry);
  /// Reliable; at most kCustomBytesMax bytes (asserted).
  Result<Unit, Error> send_game_event(PlayerId player, std::uint64_t tick, std::span<const std::byte> bytes);
  /// Unreliable, to everyone.
  void publish_stats(const ServerStats& stats);

  /// Ends one session: the client is told, then forgotten. A PlayerLeft event follows.
  void disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason, std::string_view text = {});
  /// Ends all sessions and refuses newcomers as shutting_down. Poll for about kDisconnectCopies x
  /// kDisconnectSpacing afterwards.
  void shut_down(std::uint64_t now_us, std::string_view text = {});
  /// After shut_down: nothing is left to send.
  [[nodiscard]] bool is_drained() const noexcept;

  [[nodiscard]] std::size_t player_count() const noexcept;
  [[nodiscard]] std::array<std::uint32_t, kTransportKinds> player_counts()
      const noexcept;                                   ///< by TransportKind
  [[nodiscard]] std::vector<PlayerId> players() const;  ///< ascending
  [[nodiscard]] Result<SessionStats, Error> stats_of(PlayerId player) const;
  /// True when the client is known to hold exactly the last published snapshot.
  [[nodiscard]] bool is_settled(PlayerId player) const;
  [[nodiscard]] const Counters& counters() const noexcept;
  /// Refuse messages sent, by RefuseReason.
  [[nodiscard]] const std::array<std::uint64_t, kRefuseReasons>& refusals() const noexcept;
  /// Bytes of each snapshot sent to a client, all its parts together.
  [[nodiscard]] const SizeHistogram& snapshot_sizes() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::protocol
