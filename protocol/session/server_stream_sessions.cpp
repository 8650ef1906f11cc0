#include "protocol/session/server_stream_sessions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/session/challenge.h"
#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

constexpr std::uint64_t kNotDue = DueQueue<StreamId>::kNever;

/// Between two looks whether it is the turn of a request that waits.
constexpr std::uint64_t kTurnUs = 50 * kMillisecond;
/// Greatest frame that a client may send.
constexpr std::size_t kClientFrameBytesMax = kClientMessageBytesMax + 1;
/// Bytes that a stream may send before it has a session: request and response are two frames, and nothing
/// follows them. With more, a response that waits for its turn would store all that its client sends
/// meanwhile.
constexpr std::size_t kPendingBytesMax = kFramePrefixBytes + kClientFrameBytesMax;

}  // namespace

StreamId ServerStreamSessions::handle_open(std::uint64_t now_us, const Address& from,
                                           const StreamOrigin& origin) {
  TAKT_ASSERT(origin.transport != TransportKind::kDatagram);
  if (!shared_->gate.take_stream(now_us, from) || !make_room(from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return {};
  }
  ServerStream& stream = streams_.open(now_us, from, origin);
  StreamLinkOptions options{kClientFrameBytesMax, shared_->options.stream_backlog_max};
  if (origin.transport == TransportKind::kWebSocket) {
    options.sent_counter = Counter::kWebSocketBytesSent;
  } else {
    options.clear_frames = kHandshakeFrames;
  }
  stream.pending_link = std::make_unique<StreamLink>(options, now_us, shared_->counters);
  stream.link = stream.pending_link.get();
  schedule(now_us, stream);
  return stream.id;
}

bool ServerStreamSessions::make_room(const Address& from) {
  auto const close_oldest = [this](const Address* of) {
    ServerStream* oldest = streams_.oldest_pending(of);
    if (oldest == nullptr) return false;
    shared_->counters.add(Counter::kStreamsDisplaced);
    streams_.close(*oldest);
    return true;
  };
  if (streams_.pending_count(from) >= shared_->gate.limits_of(from).pending_streams_max &&
      !close_oldest(&from))
    return false;
  return streams_.pending_count() < shared_->options.pending_streams_max || close_oldest(nullptr);
}

void ServerStreamSessions::handle_bytes(std::uint64_t now_us, StreamId id, std::span<const std::byte> bytes) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr || stream->closing) return;
  bool const is_web = stream->origin.transport == TransportKind::kWebSocket;
  shared_->counters.add(is_web ? Counter::kWebSocketBytesReceived : Counter::kStreamBytesReceived,
                        bytes.size());
  // Bytes of a stream cannot be dropped one by one: a stream above its budget goes on until the budget's
  // patience ends.
  if (stream->peer != nullptr && !stream->peer->take_datagram(now_us, bytes.size()) &&
      stream->peer->is_leaving())
    return handle_stream_time(now_us, *stream);
  stream->link->handle_bytes(bytes);
  if (stream->peer == nullptr) handle_handshake(now_us, *stream);
  if (stream->peer != nullptr) {
    stream->peer->handle_arrival(now_us);
  } else if (!stream->closing && stream->link->stats().bytes_received > kPendingBytesMax) {
    shared_->counters.add(Counter::kMessageUnexpected);
    streams_.close(*stream);
  }
  handle_stream_time(now_us, *stream);
}

void ServerStreamSessions::handle_closed(std::uint64_t now_us, StreamId id) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr) return;
  if (stream->peer != nullptr) {
    PlayerId const player = stream->peer->player();
    if (stream->link->is_sealed() && !stream->peer->is_leaving())
      shared_->counters.add(Counter::kStreamTruncated);
    stream->peer->leave(now_us, DisconnectReason::kConnectionLost, "the stream closed", false);
    sessions_->erase(player);
    by_player_.erase(player);
  }
  due_.forget(id);
  streams_.erase(id);
}

