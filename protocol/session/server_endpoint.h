// ServerEndpoint is the server's end of all sessions, over datagrams and streams, without any I/O. Bytes and
// the time come in by handle_*; bytes and events go out by poll_*. ServerTransport (net/) connects it to UDP
// and TCP sockets, WebBridge (server/web/) to web sockets. Gateway (server/web/) sends a room's updates
// through it.
//
// Handshake: a stateless challenge before a session over datagrams or TCP is allocated, an agreement on its
// keys, accept or refuse with a reason. Session: sealed datagrams and frames, acks, the reliable channel,
// keep-alive, time-out, disconnect with a reason. Content:
// inputs exactly once and in order of sequence, answers to clock pings, snapshots per client without what the
// client has acknowledged. Not included: sockets, clocks, threads, logs, simulation, and the decision whether
// an input is allowed (takt/sim/policy.h).
//
// Only one thread may use an endpoint at a time. Times are monotonic microseconds from any zero point and
// must not run backwards (asserted; next_wakeup_us() excepted).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/link/session_stats.h"
#include "protocol/messages/body_state.h"
#include "protocol/messages/message.h"
#include "protocol/session/server_datagrams.h"
#include "protocol/session/server_event.h"
#include "protocol/session/server_sessions.h"
#include "protocol/session/server_stream_sessions.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

class ServerEndpoint {
 public:
  /// ServerOptions documents the ranges that are asserted.
  ServerEndpoint(const ServerOptions& options, const SecretKey& secret, const ServerSeeds& seeds);
  ServerEndpoint(const ServerEndpoint&) = delete;
  ServerEndpoint& operator=(const ServerEndpoint&) = delete;

  // ------------------------------------------------------------ bytes

