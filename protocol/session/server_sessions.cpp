#include "protocol/session/server_sessions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "crypto/handshake_seal.h"
#include "protocol/session/admission.h"
#include "protocol/session/challenge.h"
#include "protocol/session/handshake_context.h"
#include "protocol/session/refusal.h"
#include "protocol/session/sealed_name.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

/// Sessions that one look for a place sees, the oldest of those that have not spoken first: each look costs
/// no more. Behind so many that do not fit, a newer one keeps its place until its time-out.
constexpr std::size_t kOrphansSeen = 64;

// Wipes the keys of a token at the end of a scope.
class WipeAtEnd {
 public:
  explicit WipeAtEnd(crypto::SessionKeyBytes& bytes) : bytes_(&bytes) {}
  WipeAtEnd(const WipeAtEnd&) = delete;
  WipeAtEnd& operator=(const WipeAtEnd&) = delete;
  ~WipeAtEnd() { crypto::wipe(*bytes_); }

 private:
  crypto::SessionKeyBytes* bytes_;
};

// Verifies the proof of a session over UDP or TCP. One without a token gets its name from it.
std::optional<crypto::Error> check_proof(const crypto::SecretKey& key, std::span<const std::byte> context,
                                         std::span<const std::byte> proof, PeerOrigin& origin) {
  if (origin.grant) {
    if (is_proved(key, context, proof)) return std::nullopt;
    return crypto::Error::kForged;
  }
  auto name = open_name(key, context, proof);
  if (!name) return name.error();
  origin.name = *std::move(name);
  return std::nullopt;
}

}  // namespace

std::optional<Refuse> ServerSessions::judge(std::uint64_t now_us, TransportKind transport,
                                            const Address& from, const ConnectRequest& request,
                                            const ServerPeer* replaced) const {
  if (shutting_down_) return Refuse{request.nonce, RefuseReason::kShuttingDown, "this server is stopping"};
  if (auto refused = protocol::judge(shared_->options, transport, request)) return refused;
  if (shared_->options.tokens != nullptr && !shared_->options.allow_guests && request.token.empty())
    return Refuse{request.nonce, RefuseReason::kTokenRequired,
                  std::string(text_of_token_refusal(RefuseReason::kTokenRequired))};
  // The client expects a server that knows the keys in its token.
  if (shared_->options.tokens == nullptr && !request.token.empty())
    return Refuse{request.nonce, RefuseReason::kTokenWrongKey,
                  std::string(text_of_token_refusal(RefuseReason::kTokenWrongKey))};
  bool const is_player = request.role == Role::kPlayer;
  Places const places = find_places(now_us, {from, request.role, !request.token.empty(), replaced});
  if (!places.has_of_role)
    return Refuse{request.nonce, RefuseReason::kServerFull,
                  "all " + std::to_string(places_of(request.role)) +
                      (is_player ? " places" : " places of spectators") + " are taken"};
  if (!places.has_of_address)
    return Refuse{request.nonce, RefuseReason::kServerFull,
                  "your address has " + std::to_string(shared_->gate.limits_of(from).sessions_max) +
                      " sessions, which is the limit of an address"};
  return std::nullopt;
}

std::uint32_t ServerSessions::places_of(Role role) const noexcept {
  return role == Role::kPlayer ? shared_->options.players_max : shared_->options.spectators_max;
}

template <class Predicate>
ServerPeer* ServerSessions::oldest_orphan(std::uint64_t now_us, Predicate&& fits) const {
  std::size_t seen = 0;
  for (auto const& [joined_us, player] : shared_->unspoken) {
    if (now_us < joined_us + kOrphanSilence || seen++ == kOrphansSeen) break;  // later ones are no orphans
    shared_->counters.add(Counter::kOrphansSeen);
    ServerPeer* const peer = find(player);
    if (peer != nullptr && peer->gives_place(now_us) && fits(*peer)) return peer;
  }
  return nullptr;
}

