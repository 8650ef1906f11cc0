#include "protocol/session/server_endpoint.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "protocol/link/datagram_link.h"
#include "protocol/link/rate_limiter.h"
#include "protocol/session/admission.h"
#include "protocol/session/challenge.h"
#include "protocol/session/refusal.h"
#include "protocol/session/server_peer.h"
#include "protocol/session/server_streams.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// Handshake answers waiting for a poll; more are dropped, the stranger asks again.
constexpr std::size_t kAnswersMax = 1024;

/// Greatest frame a client may send.
constexpr std::size_t kClientFrameBytesMax = kClientMessageBytesMax + 1;

/// Bodies and shapes per BodiesAdded message: 256 x 48 bytes of tables and 900 x 56 bytes of shapes stay
/// under kReliableBytesMax.
constexpr std::size_t kShapesPerMessage = 900;

}  // namespace

std::string_view name_of(TransportKind kind) noexcept {
  switch (kind) {
    case TransportKind::kDatagram: return "udp";
    case TransportKind::kStream: return "tcp";
    case TransportKind::kWebSocket: return "websocket";
  }
  return "unknown";
}

class ServerEndpoint::Implementation {
 public:
  Implementation(const ServerOptions& options, const SecretKey& secret)
      : shared_(options),
        secret_(secret),
        limiter_(options.handshakes_per_s, options.handshake_burst, secret) {
    TAKT_ASSERT(options.players_max >= 1 && options.players_max <= 4096);
    TAKT_ASSERT(options.tick_rate_hz >= 1 && options.tick_rate_hz <= 10'000);
    TAKT_ASSERT(options.numbers_mode != NumbersMode::kAny);
  }

  // ------------------------------------------------------------ datagrams in

  void handle_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes) {
    check_time(now_us);
    shared_.counters.add(Counter::kDatagramsReceived);
    shared_.counters.add(Counter::kDatagramBytesReceived, bytes.size());
    auto const header = read_header(bytes);
    if (!header) {
      shared_.counters.add(counter_of_header(header.error()));
      return;
    }
    if (header->type == DatagramType::kSession) {
      handle_session_datagram(now_us, from, *header, bytes);
    } else {
      handle_handshake_datagram(now_us, from, *header, bytes);
    }
  }

  bool poll_datagram(std::uint64_t now_us, OutgoingDatagram& out) {
    check_time(now_us);
    // Once per round of polls, not once per datagram.
    if (std::exchange(round_over_, false)) handle_time(now_us);
    if (!answers_.empty()) {
      out = std::move(answers_.front());
      answers_.pop_front();
      return count_sent(out);
    }
    // Round robin from where the last poll stopped, so that one busy client does not keep the others waiting.
    for (std::size_t tried = 0; tried < by_address_.size(); ++tried) {
      auto at = by_address_.upper_bound(cursor_);
      if (at == by_address_.end()) at = by_address_.begin();
      cursor_ = at->first;
      if (!at->second.link->poll_datagram(now_us, out.bytes)) continue;
      out.to = at->first;
      return count_sent(out);
    }
    round_over_ = true;
    return false;
  }

  // ------------------------------------------------------------ streams in and out

  StreamId handle_stream_open(std::uint64_t now_us, const Address& from, const StreamOrigin& origin) {
    TAKT_ASSERT(origin.transport != TransportKind::kDatagram);
    check_time(now_us);
    if (streams_.pending_count() >= shared_.options.pending_streams_max || !limiter_.take(now_us, from)) {
      shared_.counters.add(Counter::kHandshakeRate);
      return {};
    }
    ServerStream& stream = streams_.open(now_us, from, origin);
    StreamLinkOptions options{kClientFrameBytesMax, shared_.options.stream_backlog_max};
    if (origin.transport == TransportKind::kWebSocket) options.sent_counter = Counter::kWebSocketBytesSent;
    stream.pending_link = std::make_unique<StreamLink>(options, now_us, shared_.counters);
    stream.link = stream.pending_link.get();
    return stream.id;
  }

