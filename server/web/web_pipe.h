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
  /// `wake_web` is called on the network thread, never while a lock is held: the web thread should look at
  /// the pipe soon.
  WebPipe(const protocol::Address& address, bool is_trusted, std::function<void()> wake_web)
      : address_(address), is_trusted_(is_trusted), wake_web_(std::move(wake_web)) {}

  [[nodiscard]] const protocol::Address& address() const noexcept { return address_; }
  [[nodiscard]] bool is_trusted() const noexcept { return is_trusted_; }

  // ------------------------------------------------------------ web thread

  /// Bytes that arrived. False: enough wait now; read on once may_read() is true again.
  [[nodiscard]] bool give_inbound(std::span<const std::byte> bytes);
  [[nodiscard]] bool may_read() const;
  /// The socket is over.
  void close_from_web();
  /// The chunk to write now, if there is one. Call finish_outbound() when it is written.
  [[nodiscard]] bool take_outbound(std::vector<std::byte>& out);
  void finish_outbound();
  /// Everything has been taken, and the endpoint wants the socket closed.
  [[nodiscard]] bool is_ended() const;

  // ------------------------------------------------------------ network thread

  /// Takes all that arrived, and wakes the web thread if it had stopped reading; true when the web side is
  /// over.
  [[nodiscard]] bool take_inbound(std::vector<std::byte>& out);
  /// A chunk may be given.
  [[nodiscard]] bool may_write() const;
  void give_outbound(std::vector<std::byte>&& bytes);
  /// Nothing follows what was given: close the socket.
  void end();

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
