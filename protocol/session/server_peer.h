// ServerPeer is one player's session on the server, once accepted. It reads the player's messages, answers
// pings, puts inputs in order of sequence, limits rates, and ends the session after a time-out. It sends
// snapshots and reliable messages through its Link (link.h: acknowledgement, resending), and a Disconnect at
// the end. ServerShared is the state that all peers of an endpoint share. ServerSessions owns the peers.
// ServerDatagrams and ServerStreamSessions find a peer by address or stream, and move the bytes of its Link.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/confirmed/confirmed_log.h"
#include "protocol/confirmed/confirmed_sender.h"
#include "protocol/link/counters.h"
#include "protocol/link/egress_limiter.h"
#include "protocol/link/link.h"
#include "protocol/link/rate_limiter.h"
#include "protocol/link/reliable_queue.h"
#include "protocol/link/session_stats.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/farewell.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/server_event.h"
#include "protocol/session/session_budget.h"
#include "protocol/session/size_histogram.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/snapshot/snapshot_source.h"
#include "protocol/wire/error.h"

namespace takt::protocol {

/// State that all peers of one endpoint share.
struct ServerShared {
  ServerShared(const ServerOptions& server_options, const SecretKey& secret);

  /// The tick as it is now: the room's, and how much of the next one has passed. A room that runs faster than
  /// its tick rate moves on by several ticks at once; the ticks in between are told as they pass.
  [[nodiscard]] Pong tick_now(std::uint64_t now_us, std::uint64_t client_time_us) const noexcept;

  ServerOptions options;
  Counters counters;
  MessageReader reader;
  MessageWriter writer;
  SnapshotSource source;
  ConfirmedLog confirmed;
  std::deque<ServerEvent> events;
  std::uint64_t tick = 0;
  std::uint64_t tick_at_us = 0;
  PlayingRoom room;
  AddressGate gate;
  EgressLimiter egress;
  std::array<std::size_t, 2> present{};                       ///< sessions that are not leaving, by Role
  std::array<std::uint32_t, kTransportKinds> present_over{};  ///< the same, by TransportKind
  std::array<std::uint64_t, kRefuseReasons> refusals{};
  SizeHistogram snapshot_sizes;
};

/// Where a peer comes from and what it may do.
struct PeerOrigin {
  Address address;
  TransportKind transport = TransportKind::kDatagram;
  Role role = Role::kPlayer;
  bool admin = false;
  /// A stream from the server's own machine, not through a proxy.
  bool is_local_stream = false;
  ReplicationMode mode = ReplicationMode::kSnapshot;
};

class ServerPeer {
 public:
  ServerPeer(ServerShared& shared, std::uint64_t now_us, PlayerId player, const PeerOrigin& origin,
             std::unique_ptr<Link> link);

  [[nodiscard]] PlayerId player() const noexcept { return player_; }
  [[nodiscard]] const PeerOrigin& origin() const noexcept { return origin_; }
  [[nodiscard]] Link& link() noexcept { return *link_; }
  [[nodiscard]] const Link& link() const noexcept { return *link_; }
  [[nodiscard]] bool is_leaving() const noexcept { return leaving_; }
  /// Leaving, and all copies of the Disconnect have been handed to the link.
  [[nodiscard]] bool is_gone() const noexcept { return leaving_ && farewell_.is_done(); }

  /// A datagram, or bytes of a stream, arrived; false = drop them, for they are above the session's budget.
  /// Ends a session that goes on like that.
  [[nodiscard]] bool take_datagram(std::uint64_t now_us, std::size_t bytes);
  /// Something of this peer arrived: it is alive; reads what the link delivered.
  void handle_arrival(std::uint64_t now_us);
  /// Time-out, acks owed, reliable messages into the link, farewell copies.
  void handle_time(std::uint64_t now_us);
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept;

  /// `bytes_max`: the part of the server's rate (ServerOptions::egress_max) that the session has now.
  void publish_snapshot(std::uint64_t now_us, std::size_t bytes_max);
  /// Sends what is due of the confirmed ticks, if the client simulates and has its image. A session that
  /// needs ticks which the log has forgotten ends as slow_reader.
  void publish_confirmed(std::uint64_t now_us);
  /// Another world: confirmed ticks begin again behind its image.
  void stop_confirmed() { confirmed_.stop(); }
  Result<Unit, Error> send_room_state(std::uint64_t now_us, RoomState&& state);
  /// Its client is in the present epoch.
  [[nodiscard]] bool has_entered() const noexcept { return entered_epoch_ == shared_->room.epoch; }
  [[nodiscard]] bool simulates() const noexcept { return protocol::simulates(origin_.mode); }
  /// It asked for that, and is in the world that it would be told about.
  [[nodiscard]] bool inspects(std::uint32_t bit) const noexcept {
    return !leaving_ && has_entered() && (inspect_ & bit) != 0;
  }
  void send_unreliable(std::span<const std::byte> message) {
    if (!leaving_) link_->send_unreliable(message, 0);
  }
  /// Error::kQueueFull ends the session as slow_reader: a reliable message that cannot be kept cannot be made
  /// up for.
  Result<Unit, Error> send_reliable(std::uint64_t now_us, std::span<const std::byte> message, Lane lane);
  /// Messages that are shared with other sessions; they do not count as waiting.
  Result<Unit, Error> send_shared(const SharedMessages& messages);
  Result<Unit, Error> send_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image);
  Result<Unit, Error> send_geometry(GeometryBlob geometry);
  [[nodiscard]] bool is_settled() const noexcept {
    return has_entered() && encoder_.is_settled(shared_->source);
  }
  [[nodiscard]] SessionStats stats() const;

  /// Ends the session towards the application at once (PlayerLeft) and begins to tell the other end. `tell`
  /// false: it is known to be gone.
  void leave(std::uint64_t now_us, DisconnectReason reason, std::string_view text, bool tell);

 private:
  void handle_message(std::uint64_t now_us, MessageClass message_class, Message&& message);
  void note_malformed(std::uint64_t now_us, std::uint32_t count);
  void end_if_spent(std::uint64_t now_us);
  void report_inspect(std::uint64_t now_us);
  void handle_inputs(std::uint64_t now_us, Inputs&& inputs);
  void handle_control(std::uint64_t now_us, Control&& control);
  void handle_query(std::uint64_t now_us, QueryRequest&& request);
  void handle_entered(const RoomEntered& entered);
  void handle_inspect(std::uint64_t now_us, const Inspect& inspect);
  void settle_tokens();
  void send_confirmed(std::uint64_t now_us, const OutgoingBatch& batch);

  ServerShared* shared_;
  PlayerId player_;
  PeerOrigin origin_;
  std::unique_ptr<Link> link_;
  SnapshotEncoder encoder_;
  ConfirmedSender confirmed_;
  InputReceiver inputs_;
  ReliableQueue reliable_;
  SessionBudget budget_;
  TokenBucket controls_;
  TokenBucket queries_;
  std::uint32_t inspect_ = 0;
  bool inspect_owed_ = false;          // the application has yet to be told
  std::uint64_t inspect_told_us_ = 0;  // 0 = never
  std::uint32_t told_epoch_ = 0;       // of the newest RoomState sent; 0 = none yet
  std::uint32_t entered_epoch_ = 0;    // that the client has entered
  std::uint32_t first_input_ = 0;      // meant for that epoch
  std::uint64_t last_arrival_us_;
  Farewell farewell_;
  bool input_ack_owed_ = false;
  bool leaving_ = false;
};

}  // namespace takt::protocol