std::size_t ServerStreamSessions::poll_bytes(std::uint64_t now_us, StreamId id, std::size_t bytes_max,
                                             std::vector<std::byte>& out) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr) return 0;
  if (stream->peer != nullptr) stream->peer->handle_time(now_us);
  // A closing stream ends when it has no bytes: its last words are charged, and never wait.
  if (!stream->closing && !shared_->egress.is_open(now_us)) {
    due_.hasten(id, shared_->egress.open_us(now_us));  // it is announced again then
    return 0;
  }
  std::size_t const allowed = stream->closing ? bytes_max : shared_->egress.level(now_us);
  std::size_t const bytes = stream->link->poll_bytes(now_us, std::min(bytes_max, allowed), out);
  shared_->egress.spend(bytes);
  schedule(now_us, *stream);
  return bytes;
}

StreamId ServerStreamSessions::poll_writable(std::uint64_t now_us, TransportKind kind) {
  StreamId const id = streams_.poll_writable(kind);
  if (ServerStream const* stream = streams_.find(id)) schedule(now_us, *stream);
  return id;
}

void ServerStreamSessions::handle_time(std::uint64_t now_us) {
  StreamId id;
  while (due_.pop(now_us, id)) {
    ServerStream* stream = streams_.find(id);
    if (stream == nullptr) continue;
    shared_->counters.add(Counter::kSessionsPolled);
    handle_stream_time(now_us, *stream);
  }
}

void ServerStreamSessions::schedule(std::uint64_t now_us, const ServerStream& stream) {
  std::uint64_t due_us = kNotDue;
  // Bytes that the transport knows of wait for its socket, not for us: waking for them would spin on a slow
  // reader.
  if (stream.announced) due_us = now_us;
  // A pending stream has no keep-alive: its time would stay in the past.
  if (stream.peer != nullptr && !stream.link->has_bytes())
    due_us = std::min(due_us, stream.link->next_keep_alive_us());
  if (stream.response) due_us = std::min(due_us, now_us + kTurnUs);
  if (stream.peer == nullptr) {
    due_us = std::min(due_us, stream.opened_us + shared_->options.stream_handshake_us);
  } else {
    due_us = std::min(due_us, stream.peer->next_wakeup_us());
  }
  due_.schedule(stream.id, stream.closing ? kNotDue : std::max(due_us, now_us + 1));
}

void ServerStreamSessions::touch(std::uint64_t now_us, const ServerPeer& peer) {
  auto const at = by_player_.find(peer.player());
  if (at == by_player_.end()) return;
  if (ServerStream* stream = streams_.find(at->second)) streams_.announce(*stream);
  due_.hasten(at->second, now_us);
}

void ServerStreamSessions::close_pending() {
  streams_.for_each([&](ServerStream& stream) {
    if (stream.peer == nullptr) streams_.close(stream);
  });
}

void ServerStreamSessions::handle_handshake(std::uint64_t now_us, ServerStream& stream) {
  if (stream.response) return admit(now_us, stream);
  Link::Inbound inbound;
  while (!stream.closing && !stream.response && stream.peer == nullptr &&
         stream.link->poll_message(inbound)) {
    auto message = shared_->reader.read(inbound.bytes, inbound.message_class);
    auto const* request = message ? std::get_if<ConnectRequest>(&*message) : nullptr;
    auto* response = message ? std::get_if<ChallengeResponse>(&*message) : nullptr;
    if (request != nullptr && !stream.is_challenged) {
      handle_request(now_us, stream, *request);
    } else if (response != nullptr && stream.is_challenged) {
      handle_response(now_us, stream, std::move(*response));
    } else {
      shared_->counters.add(message ? Counter::kMessageUnexpected : counter_of_message(message.error()));
      streams_.close(stream);
    }
  }
}

// TCP's own handshake has proved the address. The challenge is there for the keys.
void ServerStreamSessions::handle_request(std::uint64_t now_us, ServerStream& stream,
                                          const ConnectRequest& request) {
  if (stream.origin.transport == TransportKind::kWebSocket) {
    stream.response = ChallengeResponse{{}, request, {}, {}};
    return admit(now_us, stream);
  }
  if (auto const refused = sessions_->judge(now_us, stream.origin.transport, stream.address, request))
    return refuse(stream, *refused);
  stream.is_challenged = true;
  stream.link->send_reliable(
      shared_->writer.write(sessions_->challenge(now_us, stream.origin.transport, stream.address, request)));
  streams_.announce(stream);
}

