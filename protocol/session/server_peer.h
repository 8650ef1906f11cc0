// ServerPeer is the session of one player or spectator on the server, once accepted. It reads the client's
// messages, answers pings, puts inputs in order of sequence, limits rates, and ends the session after a
// time-out. It sends snapshots and reliable messages through its Link (link.h: acknowledgement, resending),
// and a Disconnect at the end. ServerShared is the state that all peers of an endpoint share. ServerSessions
// owns the peers. ServerDatagrams and ServerStreamSessions find a peer by address or stream, and move the
// bytes of its Link.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "crypto/server_keys.h"
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
#include "protocol/messages/repeated_inputs.h"
#include "protocol/session/challenge.h"
#include "protocol/session/farewell.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/network_limiter.h"
#include "protocol/session/server_event.h"
#include "protocol/session/session_budget.h"
#include "protocol/session/size_histogram.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/snapshot/snapshot_source.h"
#include "protocol/wire/error.h"

namespace takt::protocol {

/// State that all peers of one endpoint share.
struct ServerShared {
  ServerShared(const ServerOptions& server_options, const SecretKey& secret_key, const ServerSeeds& seeds);

  /// The answer to a Ping with `client_time_us`: the tick and its fraction at `now_us`, by the room's rate
  /// since the last handle_tick(). The result is at most the next expected tick; a room faster than its tick
  /// rate makes several ticks at once.
  [[nodiscard]] Pong tick_now(std::uint64_t now_us, std::uint64_t client_time_us) const noexcept;

  ServerOptions options;
  SecretKey secret;  ///< of cookies, connection ids and traps
  crypto::ServerKeys keys;
  Counters counters;
  MessageReader reader;
  MessageWriter writer;
  SnapshotSource source;
  ConfirmedLog confirmed;
  std::deque<ServerEvent> events;
  /// Sessions over datagrams that have neither spoken nor left, by the time of their joins and the player.
  std::set<std::pair<std::uint64_t, PlayerId>> unspoken;
  std::uint64_t tick = 0;        ///< of the last ServerEndpoint::handle_tick()
  std::uint64_t tick_at_us = 0;  ///< time of that call
  PlayingRoom room;
  AddressGate gate;
  EgressLimiter egress;
  NetworkLimiter token_opens;                                 ///< ServerOptions::token_opens_per_s
  NetworkLimiter agreements;                                  ///< ServerOptions::agreements_per_s
  std::array<std::size_t, 2> present{};                       ///< sessions that are not leaving, by Role
  std::array<std::uint32_t, kTransportKinds> present_over{};  ///< the same, by TransportKind
  std::array<std::uint32_t, kReplicationModes> present_in{};  ///< the same, by ReplicationMode
  std::array<std::uint64_t, kRefuseReasons> refusals{};       ///< Refuse messages sent, by RefuseReason
  SizeHistogram snapshot_sizes;  ///< bytes of each snapshot, all its parts together
};

/// The address, the transport, the name and the rights of a session.
struct PeerOrigin {
  Address address;
  TransportKind transport = TransportKind::kDatagram;
  Role role = Role::kPlayer;
  bool admin = false;  ///< may send Control
  /// True for a trusted stream from an address of this machine that is no proxy.
  bool is_local_stream = false;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  /// The client has the room's world still: confirmed ticks follow from here on, and no image.
  std::optional<std::uint64_t> resume_tick{};
  std::string name;                 ///< of the token, else of the proof, or over a web socket of the request
  std::optional<TokenGrant> grant;  ///< none = a session without a token
  std::uint64_t token_holder = 0;   ///< TokenOpener::claim; 0 = no grant
  /// Time of the cookie of the response, or over a web socket of the request. The attempts of a client have
  /// ascending times, whichever of its responses arrives first.
  std::uint64_t challenged_us = 0;
};

/// A session of which nothing has come for this time since its Accept is an orphan. The answer to an Accept
/// may take a round trip of 2 s and two repeats of a lost response or Accept. A client gives its response up
/// after kAnswerPatience, 3 s, which is longer.
inline constexpr std::uint64_t kOrphanSilence = 2 * kSecond + 2 * kHandshakeRetry;
/// A client whose response came again in the last two repeats waits visibly. It takes an Accept until
/// kAnswerPatience, so what it says first may come kWaitingSilence after its response.
inline constexpr std::uint64_t kRepeatSilence = 2 * kHandshakeRetry;
inline constexpr std::uint64_t kWaitingSilence = kOrphanSilence + kRepeatSilence;

class ServerPeer {
 public:
  /// `shared` must outlive the peer. The peer counts in shared.present and shared.gate until leave().
  ServerPeer(ServerShared& shared, std::uint64_t now_us, PlayerId player, const PeerOrigin& origin,
             std::unique_ptr<Link> link);