  void handle_stream_bytes(std::uint64_t now_us, StreamId id, std::span<const std::byte> bytes) {
    check_time(now_us);
    ServerStream* stream = streams_.find(id);
    if (stream == nullptr || stream->closing) return;
    bool const is_web = stream->origin.transport == TransportKind::kWebSocket;
    shared_.counters.add(is_web ? Counter::kWebSocketBytesReceived : Counter::kStreamBytesReceived,
                         bytes.size());
    stream->link->handle_bytes(bytes);
    if (stream->peer == nullptr) handle_pending_stream(now_us, *stream);
    if (stream->peer != nullptr) stream->peer->handle_arrival(now_us);
    handle_stream_time(now_us, *stream);
  }

  void handle_stream_closed(std::uint64_t now_us, StreamId id) {
    check_time(now_us);
    ServerStream* stream = streams_.find(id);
    if (stream == nullptr) return;
    if (stream->peer != nullptr) {
      PlayerId const player = stream->peer->player();
      stream->peer->leave(now_us, DisconnectReason::kConnectionLost, "the stream closed", false);
      peers_.erase(player);
    }
    streams_.erase(id);
  }

  std::size_t poll_stream(std::uint64_t now_us, StreamId id, std::size_t bytes_max,
                          std::vector<std::byte>& out) {
    check_time(now_us);
    ServerStream* stream = streams_.find(id);
    if (stream == nullptr) return 0;
    if (stream->peer != nullptr) stream->peer->handle_time(now_us);
    return stream->link->poll_bytes(now_us, bytes_max, out);
  }

  StreamId poll_writable_stream(TransportKind kind) { return streams_.poll_writable(kind); }
  StreamId poll_closing_stream(TransportKind kind) { return streams_.poll_closing(kind); }

  // ------------------------------------------------------------ time

  std::uint64_t next_wakeup_us(std::uint64_t now_us) {
    std::uint64_t wakeup_us = answers_.empty() ? kNever : now_us;
    for (auto const& [player, peer] : peers_) wakeup_us = std::min(wakeup_us, peer->next_wakeup_us());
    for (auto const& [address, route] : by_address_)
      wakeup_us = std::min(wakeup_us, route.link->next_wakeup_us(now_us));
    streams_.for_each([&](const ServerStream& stream) {
      if (stream.closing) return;
      // Bytes that the transport knows of wait for its socket, not for us: waking for them would spin on a
      // slow reader.
      if (stream.announced) wakeup_us = now_us;
      if (!stream.link->has_bytes()) wakeup_us = std::min(wakeup_us, stream.link->next_keep_alive_us());
      if (stream.peer == nullptr)
        wakeup_us = std::min(wakeup_us, stream.opened_us + shared_.options.stream_handshake_us);
    });
    return std::max(wakeup_us, now_us);
  }

  // ------------------------------------------------------------ application

  bool poll_event(ServerEvent& out) {
    if (shared_.events.empty()) return false;
    out = std::move(shared_.events.front());
    shared_.events.pop_front();
    return true;
  }