void ServerStreamSessions::handle_response(std::uint64_t now_us, ServerStream& stream,
                                           ChallengeResponse&& response) {
  bool const is_good = check_cookie(shared_->secret, now_us, stream.origin.transport, stream.address,
                                    response.request, response.cookie) == CookieVerdict::kGood;
  if (!is_good) shared_->counters.add(Counter::kHandshakeCookieBad);
  if (!is_good) return streams_.close(stream);
  stream.response = std::move(response);
  admit(now_us, stream);
}

void ServerStreamSessions::admit(std::uint64_t now_us, ServerStream& stream) {
  bool const is_sealed = stream.origin.transport == TransportKind::kStream;
  // Asked at each look: another stream may have used the cookie while this response waited.
  if (is_sealed && sessions_->is_used(now_us, stream.response->cookie)) return streams_.close(stream);
  // A client has nothing to say before the Accept. Bytes that waited would be read at the next arrival only.
  if (is_sealed && stream.link->has_early_bytes()) {
    shared_->counters.add(Counter::kMessageUnexpected);
    return streams_.close(stream);
  }
  // A response that waits charges nothing; handle_time() comes back to it. One that is refused without a look
  // at its token or keys does not wait for its turn.
  auto const refused =
      sessions_->judge(now_us, stream.origin.transport, stream.address, stream.response->request);
  if (!refused && !sessions_->has_turn(now_us, stream.address, *stream.response, is_sealed)) return;
  if (!shared_->gate.take_join(now_us, stream.address)) return;
  ChallengeResponse const response = *std::exchange(stream.response, std::nullopt);
  ConnectRequest const& request = response.request;
  if (refused) return refuse(stream, *refused);
  auto newcomer = sessions_->prove(now_us, stream.address, stream.origin, response);
  if (!newcomer) return refuse(stream, newcomer.error());
  if (auto const claimed = sessions_->claim_token(now_us, request, *newcomer); !claimed)
    return refuse(stream, claimed.error());
  sessions_->make_place(now_us, newcomer->origin);
  PlayerId const player = sessions_->take_player_id(newcomer->origin);
  Accept const accept = sessions_->admit(player, 0, request, newcomer->origin);
  StreamLink& link = *stream.link;
  link.send_reliable(is_sealed ? sessions_->write_sealed(accept, *newcomer->keys)
                               : shared_->writer.write(accept));
  auto peer = std::make_unique<ServerPeer>(*shared_, now_us, player, newcomer->origin,
                                           std::move(stream.pending_link));
  stream.peer = peer.get();
  by_player_[player] = stream.id;
  sessions_->add(std::move(peer));
  if (!is_sealed) return;
  sessions_->use(now_us, response.cookie);
  link.seal(LinkKeys::of_server(*newcomer->keys));
}

void ServerStreamSessions::refuse(ServerStream& stream, const Refuse& message) {
  if (message.reason != RefuseReason::kNone) {
    sessions_->count_refusal(message.reason);
    stream.link->send_reliable(shared_->writer.write(message));
    streams_.announce(stream);
  }
  streams_.close(stream);
}

void ServerStreamSessions::handle_stream_time(std::uint64_t now_us, ServerStream& stream) {
  if (stream.closing) return;
  if (stream.peer == nullptr && stream.response) admit(now_us, stream);
  if (stream.peer != nullptr) {
    stream.link->handle_time(now_us);
    stream.peer->handle_time(now_us);
    // The peer stays until the transport reports the stream closed: its link still holds the goodbye.
    if (stream.peer->is_gone()) streams_.close(stream);
  } else if (stream.link->has_failed()) {
    streams_.close(stream);
  } else if (now_us >= stream.opened_us + shared_->options.stream_handshake_us) {
    shared_->counters.add(Counter::kTimeouts);
    streams_.close(stream);
  }
  streams_.announce(stream);
  schedule(now_us, stream);
}

}  // namespace takt::protocol
