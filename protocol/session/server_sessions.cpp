#include "protocol/session/server_sessions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/session/admission.h"

namespace takt::protocol {

std::optional<Refuse> ServerSessions::judge(const ConnectRequest& request) const {
  if (shutting_down_) return Refuse{request.nonce, RefuseReason::kShuttingDown, "this server is stopping"};
  if (auto refused = protocol::judge(shared_->options, request)) return refused;
  if (count() >= shared_->options.players_max)
    return Refuse{request.nonce, RefuseReason::kServerFull,
                  "all " + std::to_string(shared_->options.players_max) + " places are taken"};
  return std::nullopt;
}

void ServerSessions::count_refusal(RefuseReason reason) {
  shared_->counters.add(Counter::kHandshakeRefused);
  ++shared_->refusals[static_cast<std::size_t>(reason)];
}

PeerOrigin ServerSessions::origin_of(const Address& from, const StreamOrigin& stream) const noexcept {
  bool const is_local = stream.is_trusted && from.is_loopback();
  return {stream.transport, is_local && shared_->options.admin == AdminGrant::kLoopback,
          is_local && stream.transport != TransportKind::kDatagram};
}

PlayerId ServerSessions::take_player_id(const ConnectRequest& request) {
  if (auto const away = away_.extract(request.player_name)) return away.mapped();
  return next_player_++;
}

Accept ServerSessions::admit(PlayerId player, std::uint64_t session, const ConnectRequest& request) {
  shared_->counters.add(Counter::kHandshakeAccepted);
  Accept accept;
  accept.nonce = request.nonce;
  accept.session = session;
  accept.player_id = player;
  accept.tick_rate_hz = shared_->room.tick_rate_hz;
  accept.substeps = shared_->room.substeps;
  accept.current_tick = shared_->tick;
  accept.scene_hash = shared_->room.scene_hash;
  accept.numbers_mode = shared_->options.numbers_mode;
  accept.mode = request.mode;
  return accept;
}

ServerPeer& ServerSessions::add(std::unique_ptr<ServerPeer> peer, const Address& from,
                                const ConnectRequest& request) {
  ServerPeer& added = *peer;
  peers_.emplace(added.player(), std::move(peer));
  PeerOrigin const& origin = added.origin();
  PlayerJoined joined{added.player(), request.player_name, origin.transport,
                      from,           request.mode,        origin.admin};
  shared_->events.emplace_back(std::move(joined));
  return added;
}

ServerPeer* ServerSessions::find(PlayerId player) const noexcept {
  auto const at = peers_.find(player);
  return at != peers_.end() && !at->second->is_leaving() ? at->second.get() : nullptr;
}

std::vector<PlayerId> ServerSessions::players() const {
  std::vector<PlayerId> ids;
  for (auto const& [player, peer] : peers_)
    if (!peer->is_leaving()) ids.push_back(player);
  return ids;
}

std::array<std::uint32_t, kTransportKinds> ServerSessions::counts_by_transport() const noexcept {
  std::array<std::uint32_t, kTransportKinds> counts{};
  for (auto const& [player, peer] : peers_)
    if (!peer->is_leaving()) ++counts[static_cast<std::size_t>(peer->origin().transport)];
  return counts;
}

std::size_t ServerSessions::count() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      peers_.begin(), peers_.end(), [](auto const& entry) { return !entry.second->is_leaving(); }));
}

void ServerSessions::shut_down(std::uint64_t now_us, std::string_view text) {
  shutting_down_ = true;
  for (auto const& [player, peer] : peers_) peer->leave(now_us, DisconnectReason::kServerStopped, text, true);
}

}  // namespace takt::protocol