  void handle_room(const PlayingRoom& room) {
    TAKT_ASSERT(room.tick_rate_hz >= 1 && room.tick_rate_hz <= 10'000 && room.epoch >= shared_.room.epoch);
    shared_.room = room;
    shared_.options.scene_hash = room.scene_hash;  // what newcomers are judged by
  }

  Result<Unit, Error> send_room_state(PlayerId player, RoomState&& state) {
    TAKT_ASSERT(state.epoch == shared_.room.epoch);
    ServerPeer* peer = find(player);
    if (peer == nullptr) return Error::kUnknownPlayer;
    auto sent = peer->send_room_state(last_now_us_, std::move(state));
    announce_streams();
    return sent;
  }

  bool has_entered(PlayerId player) const noexcept {
    const ServerPeer* peer = find(player);
    return peer != nullptr && peer->has_entered();
  }

  Result<Unit, Error> send_control_result(PlayerId player, const ControlResult& result) {
    return send(player, shared_.writer.write(result));
  }

  Result<Unit, Error> send_query_result(PlayerId player, const QueryResult& result) {
    return send(player, shared_.writer.write(result));
  }

  // Contacts and JointFrames alike: the items of a tick in messages of at most `per_message`.
  template <class Parts, class Item>
  void publish_parts(std::uint32_t bit, std::size_t per_message, std::uint64_t tick, std::uint32_t total,
                     std::span<const Item> items, std::vector<Item> Parts::*member) {
    auto const count =
        static_cast<std::uint16_t>(std::max<std::size_t>(1, (items.size() + per_message - 1) / per_message));
    for (std::uint16_t part = 0; part < count; ++part) {
      auto const some =
          items.subspan(part * per_message, std::min(per_message, items.size() - part * per_message));
      Parts message;
      message.tick = tick;
      message.total = total;
      message.part = part;
      message.part_count = count;
      message.epoch = shared_.room.epoch;
      (message.*member).assign(some.begin(), some.end());
      auto const bytes = shared_.writer.write(message);
      for (auto const& [player, peer] : peers_)
        if (peer->inspects(bit)) peer->send_unreliable(bytes);
    }
    announce_streams();
  }

  void publish_contacts(std::uint64_t tick, std::uint32_t total, std::span<const ContactPoint> points) {
    TAKT_ASSERT(points.size() <= kContactPointsMax);
    publish_parts<Contacts>(kInspectContacts, kContactPointsPerMessage, tick, total, points,
                            &Contacts::points);
  }
  void publish_joints(std::uint64_t tick, std::uint32_t total, std::span<const JointFrame> joints) {
    TAKT_ASSERT(joints.size() <= kJointFramesMax);
    publish_parts<JointFrames>(kInspectJoints, kJointFramesPerMessage, tick, total, joints,
                               &JointFrames::joints);
  }

  void handle_tick(std::uint64_t now_us, std::uint64_t tick) {
    check_time(now_us);
    shared_.tick = tick;
    shared_.tick_at_us = now_us;
  }

  void publish_snapshot(std::uint64_t now_us, std::uint64_t tick, std::span<const BodyState> bodies,
                        std::optional<std::span<const RopeState>> ropes) {
    check_time(now_us);
    shared_.source.update(tick, bodies);
    shared_.source.ropes().update(ropes);
    for (auto const& [player, peer] : peers_) peer->publish_snapshot();
    announce_streams();
  }

  Result<Unit, Error> send_outcomes(PlayerId player, std::span<const CommandOutcome> outcomes) {
    while (!outcomes.empty()) {
      auto const some = outcomes.first(std::min(outcomes.size(), kCommandOutcomesPerMessage));
      if (auto sent =
              send(player, shared_.writer.write(InputAck{0, shared_.tick, 0, {some.begin(), some.end()}}));
          !sent)
        return sent;
      outcomes = outcomes.subspan(some.size());
    }
    return Unit{};
  }

  Result<Unit, Error> send_broken(PlayerId player, std::uint64_t tick,
                                  std::span<const std::uint64_t> joints) {
    while (!joints.empty()) {
      auto const some = joints.first(std::min(joints.size(), kRemovedPerMessage));
      if (auto sent = send(player, shared_.writer.write(JointsBroken{tick, {some.begin(), some.end()}}));
          !sent)
        return sent;
      joints = joints.subspan(some.size());
    }
    return Unit{};
  }

  Result<Unit, Error> send_added(PlayerId player, std::uint64_t tick, std::span<const BodyInfo> bodies) {
    while (!bodies.empty()) {
      std::size_t count = 0;
      std::size_t shapes = 0;
      while (count < bodies.size() && count < kBodyInfosPerMessage &&
             shapes + bodies[count].shapes.size() <= kShapesPerMessage)
        shapes += bodies[count++].shapes.size();
      if (auto sent = send(player, shared_.writer.write(tick, bodies.first(count))); !sent) return sent;
      bodies = bodies.subspan(count);
    }
    return Unit{};
  }

  Result<Unit, Error> send_removed(PlayerId player, std::uint64_t tick, std::span<const BodyId> ids) {
    while (!ids.empty()) {
      auto const some = ids.first(std::min(ids.size(), kRemovedPerMessage));
      if (auto sent = send(player, shared_.writer.write(BodiesRemoved{tick, {some.begin(), some.end()}}));
          !sent)
        return sent;
      ids = ids.subspan(some.size());
    }
    return Unit{};
  }

  Result<Unit, Error> send_game_event(PlayerId player, std::uint64_t tick, std::span<const std::byte> bytes) {
    TAKT_ASSERT(bytes.size() <= kCustomBytesMax);
    return send(player, shared_.writer.write(GameEvent{tick, {bytes.begin(), bytes.end()}}));
  }

  Result<Unit, Error> send_join_image(PlayerId player, std::uint64_t tick,
                                      std::shared_ptr<const std::vector<std::byte>> image) {
    ServerPeer* peer = find(player);
    if (peer == nullptr) return Error::kUnknownPlayer;
    auto sent = peer->send_image(tick, std::move(image));
    announce_streams();
    return sent;
  }

  Result<Unit, Error> send_geometry(PlayerId player, GeometryBlob&& geometry) {
    ServerPeer* peer = find(player);
    if (peer == nullptr) return Error::kUnknownPlayer;
    auto sent = peer->send_geometry(std::move(geometry));
    announce_streams();
    return sent;
  }

  void publish_stats(const ServerStats& stats) {
    auto const bytes = shared_.writer.write(stats);
    for (auto const& [player, peer] : peers_) peer->send_unreliable(bytes);
    announce_streams();
  }

  void disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason, std::string_view text) {
    check_time(now_us);
    if (ServerPeer* peer = find(player)) peer->leave(now_us, reason, text, true);
  }

