// WebPipe passes the bytes of one web socket between two threads. HttpConnection owns the socket on the web
// thread; WebBridge moves the bytes to and from the protocol endpoint on the network thread. Both directions
// are bounded. Towards the endpoint the web thread stops reading while kInboundMax bytes or more wait.
// Towards the socket at most one chunk is under way; the rest waits in the endpoint, which drops the
// snapshots of a slow reader. The endpoint, not WebPipe, interprets the bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "protocol/session/server_endpoint.h"

namespace takt::server {

class WebPipe {
 public:
  /// `address` is the client's. `is_trusted`: the client counts as local (web_origin.h). The network thread
  /// calls `wake_web`, without a lock, when the web thread can read or write again, or must close.
  WebPipe(const protocol::Address& address, bool is_trusted, std::function<void()> wake_web)
      : address_(address), is_trusted_(is_trusted), wake_web_(std::move(wake_web)) {}

  [[nodiscard]] const protocol::Address& address() const noexcept { return address_; }
  [[nodiscard]] bool is_trusted() const noexcept { return is_trusted_; }

  // ------------------------------------------------------------ web thread

  /// Adds bytes that arrived. False: enough wait now; read on once may_read() is true again.
  [[nodiscard]] bool give_inbound(std::span<const std::byte> bytes);
  /// True while fewer than kInboundMax bytes wait.
  [[nodiscard]] bool may_read() const;
  /// Reports that the socket has closed.
  void close_from_web();
  /// Replaces `out` by the chunk to write now. False when there is none; `out` is then empty. Call
  /// finish_outbound() when the chunk is written.
  [[nodiscard]] bool take_outbound(std::vector<std::byte>& out);
  /// Lets the next chunk be given.
  void finish_outbound();
  /// True when end() was called and the last chunk is written: close the socket.
  [[nodiscard]] bool is_ended() const;

  // ------------------------------------------------------------ network thread

  /// Replaces `out` by all that arrived, and wakes the web thread if it had stopped reading. True when the
  /// socket has closed.
  [[nodiscard]] bool take_inbound(std::vector<std::byte>& out);
  /// True when the last chunk is written, and neither side has ended the pipe.
  [[nodiscard]] bool may_write() const;
  /// Passes a chunk to the web thread. The chunk is not empty, and may_write() was true.
  void give_outbound(std::vector<std::byte>&& bytes);
  /// Ends the pipe: the web thread closes the socket once the last chunk is written.
  void end();

  /// Waiting bytes from which on the web thread stops reading; the last message may pass it.
  static constexpr std::size_t kInboundMax = 64 * 1024;
  /// Bytes of one chunk; the endpoint writes whole frames, so at most one frame is added.
  static constexpr std::size_t kOutboundChunk = 64 * 1024;

 private:
  protocol::Address address_;
  bool is_trusted_;
  std::function<void()> wake_web_;
  mutable std::mutex mutex_;
  std::vector<std::byte> inbound_;
  std::vector<std::byte> outbound_;
  bool is_writing_ = false;  // a chunk was given and is not yet written
  bool is_web_over_ = false;
  bool is_ended_ = false;
};

}  // namespace takt::server