ServerSessions::Places ServerSessions::find_places(std::uint64_t now_us, const Seeker& seeker) const {
  Address const& from = seeker.address;
  Role const role = seeker.role;
  ServerPeer const* const replaced = seeker.replaced;
  bool const frees_place = replaced != nullptr && !replaced->is_leaving();
  bool const frees_role = frees_place && replaced->origin().role == role;
  Places places;
  places.has_of_role =
      shared_->present[static_cast<std::size_t>(role)] < places_of(role) + (frees_role ? 1u : 0u);
  places.has_of_address = shared_->gate.has_place(from, frees_place ? 1 : 0);
  if (places.has_of_role && places.has_of_address) return places;
  // A guest claims a name, and the back end knows the user of a token: the user's Accept may be on its way.
  auto const may_end = [&](const ServerPeer& peer) {
    return &peer != replaced && (seeker.has_token || !peer.origin().grant);
  };
  auto const has_role = [&](const ServerPeer& peer) { return may_end(peer) && peer.origin().role == role; };
  auto const has_address = [&](const ServerPeer& peer) {
    return may_end(peer) && AddressGate::is_same(peer.origin().address, from);
  };
  if (!places.has_of_address) {
    // One that gives both places spares another orphan.
    if (!places.has_of_role)
      places.orphan_of_address =
          oldest_orphan(now_us, [&](const ServerPeer& peer) { return has_role(peer) && has_address(peer); });
    places.has_of_role = places.has_of_role || places.orphan_of_address != nullptr;
    if (places.orphan_of_address == nullptr) places.orphan_of_address = oldest_orphan(now_us, has_address);
    places.has_of_address =
        places.orphan_of_address != nullptr && shared_->gate.has_place(from, frees_place ? 2 : 1);
  }
  if (!places.has_of_role) {
    places.orphan_of_role = oldest_orphan(now_us, has_role);
    places.has_of_role = places.orphan_of_role != nullptr;
  }
  return places;
}

void ServerSessions::make_place(std::uint64_t now_us, const PeerOrigin& newcomer) {
  Places const places =
      find_places(now_us, {newcomer.address, newcomer.role, newcomer.grant.has_value(), nullptr});
  for (ServerPeer* const orphan : {places.orphan_of_role, places.orphan_of_address}) {
    if (orphan == nullptr) continue;
    shared_->counters.add(Counter::kSessionsDisplaced);
    end(now_us, *orphan, DisconnectReason::kTimedOut, "you were silent, and a newcomer needed your place");
  }
}

void ServerSessions::end(std::uint64_t now_us, ServerPeer& peer, DisconnectReason reason,
                         std::string_view text) {
  peer.leave(now_us, reason, text, true);
  ended_.push_back(peer.player());
}

const ServerPeer* ServerSessions::poll_ended() {
  while (!ended_.empty()) {
    auto const at = peers_.find(ended_.back());
    ended_.pop_back();
    if (at != peers_.end()) return at->second.get();
  }
  return nullptr;
}

void ServerSessions::count_refusal(RefuseReason reason) {
  shared_->counters.add(Counter::kHandshakeRefused);
  ++shared_->refusals[static_cast<std::size_t>(reason)];
}

Challenge ServerSessions::challenge(std::uint64_t now_us, TransportKind transport, const Address& from,
                                    const ConnectRequest& request) const {
  crypto::ServerPublicKeys const keys = shared_->keys.public_keys();
  return {request.nonce, make_cookie(shared_->secret, now_us, transport, from, request), keys.lasting.bytes,
          keys.short_lived.bytes};
}

bool ServerSessions::is_used(std::uint64_t now_us, const Cookie& cookie) {
  if (!used_cookies_.contains(now_us, cookie)) return false;
  shared_->counters.add(Counter::kHandshakeCookieReused);
  return true;
}

bool ServerSessions::has_turn(std::uint64_t now_us, const Address& from, const ChallengeResponse& response,
                              bool is_sealed) {
  auto const has_one = [&](const NetworkLimiter& limiter, Counter counter) {
    if (limiter.has(now_us, from)) return true;
    shared_->counters.add(counter);
    return false;
  };
  if (!response.request.token.empty() && !has_one(shared_->token_opens, Counter::kHandshakeTokenRate))
    return false;
  if (!is_sealed) return true;
  if (used_cookies_.has_place(now_us, response.cookie))
    return has_one(shared_->agreements, Counter::kHandshakeAgreementRate);
  shared_->counters.add(Counter::kHandshakeAgreementRate);
  return false;
}