  void shut_down(std::uint64_t now_us, std::string_view text) {
    check_time(now_us);
    shutting_down_ = true;
    for (auto const& [player, peer] : peers_)
      peer->leave(now_us, DisconnectReason::kServerStopped, text, true);
    streams_.for_each([&](ServerStream& stream) {
      if (stream.peer == nullptr) streams_.close(stream);
    });
  }

  bool is_drained() const noexcept {
    return shutting_down_ && peers_.empty() && answers_.empty() && streams_.empty();
  }

  std::vector<PlayerId> players() const {
    std::vector<PlayerId> ids;
    for (auto const& [player, peer] : peers_)
      if (!peer->is_leaving()) ids.push_back(player);
    return ids;
  }

  Result<SessionStats, Error> stats_of(PlayerId player) const {
    const ServerPeer* peer = find(player);
    if (peer == nullptr) return Error::kUnknownPlayer;
    return peer->stats();
  }
  bool is_settled(PlayerId player) const {
    const ServerPeer* peer = find(player);
    return peer != nullptr && peer->is_settled();
  }
  const Counters& counters() const noexcept { return shared_.counters; }
  const std::array<std::uint64_t, kRefuseReasons>& refusals() const noexcept { return shared_.refusals; }
  const SizeHistogram& snapshot_sizes() const noexcept { return shared_.snapshot_sizes; }
  std::array<std::uint32_t, kTransportKinds> player_counts() const noexcept {
    std::array<std::uint32_t, kTransportKinds> counts{};
    for (auto const& [player, peer] : peers_)
      if (!peer->is_leaving()) ++counts[static_cast<std::size_t>(peer->origin().transport)];
    return counts;
  }

 private:
  // Over datagrams a peer is found by its address; the session id then proves that the datagram is its own.
  struct Route {
    ServerPeer* peer = nullptr;
    DatagramLink* link = nullptr;
    std::uint64_t nonce = 0;
    std::vector<std::byte> accept;  // said again when the client asks again
  };

  void check_time(std::uint64_t now_us) {
    TAKT_ASSERT(now_us >= last_now_us_);
    last_now_us_ = now_us;
  }

  bool count_sent(const OutgoingDatagram& datagram) {
    shared_.counters.add(Counter::kDatagramsSent);
    shared_.counters.add(Counter::kDatagramBytesSent, datagram.bytes.size());
    return true;
  }

  ServerPeer* find(PlayerId player) const noexcept {
    auto const at = peers_.find(player);
    return at != peers_.end() && !at->second->is_leaving() ? at->second.get() : nullptr;
  }

  Result<Unit, Error> send(PlayerId player, std::span<const std::byte> message) {
    ServerPeer* peer = find(player);
    if (peer == nullptr) return Error::kUnknownPlayer;
    auto sent = peer->send_reliable(last_now_us_, message);
    announce_streams();
    return sent;
  }

  void announce_streams() {
    streams_.for_each([&](ServerStream& stream) { streams_.announce(stream); });
  }

  // ------------------------------------------------------------ sessions

