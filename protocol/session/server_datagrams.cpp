#include "protocol/session/server_datagrams.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "crypto/sealed_datagram.h"
#include "protocol/session/refusal.h"
#include "protocol/wire/latency_probe.h"
#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

/// Handshake answers that wait for a poll. Further ones are dropped; the client repeats its request.
constexpr std::size_t kAnswersMax = 1024;
/// A probe is not answered if so many answers wait: the rest of the queue is for handshakes.
constexpr std::size_t kLatencyRepliesMax = kAnswersMax / 4;

/// Bytes of a handshake answer, at most: 0.31 of what it answers.
constexpr std::size_t kAnswerBytesMax = kConnectRequestBytes * 31 / 100;

/// Late copies of a goodbye count as copies for this time and this number of sessions. Both are free to
/// choose: they move datagrams from one counter to another.
constexpr std::uint64_t kDepartedUs = 500'000;
constexpr std::size_t kDepartedMax = 64;

/// An address that is not proved gets one probe in this time, and each answers a datagram from there. A probe
/// has thus less than 3 times the bytes that came from the address (RFC 9000, 8.1).
constexpr std::uint64_t kProbeIntervalUs = 100'000;
static_assert(std::tuple_size_v<ProbeBytes> + crypto::kSealOverheadBytesMax <=
              3 * crypto::kSealOverheadBytes);

/// An address of which datagrams came holds its place among a session's for this time, if others come.
constexpr std::uint64_t kPathKeptUs = 1'000'000;

/// Rate and round trips of a session begin anew once in this time, however often it moves. Else they would
/// never be measured where each flow or datagram takes another way, and nothing would limit the rate.
constexpr std::uint64_t kRestartIntervalUs = 1'000'000;

/// A session can move 1,000 times a second (SessionLimits). The application hears of it once in this time.
constexpr std::uint64_t kMoveReportIntervalUs = 1'000'000;

}  // namespace

void ServerDatagrams::handle_datagram(std::uint64_t now_us, const Address& from,
                                      std::span<const std::byte> bytes) {
  shared_->counters.add(Counter::kDatagramsReceived);
  shared_->counters.add(Counter::kDatagramBytesReceived, bytes.size());
  if (bytes.size() > kDatagramBytesMax) {
    shared_->counters.add(Counter::kDatagramOversize);
  } else if (is_sealed(bytes)) {
    handle_session_datagram(now_us, from, bytes);
  } else if (is_latency_probe(bytes)) {
    handle_latency_probe(now_us, from, bytes);
  } else {
    handle_handshake_datagram(now_us, from, bytes);
  }
}

bool ServerDatagrams::poll_datagram(std::uint64_t now_us, OutgoingDatagram& out) {
  if (!answers_.empty()) {
    out = std::move(answers_.front());
    answers_.pop_front();
    return count_sent(out);
  }
  if (!shared_->egress.is_open(now_us)) return false;
  // A session that has sent goes behind the others that are due, so that a busy one keeps nobody waiting.
  ConnectionId id = 0;
  while (due_.pop(now_us, id)) {
    auto const at = routes_.find(id);
    if (at == routes_.end()) continue;
    shared_->counters.add(Counter::kSessionsPolled);
    ServerPeer& peer = *at->second.peer;
    DatagramLink& link = *at->second.link;
    peer.handle_time(now_us);
    report_moves(now_us, at->second);
    // The last copy of the goodbye is still in the link: the peer goes once it has nothing more to say.
    if (peer.is_gone() && !link.has_unreliable()) {
      forget(now_us, at->second.address, id);
      PlayerId const player = peer.player();
      erase_route(id);
      sessions_->erase(player);
      continue;
    }
    if (link.poll_datagram(now_us, out.bytes)) {
      due_.schedule(id, now_us);
      out.to = at->second.address;
      return count_sent(out);
    }
    std::uint64_t wakeup_us = std::min(link.next_wakeup_us(now_us), peer.next_wakeup_us());
    if (at->second.moves > 0) wakeup_us = std::min(wakeup_us, at->second.next_report_us);
    due_.schedule(id, std::max(now_us + 1, wakeup_us));
  }
  return false;
}