// The margin is real time, and a fast room forgets its ticks the sooner. A paused one may go on at any time.
bool ServerSessions::can_resume(const ConnectRequest& request) const {
  PlayingRoom const& room = shared_->room;
  double const ticks_per_s = std::max<double>(room.tick_rate_hz, room.ticks_per_s);
  auto const margin_ticks = static_cast<std::uint64_t>(ConfirmedLog::kMarginSeconds * ticks_per_s);
  return request.resume && steps_confirmed(request.mode) && request.resume->epoch == room.epoch &&
         shared_->confirmed.continues(*request.resume, margin_ticks);
}

Result<ServerSessions::Newcomer, Refuse> ServerSessions::prove(std::uint64_t now_us, const Address& from,
                                                               const StreamOrigin& stream,
                                                               const ChallengeResponse& response) {
  ConnectRequest const& request = response.request;
  bool const is_local = stream.is_trusted && from.is_loopback() && !contains(shared_->options.proxies, from);
  Newcomer newcomer;
  PeerOrigin& origin = newcomer.origin;
  origin.address = from;
  origin.transport = stream.transport;
  origin.role = request.role;
  origin.admin = is_local && shared_->options.admin == AdminGrant::kLoopback;
  origin.is_local_stream = is_local && stream.transport != TransportKind::kDatagram;
  origin.mode = request.mode;
  if (can_resume(request)) origin.resume_tick = request.resume->tick;
  bool const is_web = stream.transport == TransportKind::kWebSocket;
  if (is_web) origin.name = request.player_name;
  origin.challenged_us = is_web ? now_us : issue_time_of(response.cookie);
  auto const refuse = [&](RefuseReason reason) {
    return Refuse{request.nonce, reason, std::string(text_of_token_refusal(reason))};
  };
  TokenOpener* const tokens = shared_->options.tokens;
  crypto::SessionKeyBytes token_keys{};
  WipeAtEnd const wiped(token_keys);
  if (!request.token.empty()) {
    TAKT_ASSERT(tokens != nullptr);                 // else judge() refused
    (void)shared_->token_opens.take(now_us, from);  // has_turn() saw it
    shared_->counters.add(Counter::kHandshakeTokensOpened);
    auto grant = tokens->open(request.token, token_keys);
    if (!grant) return refuse(grant.error());
    if (grant->role == Role::kSpectator && request.role != Role::kSpectator)
      return refuse(RefuseReason::kTokenWrongRole);
    if ((grant->modes >> static_cast<unsigned>(request.mode) & 1u) == 0)
      return refuse(RefuseReason::kTokenWrongMode);
    // Whoever sees a request over UDP or TCP has the sealed token, and the rest of it no more than we show.
    if (is_web &&
        (!request.token_verifier ||
         !crypto::equal_in_constant_time(crypto::token_verifier(token_keys), *request.token_verifier))) {
      shared_->counters.add(Counter::kHandshakeProofBad);
      return refuse(RefuseReason::kTokenForged);
    }
    origin.admin = grant->admin;
    origin.name = grant->name;
    origin.grant = *std::move(grant);
  }
  if (is_web) return newcomer;
  (void)shared_->agreements.take(now_us, from);  // has_turn() saw it
  crypto::PublicKey const client{response.key};
  auto const issued_us = origin.challenged_us;
  auto const server = shared_->keys.public_keys_of(issued_us);
  if (!server) {
    shared_->counters.add(Counter::kHandshakeKeyBad);
    return refuse(RefuseReason::kNone);
  }
  auto const context = handshake_context(stream.transport, request, response.cookie, *server, client);
  auto keys = shared_->keys.agree(now_us, issued_us, client, context, origin.grant ? &token_keys : nullptr);
  if (!keys) {
    shared_->counters.add(Counter::kHandshakeKeyBad);
    return refuse(RefuseReason::kNone);
  }
  if (auto const error = check_proof(keys->client_to_server, context, response.proof, origin)) {
    if (*error == crypto::Error::kOutOfRange)
      return Refuse{request.nonce, RefuseReason::kBadRequest,
                    "the sealed name is no printable text of at most " + std::to_string(kPlayerNameBytesMax) +
                        " bytes"};
    shared_->counters.add(Counter::kHandshakeProofBad);
    return refuse(RefuseReason::kNone);
  }
  newcomer.keys = *std::move(keys);
  return newcomer;
}

