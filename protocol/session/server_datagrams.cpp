#include "protocol/session/server_datagrams.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

/// Handshake answers that wait for a poll. Further ones are dropped; the client repeats its request.
constexpr std::size_t kAnswersMax = 1024;

/// Late copies of a goodbye count as copies for this time and this number of sessions. Both are free to
/// choose: they move datagrams from one counter to another.
constexpr std::uint64_t kDepartedUs = 500'000;
constexpr std::size_t kDepartedMax = 64;

}  // namespace

void ServerDatagrams::handle_datagram(std::uint64_t now_us, const Address& from,
                                      std::span<const std::byte> bytes) {
  shared_->counters.add(Counter::kDatagramsReceived);
  shared_->counters.add(Counter::kDatagramBytesReceived, bytes.size());
  auto const header = read_header(bytes);
  if (!header) {
    shared_->counters.add(counter_of_header(header.error()));
    return;
  }
  if (header->type == DatagramType::kSession) {
    handle_session_datagram(now_us, from, *header, bytes);
  } else {
    handle_handshake_datagram(now_us, from, *header, bytes);
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
  Address address;
  while (due_.pop(now_us, address)) {
    auto const at = by_address_.find(address);
    if (at == by_address_.end()) continue;
    shared_->counters.add(Counter::kSessionsPolled);
    ServerPeer& peer = *at->second.peer;
    DatagramLink& link = *at->second.link;
    peer.handle_time(now_us);
    // The last copy of the goodbye is still in the link: the peer goes once it has nothing more to say.
    if (peer.is_gone() && !link.has_unreliable()) {
      forget(now_us, address, link.session());
      sessions_->erase(peer.player());
      by_address_.erase(at);
      continue;
    }
    if (link.poll_datagram(now_us, out.bytes)) {
      due_.schedule(address, now_us);
      out.to = address;
      return count_sent(out);
    }
    due_.schedule(address,
                  std::max(now_us + 1, std::min(link.next_wakeup_us(now_us), peer.next_wakeup_us())));
  }
  return false;
}

void ServerDatagrams::touch(std::uint64_t now_us, const ServerPeer& peer) {
  due_.hasten(peer.origin().address, now_us);
}

std::uint64_t ServerDatagrams::next_wakeup_us(std::uint64_t now_us) const {
  if (!answers_.empty()) return now_us;
  return std::max(due_.next_us(), shared_->egress.open_us(now_us));
}

void ServerDatagrams::forget(std::uint64_t now_us, const Address& address, std::uint64_t session) {
  departed_.push_back({now_us + kDepartedUs, address, session});
  if (departed_.size() > kDepartedMax) departed_.pop_front();
}

bool ServerDatagrams::has_departed(std::uint64_t now_us, const Address& address,
                                   std::uint64_t session) const {
  return std::ranges::any_of(departed_, [&](const Departed& one) {
    return one.session == session && now_us < one.until_us && one.address == address;
  });
}

bool ServerDatagrams::count_sent(const OutgoingDatagram& datagram) {
  shared_->egress.spend(datagram.bytes.size());
  shared_->counters.add(Counter::kDatagramsSent);
  shared_->counters.add(Counter::kDatagramBytesSent, datagram.bytes.size());
  return true;
}

void ServerDatagrams::handle_session_datagram(std::uint64_t now_us, const Address& from,
                                              const DatagramHeader& header,
                                              std::span<const std::byte> bytes) {
  auto const at = by_address_.find(from);
  if (at == by_address_.end() || at->second.link->session() != header.session) {
    bool const is_late = has_departed(now_us, from, header.session);
    shared_->counters.add(is_late ? Counter::kDuplicate : Counter::kDatagramUnknownSession);
    return;
  }
  due_.hasten(from, now_us);
  if (!at->second.peer->take_datagram(now_us, bytes.size())) return;
  if (at->second.link->handle_datagram(now_us, header, bytes)) at->second.peer->handle_arrival(now_us);
}

void ServerDatagrams::handle_handshake_datagram(std::uint64_t now_us, const Address& from,
                                                const DatagramHeader& header,
                                                std::span<const std::byte> bytes) {
  // By the size, so that nothing is read for a request over the limit: requests are padded. A response has no
  // limit before its cookie is checked, since a flood of forged ones would use it up for everybody. The check
  // costs less than the call that received the datagram, and a forged one gets no answer.
  if (bytes.size() >= kConnectRequestBytes && !requests_.take(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  if (header.session != 0) {
    shared_->counters.add(Counter::kDatagramUnknownSession);
    return;
  }
  auto message = shared_->reader.read(bytes.subspan(kDatagramHeaderBytes), MessageClass::kDatagram);
  if (!message) {
    shared_->counters.add(counter_of_message(message.error()));
  } else if (auto const* request = std::get_if<ConnectRequest>(&*message)) {
    handle_request(now_us, from, *request, bytes.size());
  } else if (auto const* response = std::get_if<ChallengeResponse>(&*message)) {
    handle_response(now_us, from, *response);
  } else {
    shared_->counters.add(Counter::kMessageUnexpected);
  }
}

void ServerDatagrams::handle_request(std::uint64_t now_us, const Address& from, const ConnectRequest& request,
                                     std::size_t datagram_bytes) {
  if (datagram_bytes < kConnectRequestBytes) {
    shared_->counters.add(Counter::kHandshakeShortRequest);
    return;
  }
  // A client of this address that is already in asks for its Accept by its response, not by a new request;
  // but its first request may come late or twice, and a full server must not refuse somebody who has a
  // place.
  auto const known = by_address_.find(from);
  bool const has_place = known != by_address_.end() && known->second.nonce == request.nonce;
  if (auto const refused = sessions_->judge(from, request); refused && !has_place) {
    sessions_->count_refusal(refused->reason);
    answer(from, shared_->writer.write(*refused));
    return;
  }
  answer(from, shared_->writer.write(Challenge{request.nonce, make_cookie(secret_, now_us, from, request)}));
}

void ServerDatagrams::handle_response(std::uint64_t now_us, const Address& from,
                                      const ChallengeResponse& response) {
  switch (check_cookie(secret_, now_us, from, response.request, response.cookie)) {
    case CookieVerdict::kGood: break;
    case CookieVerdict::kForged: shared_->counters.add(Counter::kHandshakeCookieBad); return;
    case CookieVerdict::kExpired: shared_->counters.add(Counter::kHandshakeCookieExpired); return;
  }
  auto const known = by_address_.find(from);
  if (known != by_address_.end() && known->second.nonce == response.request.nonce) {
    // Our Accept was lost, or this is a copy. A leaving peer gets no second Accept.
    if (!known->second.peer->is_leaving()) answer(from, known->second.accept);
    return;
  }
  // A used cookie may be replayed by a stranger, so it must not end the session that came after it.
  if (used_cookies_.contains(now_us, response.cookie)) {
    shared_->counters.add(Counter::kHandshakeCookieReused);
    return;
  }
  // The client repeats its response until it is its turn, and a response that waits charges nothing. The join
  // is charged before the open, so that one address cannot use up the opens of all.
  if (!sessions_->has_token_open(now_us, response.request)) return;
  if (!shared_->gate.take_join(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return;
  }
  if (known != by_address_.end()) {
    // The cookie proves that this is the same host and port: the old session there is over, whatever became
    // of it.
    known->second.peer->leave(now_us, DisconnectReason::kReplaced, "the address connected anew", false);
    sessions_->erase(known->second.peer->player());
    by_address_.erase(known);
  }
  if (auto const refused = sessions_->judge(from, response.request)) {
    sessions_->count_refusal(refused->reason);
    answer(from, shared_->writer.write(*refused));
    return;
  }
  auto origin = sessions_->admit_origin(now_us, from, {TransportKind::kDatagram, true}, response.request);
  if (!origin) {
    sessions_->count_refusal(origin.error().reason);
    answer(from, shared_->writer.write(origin.error()));
    return;
  }
  used_cookies_.insert(now_us, response.cookie);
  accept_peer(now_us, *origin, response.request);
}

void ServerDatagrams::accept_peer(std::uint64_t now_us, const PeerOrigin& origin,
                                  const ConnectRequest& request) {
  Address const& from = origin.address;
  PlayerId const player = sessions_->take_player_id(origin);
  DatagramLinkOptions options;
  options.session = make_session_id(secret_, from, request.nonce, player);
  options.send_window = kFragmentWindowToClient;
  options.receive_window = kFragmentWindowToServer;
  options.sections_max = kSectionsPerDatagramMax;
  options.trap_seed = make_session_id(secret_, from, ~request.nonce, player);  // nobody knows the secret
  options.pacer = {shared_->options.send_rate_start, shared_->options.send_rate_min,
                   shared_->options.send_rate_max};
  auto link = std::make_unique<DatagramLink>(options, now_us, shared_->counters);
  Route route;
  route.link = link.get();
  route.nonce = request.nonce;
  auto const accept = shared_->writer.write(sessions_->admit(player, options.session, request));
  route.accept.assign(accept.begin(), accept.end());
  auto peer = std::make_unique<ServerPeer>(*shared_, now_us, player, origin, std::move(link));
  route.peer = peer.get();
  answer(from, route.accept);
  sessions_->add(std::move(peer));
  by_address_.emplace(from, std::move(route));
  due_.schedule(from, now_us);
}

void ServerDatagrams::answer(const Address& to, std::span<const std::byte> message) {
  if (answers_.size() >= kAnswersMax) {
    shared_->counters.add(Counter::kQueueOverflow);
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

}  // namespace takt::protocol