void ServerDatagrams::touch(std::uint64_t now_us, const ServerPeer& peer) {
  due_.hasten(static_cast<const DatagramLink&>(peer.link()).connection_id(), now_us);
}

std::uint64_t ServerDatagrams::next_wakeup_us(std::uint64_t now_us) const {
  if (!answers_.empty()) return now_us;
  return std::max(due_.next_us(), shared_->egress.open_us(now_us));
}

void ServerDatagrams::forget(std::uint64_t now_us, const Address& address, ConnectionId connection_id) {
  departed_.push_back({now_us + kDepartedUs, address, connection_id});
  if (departed_.size() > kDepartedMax) departed_.pop_front();
}

bool ServerDatagrams::has_departed(std::uint64_t now_us, const Address& address,
                                   ConnectionId connection_id) const {
  return std::ranges::any_of(departed_, [&](const Departed& one) {
    return one.connection_id == connection_id && now_us < one.until_us && one.address == address;
  });
}

ServerDatagrams::Route* ServerDatagrams::find_route(const Address& from) {
  auto const at = by_address_.find(from);
  return at == by_address_.end() ? nullptr : &routes_.at(at->second);
}

void ServerDatagrams::erase_route(ConnectionId connection_id) {
  auto const at = routes_.find(connection_id);
  auto const known = by_address_.find(at->second.address);
  if (known != by_address_.end() && known->second == connection_id) by_address_.erase(known);
  unheard_.erase(at->second.cookie);
  routes_.erase(at);
}

ServerDatagrams::ConnectionId ServerDatagrams::next_connection_id() {
  ConnectionId id = 0;
  do {
    id = make_connection_id(shared_->secret, ++connections_);
  } while (routes_.contains(id));
  return id;
}

bool ServerDatagrams::count_sent(const OutgoingDatagram& datagram) {
  shared_->egress.spend(datagram.bytes.size());
  shared_->counters.add(Counter::kDatagramsSent);
  shared_->counters.add(Counter::kDatagramBytesSent, datagram.bytes.size());
  return true;
}

void ServerDatagrams::handle_session_datagram(std::uint64_t now_us, const Address& from,
                                              std::span<const std::byte> bytes) {
  auto const header = crypto::read_sealed_header(bytes);
  if (!header) {
    shared_->counters.add(Counter::kDatagramBadLayout);
    return;
  }
  ConnectionId const id = header->connection_id;
  auto const at = routes_.find(id);
  if (at == routes_.end()) {
    bool const is_late = has_departed(now_us, from, id);
    shared_->counters.add(is_late ? Counter::kDuplicate : Counter::kDatagramUnknownSession);
    return;
  }
  // Only what opens is charged to the session: a stranger who forges its address and its id, which all can
  // see, cannot end it.
  DatagramLink& link = *at->second.link;
  if (!link.open_datagram(now_us, bytes)) return;
  unheard_.erase(at->second.cookie);
  due_.hasten(id, now_us);
  if (!at->second.peer->take_datagram(now_us, bytes.size())) return;
  link.handle_opened(now_us, now_us);
  auto const probe = link.take_probe();
  Route& route = at->second;
  if (route.address != from) {
    bool const is_proved = probe && std::ranges::any_of(route.paths, [&](const Path& path) {
                             return path.address == from && path.probe == *probe;
                           });
    // A client of which something later has come from the present address is not there any more.
    bool const is_there = link.opened_number() > route.newest_at_address;
    if (is_proved && is_there && route.peer->can_move_to(from)) {
      move_route(now_us, from, route);
    } else if (is_there) {
      handle_other_path(now_us, from, route);
    }
  } else {
    route.newest_at_address = std::max(route.newest_at_address, link.opened_number());
  }
  // A client at an address that is never proved hears nothing, so what comes from there does not keep its
  // session. One whose datagrams somebody copies acknowledges what it gets.
  bool const is_reached = link.take_reached();
  route.peer->handle_arrival(now_us, is_reached || route.address == from);
}

