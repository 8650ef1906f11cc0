#include "protocol/session/server_stream_sessions.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// Greatest frame that a client may send.
constexpr std::size_t kClientFrameBytesMax = kClientMessageBytesMax + 1;

}  // namespace

StreamId ServerStreamSessions::handle_open(std::uint64_t now_us, const Address& from,
                                           const StreamOrigin& origin) {
  TAKT_ASSERT(origin.transport != TransportKind::kDatagram);
  if (streams_.pending_count() >= shared_->options.pending_streams_max || !limiter_->take(now_us, from)) {
    shared_->counters.add(Counter::kHandshakeRate);
    return {};
  }
  ServerStream& stream = streams_.open(now_us, from, origin);
  StreamLinkOptions options{kClientFrameBytesMax, shared_->options.stream_backlog_max};
  if (origin.transport == TransportKind::kWebSocket) options.sent_counter = Counter::kWebSocketBytesSent;
  stream.pending_link = std::make_unique<StreamLink>(options, now_us, shared_->counters);
  stream.link = stream.pending_link.get();
  return stream.id;
}

void ServerStreamSessions::handle_bytes(std::uint64_t now_us, StreamId id, std::span<const std::byte> bytes) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr || stream->closing) return;
  bool const is_web = stream->origin.transport == TransportKind::kWebSocket;
  shared_->counters.add(is_web ? Counter::kWebSocketBytesReceived : Counter::kStreamBytesReceived,
                        bytes.size());
  stream->link->handle_bytes(bytes);
  if (stream->peer == nullptr) handle_request(now_us, *stream);
  if (stream->peer != nullptr) stream->peer->handle_arrival(now_us);
  handle_stream_time(now_us, *stream);
}

void ServerStreamSessions::handle_closed(std::uint64_t now_us, StreamId id) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr) return;
  if (stream->peer != nullptr) {
    PlayerId const player = stream->peer->player();
    stream->peer->leave(now_us, DisconnectReason::kConnectionLost, "the stream closed", false);
    sessions_->erase(player);
  }
  streams_.erase(id);
}

std::size_t ServerStreamSessions::poll_bytes(std::uint64_t now_us, StreamId id, std::size_t bytes_max,
                                             std::vector<std::byte>& out) {
  ServerStream* stream = streams_.find(id);
  if (stream == nullptr) return 0;
  if (stream->peer != nullptr) stream->peer->handle_time(now_us);
  return stream->link->poll_bytes(now_us, bytes_max, out);
}

void ServerStreamSessions::handle_time(std::uint64_t now_us) {
  streams_.for_each([&](ServerStream& stream) { handle_stream_time(now_us, stream); });
}

std::uint64_t ServerStreamSessions::next_wakeup_us(std::uint64_t now_us) {
  std::uint64_t wakeup_us = kNever;
  streams_.for_each([&](const ServerStream& stream) {
    if (stream.closing) return;
    // Bytes that the transport knows of wait for its socket, not for us: waking for them would spin on a
    // slow reader.
    if (stream.announced) wakeup_us = now_us;
    if (!stream.link->has_bytes()) wakeup_us = std::min(wakeup_us, stream.link->next_keep_alive_us());
    if (stream.peer == nullptr)
      wakeup_us = std::min(wakeup_us, stream.opened_us + shared_->options.stream_handshake_us);
  });
  return wakeup_us;
}

void ServerStreamSessions::announce() {
  streams_.for_each([&](ServerStream& stream) { streams_.announce(stream); });
}

void ServerStreamSessions::close_pending() {
  streams_.for_each([&](ServerStream& stream) {
    if (stream.peer == nullptr) streams_.close(stream);
  });
}

// TCP's own handshake has proved the address; the request follows at once.
void ServerStreamSessions::handle_request(std::uint64_t now_us, ServerStream& stream) {
  Link::Inbound inbound;
  if (!stream.link->poll_message(inbound)) return;
  auto message = shared_->reader.read(inbound.bytes, inbound.message_class);
  auto const* request = message ? std::get_if<ConnectRequest>(&*message) : nullptr;
  if (request == nullptr) {
    if (message) {
      shared_->counters.add(Counter::kMessageUnexpected);
    } else {
      shared_->counters.add(counter_of_message(message.error()));
    }
    streams_.close(stream);
    return;
  }
  if (auto const refused = sessions_->judge(*request)) {
    sessions_->count_refusal(refused->reason);
    stream.link->send_reliable(shared_->writer.write(*refused));
    streams_.announce(stream);
    streams_.close(stream);
    return;
  }
  PlayerId const player = sessions_->take_player_id(*request);
  stream.link->send_reliable(shared_->writer.write(sessions_->admit(player, 0, *request)));
  PeerOrigin const origin = sessions_->origin_of(stream.address, stream.origin);
  auto peer = std::make_unique<ServerPeer>(*shared_, now_us, player, origin, std::move(stream.pending_link));
  stream.peer = peer.get();
  sessions_->add(std::move(peer), stream.address, *request);
}

void ServerStreamSessions::handle_stream_time(std::uint64_t now_us, ServerStream& stream) {
  if (stream.closing) return;
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
}

}  // namespace takt::protocol