  /// Handles a datagram. A malformed, forged, old or repeated one is dropped and counted (Counters).
  void handle_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  /// The next datagram to send now replaces `out`; false: there is none. Also handles time-outs of all
  /// sessions, streams included. Call it until false after handle_*, send_* and publish_* calls, and at
  /// next_wakeup_us().
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, OutgoingDatagram& out);

  /// Takes a stream that the transport accepted. A null id: too many are pending, or this address opens too
  /// many; the transport closes the stream. origin.transport is not kDatagram (asserted).
  [[nodiscard]] StreamId handle_stream_open(std::uint64_t now_us, const Address& from,
                                            const StreamOrigin& origin = {});
  /// Handles bytes of a stream, in order, split anywhere. Unknown and closing streams are ignored.
  void handle_stream_bytes(std::uint64_t now_us, StreamId stream, std::span<const std::byte> bytes);
  /// The stream closed or failed, and so its session ends. The id is invalid afterwards; unknown ids are
  /// ignored.
  void handle_stream_closed(std::uint64_t now_us, StreamId stream);
  /// Appends whole frames for the stream to `out`, until `bytes_max` is reached or passed; returns the number
  /// of bytes. The transport pulls only what its socket can take: the endpoint drops snapshots of a slow
  /// reader by the bytes that stay here.
  [[nodiscard]] std::size_t poll_stream(std::uint64_t now_us, StreamId stream, std::size_t bytes_max,
                                        std::vector<std::byte>& out);
  /// The next stream of `kind` that got bytes since it was last returned; null: there is none. The transport
  /// calls poll_stream() for the stream until the result is 0.
  [[nodiscard]] StreamId poll_writable_stream(TransportKind kind = TransportKind::kStream);
  /// The next stream of `kind` that the transport must close after it has written what poll_stream() gives;
  /// null: there is none. handle_stream_closed() must follow.
  [[nodiscard]] StreamId poll_closing_stream(TransportKind kind = TransportKind::kStream);

  /// The time by which poll_datagram() and poll_writable_stream() must be called again, at least `now_us`;
  /// UINT64_MAX = nothing is due.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us);

  // ------------------------------------------------------------ events

  /// Moves the next event to `out`, in order of occurrence; false: there is none.
  [[nodiscard]] bool poll_event(ServerEvent& out);

  // ------------------------------------------------------------ the application
  //
  // Errors of all send_*() with a Result: Error::kUnknownPlayer (no session, or it is leaving), and
  // Error::kQueueFull. The latter: the message exceeded ServerOptions::reliable_queue_max, and the session
  // has ended as kSlowReader.

  /// The room has another world, tick rate or speed from now on. After a new epoch a client gets no snapshots
  /// until send_room_state() and its EpochEntered. The epoch never falls; tick_rate_hz is 1 .. 10,000 (both
  /// asserted).
  void handle_room(const PlayingRoom& room);
  /// Reliable. `state.epoch` is that of handle_room() (asserted). The endpoint sets `admin`, and drops the
  /// marks of all but the first RoomState of a session. The first one puts the session into its epoch; into a
  /// later epoch the client enters by its EpochEntered.
  Result<Unit, Error> send_room_state(PlayerId player, RoomState state);
  /// True when the player's client is in the present epoch, so that bodies and snapshots reach the right
  /// world.
  [[nodiscard]] bool has_entered(PlayerId player) const noexcept;
  /// The session goes on in another mode, which the host offers (asserted). Its client is told so and has
  /// nothing of the world any more; ModeSwitched follows. A session whose token does not allow the mode ends
  /// as kicked. Unknown players are ignored.
  void switch_mode(std::uint64_t now_us, PlayerId player, ReplicationMode mode, std::string_view text);
  /// ModeSwitched::mode_epoch of a session, 0 in the mode of its join; none: no session, or it is leaving.
  /// Bodies and images that a host made for an earlier one are of no use to the client.
  [[nodiscard]] std::optional<std::uint32_t> mode_epoch_of(PlayerId player) const noexcept;
  /// Reliable.
  Result<Unit, Error> send_control_result(PlayerId player, const ControlResult& result);
  /// Reliable.
  Result<Unit, Error> send_desync_answer(PlayerId player, const DesyncAnswer& answer);
  /// Reliable.
  Result<Unit, Error> send_query_result(PlayerId player, const QueryResult& result);
  /// Unreliable, to sessions that asked by Inspect and have entered the epoch: at most kContactPointsMax
  /// contact points (asserted) of the `total` of the tick.
  void publish_contacts(std::uint64_t tick, std::uint32_t total, std::span<const ContactPoint> points);
  /// Likewise joints: at most kJointFramesMax (asserted).
  void publish_joints(std::uint64_t tick, std::uint32_t total, std::span<const JointFrame> joints);

  /// The world has reached `tick` at `now_us`. The host calls it every tick: answers to pings and input
  /// margins refer to the last call.
  void handle_tick(std::uint64_t now_us, std::uint64_t tick);

  /// Queues a snapshot of `tick` for every session in the epoch. SnapshotSource::update() takes `bodies`, and
  /// RopeSource::update() takes `ropes`, which go to clients that asked by Inspect. `movers` has the inputs
  /// of all movers among the bodies, which go to clients in mode predicted. The rate of calls is free.
  void publish_snapshot(std::uint64_t now_us, std::uint64_t tick, std::span<const BodyState> bodies,
                        std::optional<std::span<const RopeState>> ropes = std::nullopt,
                        std::span<const MoverInput> movers = {});

  /// Appends confirmed ticks, in order, to the room's log. Then it sends each client that simulates the ticks
  /// that are due to it. Call it with each update, also without a tick.
  void publish_confirmed(std::uint64_t now_us, std::vector<ConfirmedTick>&& ticks);

  /// Reliable. The outcomes of inputs that were moved or refused; applied inputs need none. Any number: split
  /// into messages here.
  Result<Unit, Error> send_command_outcomes(PlayerId player, std::span<const CommandOutcome> outcomes);

  /// Reliable. Any number: split into messages here.
  Result<Unit, Error> send_joints_broken(PlayerId player, std::uint64_t tick,
                                         std::span<const std::uint64_t> joints);
  /// BodiesAdded messages about any number of bodies at `tick`, for send_shared(). A body has at most
  /// kShapesPerBodyMax shapes (asserted).
  [[nodiscard]] SharedMessages write_bodies_added(std::uint64_t tick, std::span<const BodyInfo> bodies);
  /// Reliable, in order with all other messages about the world. The bytes are shared, not copied.
  Result<Unit, Error> send_shared(PlayerId player, const SharedMessages& messages);
  /// Reliable. Any number: split into messages here.
  Result<Unit, Error> send_bodies_removed(PlayerId player, std::uint64_t tick, std::span<const BodyId> ids);
  /// Reliable. The bytes are shared, not copied; slices are made as the channel drains. Not null, at most 1
  /// GiB (asserted). To a client that simulates, confirmed ticks follow it from `tick` on.
  Result<Unit, Error> send_join_image(PlayerId player, std::uint64_t tick,
                                      std::shared_ptr<const std::vector<std::byte>> image);
  /// Reliable. The caller sends a geometry before the bodies that name it, once per epoch and player. A
  /// client ends the session at a repeated one, or above kGeometriesMax or kGeometryTotalBytesMax. The bytes
  /// are shared; slices are made as the channel drains. Digest not 0, 1 to kGeometryBytesMax bytes
  /// (asserted).
  Result<Unit, Error> send_geometry(PlayerId player, GeometryBlob geometry);
  /// Reliable; at most kCustomBytesMax bytes (asserted).
  Result<Unit, Error> send_game_event(PlayerId player, std::uint64_t tick, std::span<const std::byte> bytes);
  /// Reliable, to several players, written once; at most kCustomBytesMax bytes (asserted). Players without a
  /// session are skipped, and errors are dropped.
  void send_game_event(std::span<const PlayerId> players, std::uint64_t tick,
                       std::span<const std::byte> bytes);
  /// Unreliable, to all sessions.
  void publish_stats(const ServerStats& stats);

  /// Ends one session: queues PlayerLeft, and sends Disconnect with the next polls. Unknown players are
  /// ignored.
  void disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason, std::string_view text = {});
  /// Ends all sessions, closes pending streams, and refuses newcomers as kShuttingDown. The caller polls
  /// afterwards until is_drained(), for kDisconnectCopies x kDisconnectSpacing or until streams are closed.
  void shut_down(std::uint64_t now_us, std::string_view text = {});
  /// True after shut_down() when nothing is left to send and the transport has closed all streams.
  [[nodiscard]] bool is_drained() const noexcept;

  /// Sessions that are not leaving, spectators included.
  [[nodiscard]] std::size_t player_count() const noexcept { return sessions_.players().size(); }
  /// player_count() by TransportKind.
  [[nodiscard]] std::array<std::uint32_t, kTransportKinds> player_counts() const noexcept {
    return shared_.present_over;
  }
  /// player_count() by ReplicationMode.
  [[nodiscard]] std::array<std::uint32_t, kReplicationModes> mode_counts() const noexcept {
    return shared_.present_in;
  }
  /// Ids of the sessions of player_count(), ascending.
  [[nodiscard]] std::vector<PlayerId> players() const { return sessions_.players(); }
  /// Error::kUnknownPlayer: no session, or it is leaving.
  [[nodiscard]] Result<SessionStats, Error> stats_of(PlayerId player) const;
  /// True when the client is known to have the state of the last publish_snapshot().
  [[nodiscard]] bool is_settled(PlayerId player) const;
  [[nodiscard]] const Counters& counters() const noexcept { return shared_.counters; }
  /// The lasting key, which clients may pin, and the short-lived one of the last call with a time.
  [[nodiscard]] crypto::ServerPublicKeys public_keys() const { return shared_.keys.public_keys(); }
  /// Refuse messages sent, by RefuseReason.
  [[nodiscard]] const std::array<std::uint64_t, kRefuseReasons>& refusals() const noexcept {
    return shared_.refusals;
  }
  /// Bytes of each snapshot sent to a client, all its parts together.
  [[nodiscard]] const SizeHistogram& snapshot_sizes() const noexcept { return shared_.snapshot_sizes; }

 private:
  void check_time(std::uint64_t now_us);
  /// Makes the session due for a poll. Every function that may have given it something to send calls touch().
  void touch(const ServerPeer& peer);
  void touch_all();
  /// Sessions that ended for a newcomer become due, so that their goodbye goes out at once.
  void touch_ended();
  Result<Unit, Error> send(PlayerId player, std::span<const std::byte> message, Lane lane);
  // Contacts and JointFrames alike: the items of a tick in messages of at most `per_message`.
  template <class Parts, class Item>
  void publish_parts(std::uint32_t bit, std::size_t per_message, std::uint64_t tick, std::uint32_t total,
                     std::span<const Item> items, std::vector<Item> Parts::*member);

  ServerShared shared_;
  ServerSessions sessions_;
  ServerDatagrams datagrams_;
  ServerStreamSessions streams_;
  std::uint64_t last_now_us_ = 0;
  bool round_over_ = true;  // the last poll_datagram had nothing
};

}  // namespace takt::protocol
