#include "protocol/session/server_endpoint.h"

#include <algorithm>
#include <utility>

#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

/// Bodies and shapes per BodiesAdded message: 256 x 56 bytes of tables and 900 x 56 bytes of shapes stay
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

ServerEndpoint::ServerEndpoint(const ServerOptions& options, const SecretKey& secret,
                               const ServerSeeds& seeds)
    : shared_(options, secret, seeds),
      sessions_(shared_),
      datagrams_(shared_, sessions_),
      streams_(shared_, sessions_) {
  TAKT_ASSERT(options.players_max >= 1 && options.players_max <= 4096);
  TAKT_ASSERT(options.tick_rate_hz >= 1 && options.tick_rate_hz <= 10'000);
  TAKT_ASSERT(options.numbers_mode != NumbersMode::kAny);
}

// ---------------------------------------------------------------- bytes

void ServerEndpoint::handle_datagram(std::uint64_t now_us, const Address& from,
                                     std::span<const std::byte> bytes) {
  check_time(now_us);
  datagrams_.handle_datagram(now_us, from, bytes);
  touch_ended();
}

bool ServerEndpoint::poll_datagram(std::uint64_t now_us, OutgoingDatagram& out) {
  check_time(now_us);
  // Once per round of polls, not once per datagram.
  if (std::exchange(round_over_, false)) {
    streams_.handle_time(now_us);
    touch_ended();
  }
  if (datagrams_.poll_datagram(now_us, out)) return true;
  round_over_ = true;
  return false;
}

StreamId ServerEndpoint::handle_stream_open(std::uint64_t now_us, const Address& from,
                                            const StreamOrigin& origin) {
  check_time(now_us);
  return streams_.handle_open(now_us, from, origin);
}
void ServerEndpoint::handle_stream_bytes(std::uint64_t now_us, StreamId stream,
                                         std::span<const std::byte> bytes) {
  check_time(now_us);
  streams_.handle_bytes(now_us, stream, bytes);
  touch_ended();
}
void ServerEndpoint::handle_stream_closed(std::uint64_t now_us, StreamId stream) {
  check_time(now_us);
  streams_.handle_closed(now_us, stream);
}
std::size_t ServerEndpoint::poll_stream(std::uint64_t now_us, StreamId stream, std::size_t bytes_max,
                                        std::vector<std::byte>& out) {
  check_time(now_us);
  return streams_.poll_bytes(now_us, stream, bytes_max, out);
}
StreamId ServerEndpoint::poll_writable_stream(TransportKind kind) {
  return streams_.poll_writable(last_now_us_, kind);
}
StreamId ServerEndpoint::poll_closing_stream(TransportKind kind) { return streams_.poll_closing(kind); }

std::uint64_t ServerEndpoint::next_wakeup_us(std::uint64_t now_us) {
  return std::max(std::min(datagrams_.next_wakeup_us(now_us), streams_.next_wakeup_us()), now_us);
}

// ---------------------------------------------------------------- events

bool ServerEndpoint::poll_event(ServerEvent& out) {
  if (shared_.events.empty()) return false;
  out = std::move(shared_.events.front());
  shared_.events.pop_front();
  return true;
}

// ---------------------------------------------------------------- sending

void ServerEndpoint::handle_room(const PlayingRoom& room) {
  TAKT_ASSERT(room.tick_rate_hz >= 1 && room.tick_rate_hz <= 10'000 && room.epoch >= shared_.room.epoch);
  if (room.epoch != shared_.room.epoch) {
    shared_.confirmed = ConfirmedLog(ConfirmedLog::kSeconds * room.tick_rate_hz);
    sessions_.for_each([](ServerPeer& peer) { peer.stop_confirmed(); });
    if (shared_.room.epoch != 0) shared_.options.input_offsets.clear();
  }
  shared_.room = room;
  shared_.options.scene_hash = room.scene_hash;  // what newcomers are judged by
}

Result<Unit, Error> ServerEndpoint::send_room_state(PlayerId player, RoomState state) {
  TAKT_ASSERT(state.epoch == shared_.room.epoch);
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  auto sent = peer->send_room_state(last_now_us_, std::move(state));
  touch(*peer);
  return sent;
}

bool ServerEndpoint::has_entered(PlayerId player) const noexcept {
  const ServerPeer* peer = sessions_.find(player);
  return peer != nullptr && peer->has_entered();
}

void ServerEndpoint::switch_mode(std::uint64_t now_us, PlayerId player, ReplicationMode mode,
                                 std::string_view text) {
  check_time(now_us);
  TAKT_ASSERT(shared_.options.modes.contains(mode));
  ServerPeer* const peer = sessions_.find(player);
  if (peer == nullptr) return;
  peer->switch_mode(now_us, mode, text);
  touch(*peer);
}

std::optional<std::uint32_t> ServerEndpoint::mode_epoch_of(PlayerId player) const noexcept {
  const ServerPeer* const peer = sessions_.find(player);
  if (peer == nullptr) return std::nullopt;
  return peer->mode_epoch();
}

Result<Unit, Error> ServerEndpoint::send_control_result(PlayerId player, const ControlResult& result) {
  return send(player, shared_.writer.write(result), Lane::kPrompt);
}

Result<Unit, Error> ServerEndpoint::send_desync_answer(PlayerId player, const DesyncAnswer& answer) {
  return send(player, shared_.writer.write(answer), Lane::kPrompt);
}

Result<Unit, Error> ServerEndpoint::send_query_result(PlayerId player, const QueryResult& result) {
  return send(player, shared_.writer.write(result), Lane::kPrompt);
}

// Contacts and JointFrames alike: the items of a tick in messages of at most `per_message`.
template <class Parts, class Item>
void ServerEndpoint::publish_parts(std::uint32_t bit, std::size_t per_message, std::uint64_t tick,
                                   std::uint32_t total, std::span<const Item> items,
                                   std::vector<Item> Parts::*member) {
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
    sessions_.for_each([&](ServerPeer& peer) {
      if (peer.inspects(bit)) peer.send_unreliable(bytes);
    });
  }
  touch_all();
}

void ServerEndpoint::publish_contacts(std::uint64_t tick, std::uint32_t total,
                                      std::span<const ContactPoint> points) {
  TAKT_ASSERT(points.size() <= kContactPointsMax);
  publish_parts<Contacts>(kInspectContacts, kContactPointsPerMessage, tick, total, points, &Contacts::points);
}

void ServerEndpoint::publish_joints(std::uint64_t tick, std::uint32_t total,
                                    std::span<const JointFrame> joints) {
  TAKT_ASSERT(joints.size() <= kJointFramesMax);
  publish_parts<JointFrames>(kInspectJoints, kJointFramesPerMessage, tick, total, joints,
                             &JointFrames::joints);
}

void ServerEndpoint::handle_tick(std::uint64_t now_us, std::uint64_t tick) {
  check_time(now_us);
  shared_.tick = tick;
  shared_.tick_at_us = now_us;
}

void ServerEndpoint::publish_snapshot(std::uint64_t now_us, std::uint64_t tick,
                                      std::span<const BodyState> bodies,
                                      std::optional<std::span<const RopeState>> ropes,
                                      std::span<const MoverInput> movers) {
  check_time(now_us);
  shared_.source.update(tick, bodies);
  shared_.source.update_movers(movers);
  shared_.source.ropes().update(ropes);
  std::size_t const share = shared_.egress.share(now_us, sessions_.count());
  sessions_.for_each([&](ServerPeer& peer) { peer.publish_snapshot(now_us, share); });
  touch_all();
}

void ServerEndpoint::publish_confirmed(std::uint64_t now_us, std::vector<ConfirmedTick>&& ticks) {
  check_time(now_us);
  for (ConfirmedTick& tick : ticks) shared_.confirmed.append(std::move(tick));
  sessions_.for_each([&](ServerPeer& peer) {
    if (!peer.simulates()) return;
    peer.publish_confirmed(now_us);
    touch(peer);
  });
}

Result<Unit, Error> ServerEndpoint::send_command_outcomes(PlayerId player,
                                                          std::span<const CommandOutcome> outcomes) {
  while (!outcomes.empty()) {
    auto const some = outcomes.first(std::min(outcomes.size(), kCommandOutcomesPerMessage));
    if (auto sent =
            send(player, shared_.writer.write(InputAck{0, shared_.tick, 0, {some.begin(), some.end()}}),
                 Lane::kPrompt);
        !sent)
      return sent;
    outcomes = outcomes.subspan(some.size());
  }
  return Unit{};
}

Result<Unit, Error> ServerEndpoint::send_joints_broken(PlayerId player, std::uint64_t tick,
                                                       std::span<const std::uint64_t> joints) {
  while (!joints.empty()) {
    auto const some = joints.first(std::min(joints.size(), kRemovedPerMessage));
    if (auto sent =
            send(player, shared_.writer.write(JointsBroken{tick, {some.begin(), some.end()}}), Lane::kWorld);
        !sent)
      return sent;
    joints = joints.subspan(some.size());
  }
  return Unit{};
}

SharedMessages ServerEndpoint::write_bodies_added(std::uint64_t tick, std::span<const BodyInfo> bodies) {
  SharedMessages messages;
  while (!bodies.empty()) {
    std::size_t count = 0;
    std::size_t shapes = 0;
    while (count < bodies.size() && count < kBodyInfosPerMessage &&
           shapes + bodies[count].shapes.size() <= kShapesPerMessage)
      shapes += bodies[count++].shapes.size();
    auto const bytes = shared_.writer.write(tick, bodies.first(count));
    messages.push_back(std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
    bodies = bodies.subspan(count);
  }
  return messages;
}

Result<Unit, Error> ServerEndpoint::send_shared(PlayerId player, const SharedMessages& messages) {
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  auto sent = peer->send_shared(messages);
  touch(*peer);
  return sent;
}

Result<Unit, Error> ServerEndpoint::send_bodies_removed(PlayerId player, std::uint64_t tick,
                                                        std::span<const BodyId> ids) {
  while (!ids.empty()) {
    auto const some = ids.first(std::min(ids.size(), kRemovedPerMessage));
    if (auto sent =
            send(player, shared_.writer.write(BodiesRemoved{tick, {some.begin(), some.end()}}), Lane::kWorld);
        !sent)
      return sent;
    ids = ids.subspan(some.size());
  }
  return Unit{};
}

Result<Unit, Error> ServerEndpoint::send_game_event(PlayerId player, std::uint64_t tick,
                                                    std::span<const std::byte> bytes) {
  TAKT_ASSERT(bytes.size() <= kCustomBytesMax);
  return send(player, shared_.writer.write(GameEvent{tick, {bytes.begin(), bytes.end()}}), Lane::kGame);
}

void ServerEndpoint::send_game_event(std::span<const PlayerId> players, std::uint64_t tick,
                                     std::span<const std::byte> bytes) {
  TAKT_ASSERT(bytes.size() <= kCustomBytesMax);
  auto const written = shared_.writer.write(GameEvent{tick, {bytes.begin(), bytes.end()}});
  std::vector<std::byte> const message(written.begin(), written.end());  // a peer may use the writer
  for (PlayerId const player : players) {
    ServerPeer* peer = sessions_.find(player);
    if (peer == nullptr) continue;
    (void)peer->send_reliable(last_now_us_, message, Lane::kGame);
    touch(*peer);
  }
}

Result<Unit, Error> ServerEndpoint::send_join_image(PlayerId player, std::uint64_t tick,
                                                    std::shared_ptr<const std::vector<std::byte>> image) {
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  auto sent = peer->send_image(tick, std::move(image));
  touch(*peer);
  return sent;
}

Result<Unit, Error> ServerEndpoint::send_geometry(PlayerId player, GeometryBlob geometry) {
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  auto sent = peer->send_geometry(std::move(geometry));
  touch(*peer);
  return sent;
}

void ServerEndpoint::publish_stats(const ServerStats& stats) {
  auto const bytes = shared_.writer.write(stats);
  sessions_.for_each([&](ServerPeer& peer) { peer.send_unreliable(bytes); });
  touch_all();
}

Result<Unit, Error> ServerEndpoint::send(PlayerId player, std::span<const std::byte> message, Lane lane) {
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  auto sent = peer->send_reliable(last_now_us_, message, lane);
  touch(*peer);
  return sent;
}

// ---------------------------------------------------------------- sessions

void ServerEndpoint::disconnect(std::uint64_t now_us, PlayerId player, DisconnectReason reason,
                                std::string_view text) {
  check_time(now_us);
  ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return;
  peer->leave(now_us, reason, text, true);
  touch(*peer);
}

void ServerEndpoint::shut_down(std::uint64_t now_us, std::string_view text) {
  check_time(now_us);
  sessions_.shut_down(now_us, text);
  touch_all();
  streams_.close_pending();
}

bool ServerEndpoint::is_drained() const noexcept {
  return sessions_.is_shutting_down() && sessions_.empty() && datagrams_.is_drained() &&
         streams_.is_drained();
}

Result<SessionStats, Error> ServerEndpoint::stats_of(PlayerId player) const {
  const ServerPeer* peer = sessions_.find(player);
  if (peer == nullptr) return Error::kUnknownPlayer;
  return peer->stats();
}

bool ServerEndpoint::is_settled(PlayerId player) const {
  const ServerPeer* peer = sessions_.find(player);
  return peer != nullptr && peer->is_settled();
}

void ServerEndpoint::touch(const ServerPeer& peer) {
  if (peer.origin().transport == TransportKind::kDatagram) {
    datagrams_.touch(last_now_us_, peer);
  } else {
    streams_.touch(last_now_us_, peer);
  }
}

void ServerEndpoint::touch_all() {
  sessions_.for_each([&](const ServerPeer& peer) { touch(peer); });
}

void ServerEndpoint::touch_ended() {
  while (const ServerPeer* const peer = sessions_.poll_ended()) touch(*peer);
}

void ServerEndpoint::check_time(std::uint64_t now_us) {
  TAKT_ASSERT(now_us >= last_now_us_);
  last_now_us_ = now_us;
  shared_.keys.handle_time(now_us, kCookieLifetime);
}

}  // namespace takt::protocol