  [[nodiscard]] PlayerId player() const noexcept { return player_; }
  [[nodiscard]] const PeerOrigin& origin() const noexcept { return origin_; }
  /// True if the limits of the address have a place for this session. Without that, an address could hand
  /// sessions to another one for ever. No session moves between this machine and another one, because being
  /// of this machine gives rights.
  [[nodiscard]] bool can_move_to(const Address& address);
  /// The session goes on at another address, whose limits it counts for from now on. Its rights stay.
  void move_to(const Address& address);
  [[nodiscard]] Link& link() noexcept { return *link_; }
  [[nodiscard]] const Link& link() const noexcept { return *link_; }
  /// True after leave().
  [[nodiscard]] bool is_leaving() const noexcept { return leaving_; }
  /// True when the peer is leaving and all copies of the Disconnect are in the link.
  [[nodiscard]] bool is_gone() const noexcept { return leaving_ && farewell_.is_done(); }

  /// True when something of the client arrived in the last two kKeepAliveInterval, and the peer is not
  /// leaving.
  [[nodiscard]] bool is_heard(std::uint64_t now_us) const noexcept {
    return !leaving_ && now_us < last_arrival_us_ + 2 * kKeepAliveInterval;
  }
  /// True when something of the client has come since the Accept. A client that has it sends a Ping at once.
  [[nodiscard]] bool has_spoken() const noexcept { return has_spoken_; }
  /// True when nothing of the client has come since the Accept, for kOrphanSilence: the client never got the
  /// Accept, or is gone. Who has the same token may end it.
  [[nodiscard]] bool is_orphan(std::uint64_t now_us) const noexcept {
    return !leaving_ && !has_spoken_ && now_us >= joined_us_ + kOrphanSilence;
  }
  /// True when the session gives its place to any newcomer: an orphan over datagrams, after kWaitingSilence
  /// if the response came again in the last kRepeatSilence. A stream repeats nothing that shows here, and a
  /// lost segment alone may take 3 s, so a session over a stream keeps its place until it closes or times
  /// out.
  [[nodiscard]] bool gives_place(std::uint64_t now_us) const noexcept {
    bool const waits = now_us < repeated_us_ + kRepeatSilence && now_us < joined_us_ + kWaitingSilence;
    return !link_->is_stream() && is_orphan(now_us) && !waits;
  }
  /// The response of this session came again from the session's own address.
  void note_repeat(std::uint64_t now_us) noexcept { repeated_us_ = now_us; }
  /// True when the session began with a newer cookie than this response has: its client gave the response up,
  /// and nobody has its keys. Whoever copied such a response must not end the session by it.
  [[nodiscard]] bool is_newer_than(const Cookie& cookie) const noexcept {
    return origin_.challenged_us > issue_time_of(cookie);
  }
  /// True when the peer has a token, and the newcomer the same one.
  [[nodiscard]] bool has_token_of(const PeerOrigin& newcomer) const noexcept {
    return origin_.grant && newcomer.grant && origin_.grant->tag == newcomer.grant->tag;
  }

  /// Charges a datagram, or bytes of a stream, to the session's budget. False: they are above it, and a
  /// datagram must be dropped. Ends the session when too many were above it (SessionBudget).
  [[nodiscard]] bool take_datagram(std::uint64_t now_us, std::size_t bytes);
  /// Handles the messages that the link delivered. Call it after each arrival. Restarts the time-out, unless
  /// the arrival came from another address and does not show that the client is reached at its own. Bytes of
  /// a stream restart it from the first message on: else a byte now and then would hold a place for ever.
  void handle_arrival(std::uint64_t now_us, bool is_on_path = true);
  /// Ends the session after the time-out; sends input acks, waiting reliable messages, a waiting Inspect
  /// event, and copies of the Disconnect.
  void handle_time(std::uint64_t now_us);
  /// Time by which handle_time() must be called; 0 = now, UINT64_MAX = never.
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept;

