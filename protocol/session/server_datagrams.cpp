#include "protocol/session/server_datagrams.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

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
  // Round robin from where the last poll stopped, so that one busy client does not keep the others waiting.
  for (std::size_t tried = 0; tried < by_address_.size(); ++tried) {
    auto at = by_address_.upper_bound(cursor_);
    if (at == by_address_.end()) at = by_address_.begin();
    cursor_ = at->first;
    if (!at->second.link->poll_datagram(now_us, out.bytes)) continue;
    out.to = at->first;
    return count_sent(out);
  }
  return false;
}

void ServerDatagrams::handle_time(std::uint64_t now_us) {
  for (auto at = by_address_.begin(); at != by_address_.end();) {
    ServerPeer& peer = *at->second.peer;
    peer.handle_time(now_us);
    // The last copy of the goodbye is still in the link: the peer goes once it has nothing more to say.
    if (!peer.is_gone() || at->second.link->has_unreliable()) {
      ++at;
      continue;
    }
    forget(now_us, at->first, at->second.link->session());
    sessions_->erase(peer.player());
    at = by_address_.erase(at);
  }
}

std::uint64_t ServerDatagrams::next_wakeup_us(std::uint64_t now_us) const {
  std::uint64_t wakeup_us = answers_.empty() ? kNever : now_us;
  for (auto const& [address, route] : by_address_)
    wakeup_us = std::min(wakeup_us, route.link->next_wakeup_us(now_us));
  return wakeup_us;
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
  if (at->second.link->handle_datagram(now_us, header, bytes)) at->second.peer->handle_arrival(now_us);
}

void ServerDatagrams::handle_handshake_datagram(std::uint64_t now_us, const Address& from,
                                                const DatagramHeader& header,
                                                std::span<const std::byte> bytes) {
  if (!limiter_->take(now_us, from)) {
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
  if (auto const refused = sessions_->judge(request); refused && !has_place) {
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
  if (known != by_address_.end()) {
    // The cookie proves that this is the same host and port: the old session there is over, whatever became
    // of it.
    known->second.peer->leave(now_us, DisconnectReason::kReplaced, "the address connected anew", false);
    sessions_->erase(known->second.peer->player());
    by_address_.erase(known);
  }
  if (auto const refused = sessions_->judge(response.request)) {
    sessions_->count_refusal(refused->reason);
    answer(from, shared_->writer.write(*refused));
    return;
  }
  used_cookies_.insert(now_us, response.cookie);
  accept_peer(now_us, from, response.request);
}

void ServerDatagrams::accept_peer(std::uint64_t now_us, const Address& from, const ConnectRequest& request) {
  PlayerId const player = sessions_->take_player_id(request);
  DatagramLinkOptions options;
  options.session = make_session_id(secret_, from, request.nonce, player);
  options.send_window = kFragmentWindowToClient;
  options.receive_window = kFragmentWindowToServer;
  options.pacer = {shared_->options.send_rate_start, shared_->options.send_rate_min,
                   shared_->options.send_rate_max};
  auto link = std::make_unique<DatagramLink>(options, now_us, shared_->counters);
  Route route;
  route.link = link.get();
  route.nonce = request.nonce;
  auto const accept = shared_->writer.write(sessions_->admit(player, options.session, request));
  route.accept.assign(accept.begin(), accept.end());
  PeerOrigin const origin = sessions_->origin_of(from, {TransportKind::kDatagram, true});
  auto peer = std::make_unique<ServerPeer>(*shared_, now_us, player, origin, std::move(link));
  route.peer = peer.get();
  answer(from, route.accept);
  sessions_->add(std::move(peer), from, request);
  by_address_.emplace(from, std::move(route));
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