void ServerDatagrams::handle_other_path(std::uint64_t now_us, const Address& from, Route& route) {
  auto path = std::ranges::find(route.paths, from, &Path::address);
  bool const is_known = path != route.paths.end();
  if (is_known && now_us < path->next_probe_us) return;
  if (answers_.size() >= kAnswersMax || !route.peer->can_move_to(from)) return;
  if (!is_known) {
    path = std::ranges::min_element(route.paths, {}, &Path::made_us);
    if (path->address != Address{} && now_us < path->made_us + kPathKeptUs) return;
    *path = {from, make_probe(shared_->secret, ++probes_), now_us, 0};
  }
  OutgoingDatagram& datagram = answers_.emplace_back();
  datagram.to = from;
  route.link->write_probe(now_us, path->probe, datagram.bytes);
  path->next_probe_us = now_us + kProbeIntervalUs;
}

void ServerDatagrams::move_route(std::uint64_t now_us, const Address& to, Route& route) {
  ConnectionId const id = route.link->connection_id();
  if (auto const old = by_address_.find(route.address); old != by_address_.end() && old->second == id)
    by_address_.erase(old);
  by_address_[to] = id;
  // Another port of the same host is the work of a NAT: the path is the same.
  if (to.ip != route.address.ip && now_us >= route.next_restart_us) {
    route.link->restart_path();
    route.next_restart_us = now_us + kRestartIntervalUs;
  }
  route.address = to;
  route.newest_at_address = route.link->opened_number();
  route.paths = {};
  route.peer->move_to(to);
  shared_->counters.add(Counter::kSessionsMoved);
  ++route.moves;
  report_moves(now_us, route);
}

void ServerDatagrams::report_moves(std::uint64_t now_us, Route& route) {
  if (route.moves == 0 || now_us < route.next_report_us) return;
  route.next_report_us = now_us + kMoveReportIntervalUs;
  std::uint32_t const moves = std::exchange(route.moves, 0);
  Address const from = std::exchange(route.reported, route.address);
  if (route.peer->is_leaving()) return;  // no event of a player follows PlayerLeft
  auto const& grant = route.peer->origin().grant;
  shared_->events.emplace_back(
      PlayerMoved{route.peer->player(), from, route.address, moves, grant ? grant->user_id : 0});
}

