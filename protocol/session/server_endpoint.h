// ServerEndpoint is the server's end of all sessions, over datagrams and streams, without any I/O. Bytes and
// the time come in by handle_*; bytes and events go out by poll_*. ServerTransport (net/) connects it to UDP
// and TCP sockets, WebBridge (server/web/) to web sockets. Gateway (server/web/) sends a room's updates
// through it.
//
// Handshake: a stateless challenge before a datagram session is allocated, accept or refuse with a reason.
// Session: sequences and acks, the reliable channel, keep-alive, time-out, disconnect with a reason. Content:
// inputs exactly once and in order of sequence, answers to clock pings, snapshots per client without what the
// client has acknowledged. Not included: sockets, clocks, threads, logs, simulation, and the decision whether
// an input is allowed (takt/sim/policy.h).
//
// One thread at a time. Times are monotonic microseconds from any zero point and must not run backwards
// (asserted).
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
  ServerEndpoint(const ServerOptions& options, const SecretKey& secret);
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
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us);

  // ------------------------------------------------------------ events

  /// The next event, in the order things happened, or false.
  [[nodiscard]] bool poll_event(ServerEvent& out);

  // ------------------------------------------------------------ the application

  /// Another world, or another tick rate or speed, from here on. After a new epoch nobody gets snapshots
  /// until it was told (send_room_state) and has entered.
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

  /// Ticks that are confirmed, in order; then every client that simulates is sent what is due to it. Call it
  /// with each update, also without a tick.
  void publish_confirmed(std::uint64_t now_us, std::vector<ConfirmedTick>&& ticks);

  /// Sends the outcomes of inputs that were moved or refused; applied inputs need no outcome. Reliable.
  Result<Unit, Error> send_command_outcomes(PlayerId player, std::span<const CommandOutcome> outcomes);

  /// Reliable. Any number: split into messages here.
  Result<Unit, Error> send_joints_broken(PlayerId player, std::uint64_t tick,
                                         std::span<const std::uint64_t> joints);
  /// The messages about any number of bodies that exist at `tick`, for send_shared().
  [[nodiscard]] SharedMessages write_bodies_added(std::uint64_t tick, std::span<const BodyInfo> bodies);
  /// Reliable, in order with everything reliable. The bytes are shared, not copied.
  Result<Unit, Error> send_shared(PlayerId player, const SharedMessages& messages);
  Result<Unit, Error> send_bodies_removed(PlayerId player, std::uint64_t tick, std::span<const BodyId> ids);
  /// Reliable. The bytes are shared, not copied; slices are made as the channel drains. At most 1 GiB
  /// (asserted). Confirmed ticks follow it, from `tick` on, to a client that simulates.
  Result<Unit, Error> send_join_image(PlayerId player, std::uint64_t tick,
                                      std::shared_ptr<const std::vector<std::byte>> image);
  /// Reliable, before the bodies that name it, once per epoch and player: the caller keeps count of that and
  /// of the epoch's limits. The bytes are shared; slices are made as the channel drains. 1 to
  /// kGeometryBytesMax bytes (asserted).
  Result<Unit, Error> send_geometry(PlayerId player, GeometryBlob geometry);
  /// Reliable; at most kCustomBytesMax bytes (asserted).
  Result<Unit, Error> send_game_event(PlayerId player, std::uint64_t tick, std::span<const std::byte> bytes);
  /// Reliable, to several players, written once; at most kCustomBytesMax bytes (asserted). Players without a
  /// session are left out.
  void send_game_event(std::span<const PlayerId> players, std::uint64_t tick,
                       std::span<const std::byte> bytes);
  /// Unreliable, to everyone.
  void publish_stats(const ServerStats& stats);

  /// Ends one session: the client is told, then forgotten. A PlayerLeft event follows.
  void disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason, std::string_view text = {});
  /// Ends all sessions and refuses newcomers as shutting_down. Poll for about kDisconnectCopies x
  /// kDisconnectSpacing afterwards.
  void shut_down(std::uint64_t now_us, std::string_view text = {});
  /// After shut_down: nothing is left to send.
  [[nodiscard]] bool is_drained() const noexcept;

  [[nodiscard]] std::size_t player_count() const noexcept { return sessions_.players().size(); }
  /// By TransportKind.
  [[nodiscard]] std::array<std::uint32_t, kTransportKinds> player_counts() const noexcept {
    return shared_.present_over;
  }
  /// Ascending.
  [[nodiscard]] std::vector<PlayerId> players() const { return sessions_.players(); }
  [[nodiscard]] Result<SessionStats, Error> stats_of(PlayerId player) const;
  /// True when the client is known to hold exactly the last published snapshot.
  [[nodiscard]] bool is_settled(PlayerId player) const;
  [[nodiscard]] const Counters& counters() const noexcept { return shared_.counters; }
  /// Refuse messages sent, by RefuseReason.
  [[nodiscard]] const std::array<std::uint64_t, kRefuseReasons>& refusals() const noexcept {
    return shared_.refusals;
  }
  /// Bytes of each snapshot sent to a client, all its parts together.
  [[nodiscard]] const SizeHistogram& snapshot_sizes() const noexcept { return shared_.snapshot_sizes; }

 private:
  void check_time(std::uint64_t now_us);
  /// The session may have something to send: whatever may have changed that calls it.
  void touch(const ServerPeer& peer);
  void touch_all();
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