  void handle_session_datagram(std::uint64_t now_us, const Address& from, const DatagramHeader& header,
                               std::span<const std::byte> bytes) {
    auto const at = by_address_.find(from);
    if (at == by_address_.end() || at->second.link->session() != header.session) {
      shared_.counters.add(Counter::kDatagramUnknownSession);
      return;
    }
    if (at->second.link->handle_datagram(now_us, header, bytes)) at->second.peer->handle_arrival(now_us);
  }

  void handle_time(std::uint64_t now_us) {
    for (auto at = by_address_.begin(); at != by_address_.end();) {
      ServerPeer& peer = *at->second.peer;
      peer.handle_time(now_us);
      // The last copy of the goodbye is still in the link: the peer goes once it has nothing more to say.
      if (!peer.is_gone() || at->second.link->has_unreliable()) {
        ++at;
        continue;
      }
      peers_.erase(peer.player());
      at = by_address_.erase(at);
    }
    streams_.for_each([&](ServerStream& stream) { handle_stream_time(now_us, stream); });
  }

  std::size_t active_count() const noexcept {
    return static_cast<std::size_t>(std::count_if(
        peers_.begin(), peers_.end(), [](auto const& entry) { return !entry.second->is_leaving(); }));
  }

  std::optional<Refuse> judge_now(const ConnectRequest& request) const {
    if (shutting_down_) return Refuse{request.nonce, RefuseReason::kShuttingDown, "this server is stopping"};
    if (auto refused = judge(shared_.options, request)) return refused;
    if (active_count() >= shared_.options.players_max)
      return Refuse{request.nonce, RefuseReason::kServerFull,
                    "all " + std::to_string(shared_.options.players_max) + " places are taken"};
    return std::nullopt;
  }

  void count_refusal(RefuseReason reason) {
    shared_.counters.add(Counter::kHandshakeRefused);
    ++shared_.refusals[static_cast<std::size_t>(reason)];
  }

  [[nodiscard]] PeerOrigin origin_of(const Address& from, const StreamOrigin& stream) const noexcept {
    bool const admin =
        shared_.options.admin == AdminGrant::kLoopback && stream.is_trusted && from.is_loopback();
    return {stream.transport, admin};
  }

  Accept admit(PlayerId player, std::uint64_t session, const ConnectRequest& request) {
    shared_.counters.add(Counter::kHandshakeAccepted);
    Accept accept;
    accept.nonce = request.nonce;
    accept.session = session;
    accept.player_id = player;
    accept.tick_rate_hz = shared_.room.tick_rate_hz;
    accept.substeps = shared_.room.substeps;
    accept.current_tick = shared_.tick;
    accept.scene_hash = shared_.room.scene_hash;
    accept.numbers_mode = shared_.options.numbers_mode;
    accept.mode = request.mode;
    return accept;
  }

  // ------------------------------------------------------------ datagram handshake

  void answer(const Address& to, std::span<const std::byte> message) {
    if (answers_.size() >= kAnswersMax) {
      shared_.counters.add(Counter::kQueueOverflow);
      return;
    }
    OutgoingDatagram& datagram = answers_.emplace_back();
    datagram.to = to;
    datagram.bytes.resize(kDatagramHeaderBytes);
    DatagramHeader header;
    header.type = DatagramType::kHandshake;
    write_header(header,
                 std::span<std::byte, kDatagramHeaderBytes>(datagram.bytes.data(), kDatagramHeaderBytes));
    datagram.bytes.insert(datagram.bytes.end(), message.begin(), message.end());
    TAKT_ASSERT(datagram.bytes.size() <= kConnectRequestBytes);  // never larger than what was asked
  }

  void handle_handshake_datagram(std::uint64_t now_us, const Address& from, const DatagramHeader& header,
                                 std::span<const std::byte> bytes) {
    if (!limiter_.take(now_us, from)) {
      shared_.counters.add(Counter::kHandshakeRate);
      return;
    }
    if (header.session != 0) {
      shared_.counters.add(Counter::kDatagramUnknownSession);
      return;
    }
    auto message = shared_.reader.read(bytes.subspan(kDatagramHeaderBytes), MessageClass::kDatagram);
    if (!message) {
      shared_.counters.add(counter_of_message(message.error()));
    } else if (auto const* request = std::get_if<ConnectRequest>(&*message)) {
      handle_request(now_us, from, *request, bytes.size());
    } else if (auto const* response = std::get_if<ChallengeResponse>(&*message)) {
      handle_response(now_us, from, *response);
    } else {
      shared_.counters.add(Counter::kMessageUnexpected);
    }
  }

