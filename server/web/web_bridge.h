// WebBridge connects web sockets with the protocol's endpoint: pipes of the web thread on one side, streams
// of the endpoint on the other. The web thread opens pipes and reports changes with touch(). The network
// thread moves their bytes with turn() and flush(), beside its own sockets. HttpConnection handles HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "server/web/web_pipe.h"

namespace takt::server {

class WebBridge {
 public:
  /// Called on the web thread when there is something for turn(). Set it before the first pipe opens.
  void set_wake(std::function<void()> wake_network) { wake_network_ = std::move(wake_network); }

  // ------------------------------------------------------------ web thread

  /// The pipe is new, or something about it has changed.
  void touch(const std::shared_ptr<WebPipe>& pipe);

  // ------------------------------------------------------------ network thread

  /// Takes what the web thread brought into the endpoint.
  void turn(std::uint64_t now_us, protocol::ServerEndpoint& endpoint);
  /// Hands the pipes what the endpoint has for them.
  void flush(std::uint64_t now_us, protocol::ServerEndpoint& endpoint);

 private:
  struct Stream {
    std::shared_ptr<WebPipe> pipe;
    bool is_closing = false;  // the endpoint wants it closed after its last bytes
  };
  void pull(std::uint64_t now_us, protocol::ServerEndpoint& endpoint, protocol::StreamId id, Stream& stream);

  std::function<void()> wake_network_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<WebPipe>> touched_;  // under mutex_
  // The network thread's.
  std::map<protocol::StreamId, Stream> streams_;
  std::map<const WebPipe*, protocol::StreamId> ids_;
  std::vector<std::byte> bytes_;
};

}  // namespace takt::server