// Probes have limits of their own below those of requests, so that no flood of them keeps a client from
// connecting. A server that is stopping has no future with the client, so it is silent.
void ServerDatagrams::handle_latency_probe(std::uint64_t now_us, const Address& from,
                                           std::span<const std::byte> bytes) {
  auto const nonce = read_latency_probe(bytes);
  if (!nonce) {
    shared_->counters.add(Counter::kHandshakeShortRequest);
    return;
  }
  if (!latency_probes_.take(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  if (sessions_->is_shutting_down()) return;
  OutgoingDatagram* const reply =
      begin_answer(now_us, from, kLatencyReplyBytes, latency_egress_, kLatencyRepliesMax);
  if (reply == nullptr) return;
  write_latency_reply({*nonce, kProtocolVersion}, reply->bytes);
  shared_->counters.add(Counter::kLatencyProbes);
}

void ServerDatagrams::handle_handshake_datagram(std::uint64_t now_us, const Address& from,
                                                std::span<const std::byte> bytes) {
  auto const body = read_handshake(bytes);
  if (!body) {
    shared_->counters.add(counter_of_header(body.error()));
    return;
  }
  // Nothing is read for a datagram that is too short: no answer to a stranger may be more than 0.31 of what
  // it sent, and the largest answer is that to a datagram of this size.
  if (bytes.size() < kConnectRequestBytes) {
    shared_->counters.add(Counter::kHandshakeShortRequest);
    return;
  }
  auto const kind = shared_->reader.read_handshake(*body, handshake_);
  if (!kind) {
    shared_->counters.add(counter_of_message(kind.error()));
    return;
  }
  switch (*kind) {
    case ClientHandshakeKind::kRequest: return handle_request(now_us, from, handshake_.request);
    case ClientHandshakeKind::kResponse: return handle_response(now_us, from, handshake_.response);
    case ClientHandshakeKind::kOther: shared_->counters.add(Counter::kMessageUnexpected); return;
  }
}

void ServerDatagrams::handle_request(std::uint64_t now_us, const Address& from,
                                     const ConnectRequest& request) {
  // A response has no limit before its cookie is checked, since a flood of forged ones would use it up for
  // everybody. The check costs less than the call that received the datagram, and a forged one gets no
  // answer.
  if (!requests_.take(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  // A client of this address that is already in asks for its Accept by its response, not by a new request;
  // but its first request may come late or twice, and a full server must not refuse somebody who has a
  // place.
  Route const* const known = find_route(from);
  bool const has_place = known != nullptr && known->nonce == request.nonce;
  ServerPeer const* const replaced = known != nullptr ? known->peer : nullptr;
  auto const refused = sessions_->judge(now_us, TransportKind::kDatagram, from, request, replaced);
  if (refused && !has_place) return refuse(now_us, from, *refused);
  answer(now_us, from,
         shared_->writer.write(sessions_->challenge(now_us, TransportKind::kDatagram, from, request)));
}

void ServerDatagrams::handle_response(std::uint64_t now_us, const Address& from,
                                      const ChallengeResponse& response) {
  ConnectRequest const& request = response.request;
  switch (check_cookie(shared_->secret, now_us, TransportKind::kDatagram, from, request, response.cookie)) {
    case CookieVerdict::kGood: break;
    case CookieVerdict::kForged:
      if (!repeat_accept(now_us, from, response)) shared_->counters.add(Counter::kHandshakeCookieBad);
      return;
    case CookieVerdict::kExpired: shared_->counters.add(Counter::kHandshakeCookieExpired); return;
  }
  Route* const known = find_route(from);
  if (known != nullptr && known->nonce == request.nonce) {
    // Our Accept was lost, or this is a copy. A leaving peer gets no second Accept.
    if (known->peer->is_leaving()) return;
    known->peer->note_repeat(now_us);
    answer(now_us, from, known->accept);
    return;
  }
  // A used cookie may be replayed by a stranger, so it must not end the session that came after it.
  if (sessions_->is_used(now_us, response.cookie)) return;
  // The cookie proves that the client receives at this address, or sees what is sent to it: on the way it
  // could end a session that lives. A client that began anew repeats its response until the old session is
  // silent. A response that the client gave up before it began that session never ends it.
  if (known != nullptr && (known->peer->is_heard(now_us) || known->peer->is_newer_than(response.cookie))) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  // A newcomer is judged before anything is computed.
  ServerPeer* const replaced = known != nullptr ? known->peer : nullptr;
  if (auto const refused = sessions_->judge(now_us, TransportKind::kDatagram, from, request, replaced))
    return refuse(now_us, from, *refused);
  // The client repeats its response until it is its turn, and a response that waits charges nothing. The join
  // is charged before the open, so that one address cannot use up the opens of all.
  if (!sessions_->has_turn(now_us, from, response, true)) return;
  if (!shared_->gate.take_join(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  auto newcomer = sessions_->prove(now_us, from, {TransportKind::kDatagram, true}, response);
  if (!newcomer) return refuse(now_us, from, newcomer.error());
  auto const end_replaced = [&] {
    replaced->leave(now_us, DisconnectReason::kReplaced, "the address connected anew", false);
  };
  // The old session ends for nobody who is refused. Only who has its token needs its end for the claim, which
  // then cannot fail.
  if (replaced != nullptr && replaced->has_token_of(newcomer->origin)) end_replaced();
  if (auto const claimed = sessions_->claim_token(now_us, request, *newcomer); !claimed)
    return refuse(now_us, from, claimed.error());
  if (replaced != nullptr) {
    end_replaced();
    PlayerId const player = replaced->player();
    erase_route(known->link->connection_id());
    sessions_->erase(player);
  }
  sessions_->make_place(now_us, newcomer->origin);
  sessions_->use(now_us, response.cookie);
  accept_peer(now_us, *newcomer, response);
}

// A client whose address changes before it has the Accept repeats its response from the new one. The response
// has all values of the first one, so the client gets the Accept where it is now. Whoever copied the response
// gets it, too, and cannot open it. Nobody proves that he receives at the address, as with a request, so
// the answer takes from the requests' limit. The session itself moves by a path probe alone, as any other.
bool ServerDatagrams::repeat_accept(std::uint64_t now_us, const Address& from,
                                    const ChallengeResponse& response) {
  auto const at = unheard_.find(response.cookie);
  if (at == unheard_.end()) return false;
  Route const& route = routes_.at(at->second);
  bool const is_of_client =
      crypto::equal_in_constant_time(route.proof, response.proof) && route.key == response.key;
  // The cookie covers the request, and the session is still where the cookie was made.
  if (!is_of_client || check_cookie(shared_->secret, now_us, TransportKind::kDatagram, route.address,
                                    response.request, response.cookie) != CookieVerdict::kGood)
    return false;
  if (route.peer->is_leaving() || !route.peer->can_move_to(from)) return false;
  if (requests_.take(now_us, from)) {
    answer(now_us, from, route.accept);
  } else {
    shared_->counters.add(Counter::kHandshakeRate);
  }
  return true;
}

void ServerDatagrams::accept_peer(std::uint64_t now_us, const ServerSessions::Newcomer& newcomer,
                                  const ChallengeResponse& response) {
  ConnectRequest const& request = response.request;
  PeerOrigin const& origin = newcomer.origin;
  Address const& from = origin.address;
  PlayerId const player = sessions_->take_player_id(origin);
  DatagramLinkOptions options;
  options.connection_id = next_connection_id();
  options.cipher = crypto::choose_cipher(request.ciphers, shared_->options.ciphers);
  options.send_window = kFragmentWindowToClient;
  options.receive_window = kFragmentWindowToServer;
  options.sections_max = kSectionsPerDatagramMax;
  options.trap_seed = make_trap_seed(shared_->secret, connections_);  // nobody knows the secret
  options.pacer = {shared_->options.send_rate_start, shared_->options.send_rate_min,
                   shared_->options.send_rate_max};
  auto link =
      std::make_unique<DatagramLink>(options, LinkKeys::of_server(*newcomer.keys), now_us, shared_->counters);
  Route route;
  route.link = link.get();
  route.address = from;
  route.nonce = request.nonce;
  route.cookie = response.cookie;
  route.key = response.key;
  route.proof = response.proof;
  Accept message = sessions_->admit(player, options.connection_id, request, origin);
  message.cipher = static_cast<std::uint8_t>(options.cipher);
  auto const accept = sessions_->write_sealed(message, *newcomer.keys);
  route.accept.assign(accept.begin(), accept.end());
  auto peer = std::make_unique<ServerPeer>(*shared_, now_us, player, origin, std::move(link));
  route.peer = peer.get();
  route.reported = route.address;
  answer(now_us, from, route.accept);
  sessions_->add(std::move(peer));
  by_address_[from] = options.connection_id;
  unheard_[response.cookie] = options.connection_id;
  routes_.emplace(options.connection_id, std::move(route));
  due_.schedule(options.connection_id, now_us);
}

void ServerDatagrams::refuse(std::uint64_t now_us, const Address& to, const Refuse& message) {
  if (message.reason == RefuseReason::kNone) return;
  sessions_->count_refusal(message.reason);
  answer(now_us, to, shared_->writer.write(message));
}

void ServerDatagrams::answer(std::uint64_t now_us, const Address& to, std::span<const std::byte> message) {
  OutgoingDatagram* const datagram =
      begin_answer(now_us, to, kHandshakeHeaderBytes + message.size(), answer_egress_, kAnswersMax);
  if (datagram == nullptr) return;
  write_handshake_header(datagram->bytes);
  datagram->bytes.insert(datagram->bytes.end(), message.begin(), message.end());
}

OutgoingDatagram* ServerDatagrams::begin_answer(std::uint64_t now_us, const Address& to, std::size_t bytes,
                                                EgressLimiter& egress, std::size_t waiting_max) {
  TAKT_ASSERT(bytes <= kAnswerBytesMax);
  // The client repeats what was not answered.
  if (answers_.size() >= waiting_max || !egress.is_open(now_us)) {
    shared_->counters.add(Counter::kQueueOverflow);
    return nullptr;
  }
  egress.spend(bytes);
  OutgoingDatagram& datagram = answers_.emplace_back();
  datagram.to = to;
  return &datagram;
}

}  // namespace takt::protocol