  void handle_request(std::uint64_t now_us, const Address& from, const ConnectRequest& request,
                      std::size_t datagram_bytes) {
    if (datagram_bytes < kConnectRequestBytes) {
      shared_.counters.add(Counter::kHandshakeShortRequest);
      return;
    }
    // A client of this address that is already in asks for its Accept by its response, not by a new request;
    // but its first request may come late or twice, and a full server must not refuse somebody who has a
    // place.
    auto const known = by_address_.find(from);
    bool const has_place = known != by_address_.end() && known->second.nonce == request.nonce;
    if (auto const refused = judge_now(request); refused && !has_place) {
      count_refusal(refused->reason);
      answer(from, shared_.writer.write(*refused));
      return;
    }
    answer(from, shared_.writer.write(Challenge{request.nonce, make_cookie(secret_, now_us, from, request)}));
  }

  void handle_response(std::uint64_t now_us, const Address& from, const ChallengeResponse& response) {
    switch (check_cookie(secret_, now_us, from, response.request, response.cookie)) {
      case CookieVerdict::kGood: break;
      case CookieVerdict::kForged: shared_.counters.add(Counter::kHandshakeCookieBad); return;
      case CookieVerdict::kExpired: shared_.counters.add(Counter::kHandshakeCookieExpired); return;
    }
    if (auto const known = by_address_.find(from); known != by_address_.end()) {
      if (known->second.nonce == response.request.nonce) {
        // Our Accept was lost, or this is a copy. A leaving peer gets no second Accept.
        if (!known->second.peer->is_leaving()) answer(from, known->second.accept);
        return;
      }
      // The cookie proves that this is the same host and port: the old session there is over, whatever became
      // of it.
      known->second.peer->leave(now_us, DisconnectReason::kReplaced, "the address connected anew", false);
      peers_.erase(known->second.peer->player());
      by_address_.erase(known);
    }
    if (auto const refused = judge_now(response.request)) {
      count_refusal(refused->reason);
      answer(from, shared_.writer.write(*refused));
      return;
    }
    if (!used_cookies_.insert(now_us, response.cookie)) {
      shared_.counters.add(Counter::kHandshakeCookieReused);
      return;
    }
    accept_datagram_peer(now_us, from, response.request);
  }

  void accept_datagram_peer(std::uint64_t now_us, const Address& from, const ConnectRequest& request) {
    PlayerId const player = next_player_++;
    DatagramLinkOptions options;
    options.session = make_session_id(secret_, from, request.nonce, player);
    options.send_window = kFragmentWindowToClient;
    options.receive_window = kFragmentWindowToServer;
    options.pacer = {shared_.options.send_rate_start, shared_.options.send_rate_min,
                     shared_.options.send_rate_max};
    auto link = std::make_unique<DatagramLink>(options, now_us, shared_.counters);
    Route route;
    route.link = link.get();
    route.nonce = request.nonce;
    auto const accept = shared_.writer.write(admit(player, options.session, request));
    route.accept.assign(accept.begin(), accept.end());
    PeerOrigin const origin = origin_of(from, {TransportKind::kDatagram, true});
    auto peer = std::make_unique<ServerPeer>(shared_, now_us, player, origin, std::move(link));
    route.peer = peer.get();
    answer(from, route.accept);
    peers_.emplace(player, std::move(peer));
    by_address_.emplace(from, std::move(route));
    shared_.events.push_back(PlayerJoined{player, request.player_name, TransportKind::kDatagram, from,
                                          request.mode, origin.admin});
  }

  // ------------------------------------------------------------ stream handshake