Result<Unit, Refuse> ServerSessions::claim_token(std::uint64_t now_us, const ConnectRequest& request,
                                                 Newcomer& newcomer) {
  PeerOrigin& origin = newcomer.origin;
  if (!origin.grant) return Unit{};
  origin.token_holder = ++token_holders_;
  auto const claim = [&] { return shared_->options.tokens->claim(origin.grant->tag, origin.token_holder); };
  if (claim()) return Unit{};
  RefuseReason reason = RefuseReason::kTokenReused;
  // Over a web socket the first message alone shows all that a copy needs.
  auto const unheard = std::ranges::find_if(peers_, [&](auto const& one) {
    return newcomer.keys && one.second->has_token_of(origin) && !one.second->is_leaving() &&
           !one.second->has_spoken();
  });
  if (unheard != peers_.end()) {
    ServerPeer& holder = *unheard->second;
    if (holder.is_orphan(now_us) && holder.origin().challenged_us <= origin.challenged_us) {
      end(now_us, holder, DisconnectReason::kReplaced, "the holder of your token connected anew");
      if (claim()) return Unit{};
    }
    // The Accept may be on its way, or the response may be a copy. A client over datagrams repeats its
    // response until the holder has spoken or is an orphan; over a stream it sends one.
    if (origin.transport == TransportKind::kDatagram) {
      shared_->counters.add(Counter::kHandshakeRate);
      reason = RefuseReason::kNone;
    }
  }
  return Refuse{request.nonce, reason, std::string(text_of_token_refusal(reason))};
}

std::span<const std::byte> ServerSessions::write_sealed(const Accept& accept,
                                                        const crypto::SessionKeys& keys) {
  SealedAccept sealed;
  sealed.nonce = accept.nonce;
  crypto::seal_accept(keys.server_to_client, shared_->writer.write(accept), sealed.sealed);
  return shared_->writer.write(sealed);
}

PlayerId ServerSessions::take_player_id(const PeerOrigin& origin) {
  if (origin.role == Role::kSpectator) return next_spectator_++;
  bool const is_known = shared_->options.tokens == nullptr || origin.grant;
  if (auto const away = is_known ? away_.extract(origin.name) : decltype(away_)::node_type())
    return away.mapped();
  return next_player_++;
}

Accept ServerSessions::admit(PlayerId player, std::uint64_t session, const ConnectRequest& request,
                             const PeerOrigin& origin) {
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
  accept.role = request.role;
  accept.resumed = origin.resume_tick.has_value();
  accept.epoch = shared_->room.epoch;
  auto const offset = shared_->options.input_offsets.find(player);
  if (offset != shared_->options.input_offsets.end()) accept.input_offset = offset->second;
  return accept;
}

ServerPeer& ServerSessions::add(std::unique_ptr<ServerPeer> peer) {
  ServerPeer& added = *peer;
  peers_.emplace(added.player(), std::move(peer));
  PeerOrigin const& origin = added.origin();
  PlayerJoined joined{added.player(), origin.name,  origin.transport, origin.address,
                      origin.mode,    origin.admin, origin.role};
  if (origin.resume_tick) joined.resumed_epoch = shared_->room.epoch;
  if (origin.grant) {
    joined.user_id = origin.grant->user_id;
    joined.bodies_max = origin.grant->bodies_max;
  }
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

void ServerSessions::shut_down(std::uint64_t now_us, std::string_view text) {
  shutting_down_ = true;
  for (auto const& [player, peer] : peers_) peer->leave(now_us, DisconnectReason::kServerStopped, text, true);
}

}  // namespace takt::protocol
