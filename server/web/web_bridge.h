// WebBridge connects web sockets with the protocol endpoint. A web socket is a WebPipe on the web thread, and
// a stream of ServerEndpoint, like a TCP connection, on the network thread. HttpConnection opens a pipe, and
// reports the pipe and its changes with touch(). Server's network thread moves the bytes: turn() into the
// endpoint, and both turn() and flush() out of it. HttpConnection handles HTTP and web socket frames.
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
  /// Sets the function that wakes the network thread for turn(). Both threads may call the function. Set it
  /// before the first pipe opens.
  void set_wake(std::function<void()> wake_network) { wake_network_ = std::move(wake_network); }

  // ------------------------------------------------------------ web thread

  /// Reports that the pipe is new, has bytes, can be written to again, or has closed.
  void touch(const std::shared_ptr<WebPipe>& pipe);

  // ------------------------------------------------------------ network thread

  /// Passes the touched pipes' bytes to the endpoint, and opens and closes its streams. The pipe that reaches
  /// kTurnBytes is the last; the others follow in the next turn.
  void turn(std::uint64_t now_us, protocol::ServerEndpoint& endpoint);
  /// Hands the pipes what the endpoint has for them.
  void flush(std::uint64_t now_us, protocol::ServerEndpoint& endpoint);

  /// Bounds the time of a turn: about 2 ms, at 100 ns for a message of 20 bytes.
  static constexpr std::size_t kTurnBytes = 384 * 1024;

 private:
  struct Stream {
    std::shared_ptr<WebPipe> pipe;
    bool is_closing = false;  // the endpoint wants it closed after its last bytes
  };
  void put_back(std::vector<std::shared_ptr<WebPipe>> rest);
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