  // TCP's own handshake has proved the address; the request follows at once.
  void handle_pending_stream(std::uint64_t now_us, ServerStream& stream) {
    Link::Inbound inbound;
    if (!stream.link->poll_message(inbound)) return;
    auto message = shared_.reader.read(inbound.bytes, inbound.message_class);
    auto const* request = message ? std::get_if<ConnectRequest>(&*message) : nullptr;
    if (request == nullptr) {
      if (message) {
        shared_.counters.add(Counter::kMessageUnexpected);
      } else {
        shared_.counters.add(counter_of_message(message.error()));
      }
      streams_.close(stream);
      return;
    }
    if (auto const refused = judge_now(*request)) {
      count_refusal(refused->reason);
      stream.link->send_reliable(shared_.writer.write(*refused));
      streams_.announce(stream);
      streams_.close(stream);
      return;
    }
    PlayerId const player = next_player_++;
    stream.link->send_reliable(shared_.writer.write(admit(player, 0, *request)));
    PeerOrigin const origin = origin_of(stream.address, stream.origin);
    auto peer = std::make_unique<ServerPeer>(shared_, now_us, player, origin, std::move(stream.pending_link));
    stream.peer = peer.get();
    peers_.emplace(player, std::move(peer));
    shared_.events.push_back(PlayerJoined{player, request->player_name, origin.transport, stream.address,
                                          request->mode, origin.admin});
  }

  void handle_stream_time(std::uint64_t now_us, ServerStream& stream) {
    if (stream.closing) return;
    if (stream.peer != nullptr) {
      stream.link->handle_time(now_us);
      stream.peer->handle_time(now_us);
      // The peer stays until the transport reports the stream closed: its link still holds the goodbye.
      if (stream.peer->is_gone()) streams_.close(stream);
    } else if (stream.link->has_failed()) {
      streams_.close(stream);
    } else if (now_us >= stream.opened_us + shared_.options.stream_handshake_us) {
      shared_.counters.add(Counter::kTimeouts);
      streams_.close(stream);
    }
    streams_.announce(stream);
  }

  ServerShared shared_;
  SecretKey secret_;
  AddressLimiter limiter_;
  UsedCookies used_cookies_;
  std::map<PlayerId, std::unique_ptr<ServerPeer>>
      peers_;  // ordered: events and snapshots go out in player order
  std::map<Address, Route> by_address_;
  ServerStreams streams_;
  std::deque<OutgoingDatagram> answers_;
  Address cursor_;
  PlayerId next_player_ = 1;
  std::uint64_t last_now_us_ = 0;
  bool round_over_ = true;  // the last poll_datagram had nothing
  bool shutting_down_ = false;
};

ServerEndpoint::ServerEndpoint(const ServerOptions& options, const SecretKey& secret)
    : implementation_(std::make_unique<Implementation>(options, secret)) {}
ServerEndpoint::~ServerEndpoint() = default;