  /// Sends the difference between the client and ServerShared::source. Does nothing if the peer is leaving,
  /// the client has not entered the epoch, or the link is congested. `bytes_max`: the session's part of the
  /// server's rate (EgressLimiter).
  void publish_snapshot(std::uint64_t now_us, std::size_t bytes_max);
  /// Sends what is due of the confirmed ticks, if the client simulates and has its image. A session that
  /// needs ticks which the log has forgotten goes on in mode snapshot.
  void publish_confirmed(std::uint64_t now_us);
  /// Ends confirmed ticks until the image of another world.
  void stop_confirmed() { confirmed_.stop(); }
  /// As ServerEndpoint::switch_mode(). A session that is in that mode already is told so. A session whose
  /// token does not allow the mode ends as kicked. `request`: of the client, 0 = the server's own wish.
  void switch_mode(std::uint64_t now_us, ReplicationMode mode, std::string_view text,
                   std::uint32_t request = 0);
  [[nodiscard]] std::uint32_t mode_epoch() const noexcept { return mode_epoch_; }
  /// As ServerEndpoint::send_room_state().
  Result<Unit, Error> send_room_state(std::uint64_t now_us, RoomState&& state);
  /// True when the client is in the present epoch.
  [[nodiscard]] bool has_entered() const noexcept { return entered_epoch_ == shared_->room.epoch; }
  [[nodiscard]] bool simulates() const noexcept { return protocol::simulates(origin_.mode); }
  /// True when the client asked for this kInspect bit, and has entered the present epoch.
  [[nodiscard]] bool inspects(std::uint32_t bit) const noexcept {
    return !leaving_ && has_entered() && (inspect_ & bit) != 0;
  }
  /// Drops the message if the peer is leaving.
  void send_unreliable(std::span<const std::byte> message) {
    if (!leaving_) link_->send_unreliable(message, 0);
  }
  /// Error::kNotConnected, here and of the three calls below: the peer is leaving. Error::kQueueFull: the
  /// message is above ServerOptions::reliable_queue_max, and the session has ended as kSlowReader.
  Result<Unit, Error> send_reliable(std::uint64_t now_us, std::span<const std::byte> message, Lane lane);
  /// Messages, an image or a geometry in the world's lane, without limit: their bytes are shared with other
  /// sessions. ReliableQueue asserts their sizes.
  Result<Unit, Error> send_shared(const SharedMessages& messages);
  Result<Unit, Error> send_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image);
  Result<Unit, Error> send_geometry(GeometryBlob geometry);
  /// True when the client has entered the epoch and is known to have the last published snapshot.
  [[nodiscard]] bool is_settled() const noexcept {
    return has_entered() && encoder_.is_settled(shared_->source);
  }
  /// The link's statistics, with the bytes of the ReliableQueue.
  [[nodiscard]] SessionStats stats() const;

  /// Ends the session: reports PlayerLeft, drops waiting reliable messages, and sends Disconnect if `tell`.
  /// False is for a client that is known to be gone. A second call has no effect. `text` is made printable.
  void leave(std::uint64_t now_us, DisconnectReason reason, std::string_view text, bool tell);

 private:
  void handle_message(std::uint64_t now_us, MessageClass message_class, Message&& message);
  void note_malformed(std::uint64_t now_us, std::uint32_t count);
  void end_if_spent(std::uint64_t now_us);
  void report_inspect(std::uint64_t now_us);
  void handle_inputs(std::uint64_t now_us, Inputs&& inputs);
  void handle_repeated(std::uint64_t now_us, const RepeatedInputs& repeated);
  void handle_control(std::uint64_t now_us, Control&& control);
  void handle_query(std::uint64_t now_us, QueryRequest&& request);
  void handle_entered(const RoomEntered& entered);
  void handle_inspect(std::uint64_t now_us, const Inspect& inspect);
  void handle_mode_switch(std::uint64_t now_us, const ModeSwitch& wanted);
  void send_mode(std::uint64_t now_us, const ModeSwitch& told, bool is_marked);
  [[nodiscard]] bool may_have(ReplicationMode mode) const noexcept;
  [[nodiscard]] bool has_mode_arrived();
  void settle_tokens();
  void note_spoken();
  void send_input_ack(std::uint64_t now_us);
  void send_confirmed(std::uint64_t now_us, const OutgoingBatch& batch);
  [[nodiscard]] bool has_image_arrived();
  /// False: the session has ended as slow_reader.
  [[nodiscard]] bool has_room_for(std::uint64_t now_us, std::size_t bytes);

  ServerShared* shared_;
  PlayerId player_;
  PeerOrigin origin_;
  std::unique_ptr<Link> link_;
  SnapshotEncoder encoder_;
  ConfirmedSender confirmed_;
  bool has_image_ = false;         // of the present epoch, on its way or there
  std::uint32_t image_epoch_ = 0;  // of the room, to which the last image, or what it replaces, belongs
  std::optional<std::uint32_t> image_mark_;  // of the link, behind the last join image once it is all there
  std::uint32_t mode_epoch_ = 0;             // changes of the mode so far
  bool is_mode_on_way_ = false;              // the client has yet to learn of its mode
  std::uint64_t simulates_again_us_;         // from when on a client may ask for an image by its mode
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
  std::uint64_t joined_us_;
  std::uint64_t repeated_us_ = 0;  // 0 = the response came once
  std::uint64_t last_arrival_us_;
  std::uint64_t last_on_path_us_;
  Farewell farewell_;
  std::optional<std::uint64_t> input_ack_due_us_;  // none = every input is acknowledged
  std::uint64_t input_acked_us_ = 0;               // when the last InputAck was sent; 0 = never
  bool leaving_ = false;
  bool has_spoken_ = false;  // since the Accept
};

}  // namespace takt::protocol
