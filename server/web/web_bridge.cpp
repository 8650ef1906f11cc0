#include "server/web/web_bridge.h"

#include <algorithm>
#include <utility>

namespace takt::server {

void WebBridge::touch(const std::shared_ptr<WebPipe>& pipe) {
  {
    std::lock_guard const lock(mutex_);
    // A busy pipe is listed once: the list is as long as there are web sockets, no longer.
    if (std::ranges::find(touched_, pipe) != touched_.end()) return;
    touched_.push_back(pipe);
  }
  if (wake_network_) wake_network_();
}

void WebBridge::turn(std::uint64_t now_us, protocol::ServerEndpoint& endpoint) {
  std::vector<std::shared_ptr<WebPipe>> touched;
  {
    std::lock_guard const lock(mutex_);
    touched.swap(touched_);
  }
  std::size_t bytes_taken = 0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    if (bytes_taken >= kTurnBytes) {
      put_back({touched.begin() + static_cast<std::ptrdiff_t>(i), touched.end()});
      break;
    }
    std::shared_ptr<WebPipe> const& pipe = touched[i];
    bool const is_over = pipe->take_inbound(bytes_);
    bytes_taken += bytes_.size();
    auto known = ids_.find(pipe.get());
    if (known == ids_.end()) {
      if (is_over || pipe->is_ended()) continue;  // gone already, or refused
      auto const id = endpoint.handle_stream_open(now_us, pipe->address(),
                                                  {protocol::TransportKind::kWebSocket, pipe->is_trusted()});
      if (id.is_null()) {
        pipe->end();
        continue;
      }
      known = ids_.emplace(pipe.get(), id).first;
      streams_.emplace(id, Stream{pipe, false});
    }
    protocol::StreamId const id = known->second;
    if (!bytes_.empty()) endpoint.handle_stream_bytes(now_us, id, bytes_);
    if (is_over) {
      endpoint.handle_stream_closed(now_us, id);
      ids_.erase(known);
      streams_.erase(id);
    } else {
      pull(now_us, endpoint, id, streams_.at(id));
    }
  }
}

// The rest of a turn comes first in the next one.
void WebBridge::put_back(std::vector<std::shared_ptr<WebPipe>> rest) {
  {
    std::lock_guard const lock(mutex_);
    for (auto const& pipe : touched_)
      if (std::ranges::find(rest, pipe) == rest.end()) rest.push_back(pipe);
    touched_ = std::move(rest);
  }
  if (wake_network_) wake_network_();
}

void WebBridge::flush(std::uint64_t now_us, protocol::ServerEndpoint& endpoint) {
  constexpr auto kKind = protocol::TransportKind::kWebSocket;
  for (auto id = endpoint.poll_writable_stream(kKind); !id.is_null();
       id = endpoint.poll_writable_stream(kKind))
    if (auto const at = streams_.find(id); at != streams_.end()) pull(now_us, endpoint, id, at->second);
  for (auto id = endpoint.poll_closing_stream(kKind); !id.is_null();
       id = endpoint.poll_closing_stream(kKind)) {
    auto const at = streams_.find(id);
    if (at == streams_.end()) continue;
    at->second.is_closing = true;
    pull(now_us, endpoint, id, at->second);
  }
}

// Only while the last chunk is written: the rest waits in the endpoint.
void WebBridge::pull(std::uint64_t now_us, protocol::ServerEndpoint& endpoint, protocol::StreamId id,
                     Stream& stream) {
  if (!stream.pipe->may_write()) return;
  std::vector<std::byte> chunk;
  if (endpoint.poll_stream(now_us, id, WebPipe::kOutboundChunk, chunk) > 0) {
    stream.pipe->give_outbound(std::move(chunk));
  } else if (stream.is_closing) {
    stream.pipe->end();
  }
}

}  // namespace takt::server