void ServerEndpoint::handle_datagram(std::uint64_t now_us, const Address& from,
                                     std::span<const std::byte> bytes) {
  implementation_->handle_datagram(now_us, from, bytes);
}
bool ServerEndpoint::poll_datagram(std::uint64_t now_us, OutgoingDatagram& out) {
  return implementation_->poll_datagram(now_us, out);
}
StreamId ServerEndpoint::handle_stream_open(std::uint64_t now_us, const Address& from,
                                            const StreamOrigin& origin) {
  return implementation_->handle_stream_open(now_us, from, origin);
}
void ServerEndpoint::handle_stream_bytes(std::uint64_t now_us, StreamId stream,
                                         std::span<const std::byte> bytes) {
  implementation_->handle_stream_bytes(now_us, stream, bytes);
}
void ServerEndpoint::handle_stream_closed(std::uint64_t now_us, StreamId stream) {
  implementation_->handle_stream_closed(now_us, stream);
}
std::size_t ServerEndpoint::poll_stream(std::uint64_t now_us, StreamId stream, std::size_t bytes_max,
                                        std::vector<std::byte>& out) {
  return implementation_->poll_stream(now_us, stream, bytes_max, out);
}
StreamId ServerEndpoint::poll_writable_stream(TransportKind kind) {
  return implementation_->poll_writable_stream(kind);
}
StreamId ServerEndpoint::poll_closing_stream(TransportKind kind) {
  return implementation_->poll_closing_stream(kind);
}
std::uint64_t ServerEndpoint::next_wakeup_us(std::uint64_t now_us) const {
  return implementation_->next_wakeup_us(now_us);
}
bool ServerEndpoint::poll_event(ServerEvent& out) { return implementation_->poll_event(out); }
void ServerEndpoint::handle_room(const PlayingRoom& room) { implementation_->handle_room(room); }
Result<Unit, Error> ServerEndpoint::send_room_state(PlayerId player, RoomState state) {
  return implementation_->send_room_state(player, std::move(state));
}
bool ServerEndpoint::has_entered(PlayerId player) const noexcept {
  return implementation_->has_entered(player);
}
Result<Unit, Error> ServerEndpoint::send_control_result(PlayerId player, const ControlResult& result) {
  return implementation_->send_control_result(player, result);
}
Result<Unit, Error> ServerEndpoint::send_query_result(PlayerId player, const QueryResult& result) {
  return implementation_->send_query_result(player, result);
}
void ServerEndpoint::publish_contacts(std::uint64_t tick, std::uint32_t total,
                                      std::span<const ContactPoint> points) {
  implementation_->publish_contacts(tick, total, points);
}
void ServerEndpoint::publish_joints(std::uint64_t tick, std::uint32_t total,
                                    std::span<const JointFrame> joints) {
  implementation_->publish_joints(tick, total, joints);
}
Result<Unit, Error> ServerEndpoint::send_joints_broken(PlayerId player, std::uint64_t tick,
                                                       std::span<const std::uint64_t> joints) {
  return implementation_->send_broken(player, tick, joints);
}
void ServerEndpoint::handle_tick(std::uint64_t now_us, std::uint64_t tick) {
  implementation_->handle_tick(now_us, tick);
}
void ServerEndpoint::publish_snapshot(std::uint64_t now_us, std::uint64_t tick,
                                      std::span<const BodyState> bodies,
                                      std::optional<std::span<const RopeState>> ropes) {
  implementation_->publish_snapshot(now_us, tick, bodies, ropes);
}
Result<Unit, Error> ServerEndpoint::send_input_outcomes(PlayerId player,
                                                        std::span<const CommandOutcome> outcomes) {
  return implementation_->send_outcomes(player, outcomes);
}
Result<Unit, Error> ServerEndpoint::send_bodies_added(PlayerId player, std::uint64_t tick,
                                                      std::span<const BodyInfo> bodies) {
  return implementation_->send_added(player, tick, bodies);
}
Result<Unit, Error> ServerEndpoint::send_bodies_removed(PlayerId player, std::uint64_t tick,
                                                        std::span<const BodyId> ids) {
  return implementation_->send_removed(player, tick, ids);
}
Result<Unit, Error> ServerEndpoint::send_join_image(PlayerId player, std::uint64_t tick,
                                                    std::shared_ptr<const std::vector<std::byte>> image) {
  return implementation_->send_join_image(player, tick, std::move(image));
}
Result<Unit, Error> ServerEndpoint::send_geometry(PlayerId player, GeometryBlob geometry) {
  return implementation_->send_geometry(player, std::move(geometry));
}
Result<Unit, Error> ServerEndpoint::send_game_event(PlayerId player, std::uint64_t tick,
                                                    std::span<const std::byte> bytes) {
  return implementation_->send_game_event(player, tick, bytes);
}
void ServerEndpoint::publish_stats(const ServerStats& stats) { implementation_->publish_stats(stats); }
void ServerEndpoint::disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason,
                                std::string_view text) {
  implementation_->disconnect(now_us, player, reason, text);
}
void ServerEndpoint::shut_down(std::uint64_t now_us, std::string_view text) {
  implementation_->shut_down(now_us, text);
}
bool ServerEndpoint::is_drained() const noexcept { return implementation_->is_drained(); }
std::size_t ServerEndpoint::player_count() const noexcept { return implementation_->players().size(); }
std::vector<PlayerId> ServerEndpoint::players() const { return implementation_->players(); }
Result<SessionStats, Error> ServerEndpoint::stats_of(PlayerId player) const {
  return implementation_->stats_of(player);
}
bool ServerEndpoint::is_settled(PlayerId player) const { return implementation_->is_settled(player); }
std::array<std::uint32_t, kTransportKinds> ServerEndpoint::player_counts() const noexcept {
  return implementation_->player_counts();
}
const Counters& ServerEndpoint::counters() const noexcept { return implementation_->counters(); }
const std::array<std::uint64_t, kRefuseReasons>& ServerEndpoint::refusals() const noexcept {
  return implementation_->refusals();
}
const SizeHistogram& ServerEndpoint::snapshot_sizes() const noexcept {
  return implementation_->snapshot_sizes();
}

}  // namespace takt::protocol
