// WebStream is the byte stream of an HttpConnection: a TCP connection, plain or under TLS. It has the
// operations that Boost.Beast asks of a stream (AsyncStream), so that HTTP and web sockets are compiled once
// for both kinds. Operations of TLS go through a function without a type (TlsLayer::Done), which costs one
// allocation each; plain ones cost nothing. Time-outs are those of tcp(). This header includes Boost.Beast;
// http_connection.cpp alone includes it.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "server/web/tls_layer.h"

namespace takt::server {

class WebStream {
 public:
  using Tcp = TlsLayer::Tcp;
  using next_layer_type = Tcp;
  using executor_type = Tcp::executor_type;

  /// `context`: null = a plain connection. The connection keeps what it needs of the context.
  WebStream(Tcp::socket_type socket, const TlsContext* context)
      : inner_(std::make_unique<Inner>(std::move(socket))) {
    if (context != nullptr) inner_->tls = std::make_unique<TlsLayer>(inner_->tcp, *context);
  }

  [[nodiscard]] bool is_tls() const noexcept { return inner_->tls != nullptr; }
  [[nodiscard]] TlsLayer& tls() noexcept { return *inner_->tls; }  ///< only with is_tls()
  [[nodiscard]] Tcp& next_layer() noexcept { return inner_->tcp; }
  [[nodiscard]] const Tcp& next_layer() const noexcept { return inner_->tcp; }
  [[nodiscard]] executor_type get_executor() noexcept { return inner_->tcp.get_executor(); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (!is_tls()) return inner_->tcp.async_read_some(buffers, std::forward<Handler>(handler));
    boost::asio::mutable_buffer first;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         first.size() == 0 && at != boost::asio::buffer_sequence_end(buffers); ++at)
      first = *at;
    inner_->tls->read(first, erased(std::forward<Handler>(handler)));
  }

  // OpenSSL encrypts one piece of memory at a time: the pieces become one record.
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (!is_tls()) return inner_->tcp.async_write_some(buffers, std::forward<Handler>(handler));
    std::vector<std::byte>& record = inner_->record;
    record.resize(std::min(boost::asio::buffer_size(buffers), kRecordBytesMax));
    boost::asio::buffer_copy(boost::asio::buffer(record), buffers);
    inner_->tls->write(boost::asio::buffer(record), erased(std::forward<Handler>(handler)));
  }

  /// Greatest number of bytes that one record of TLS holds.
  static constexpr std::size_t kRecordBytesMax = 16 * 1024;
  /// Time for a client to answer the end of TLS.
  static constexpr auto kShutDownTime = std::chrono::seconds(2);

 private:
  // At a fixed address: operations under way refer to it.
  struct Inner {
    explicit Inner(Tcp::socket_type socket) : tcp(std::move(socket)) {}
    Tcp tcp;
    std::unique_ptr<TlsLayer> tls;
    std::vector<std::byte> record;  // of the write under way
  };

  // A function may be copied, and a handler may not.
  template <class Handler>
  static TlsLayer::Done erased(Handler&& handler) {
    auto shared = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [shared = std::move(shared)](boost::system::error_code code, std::size_t bytes) {
      auto call = std::move(*shared);
      call(code, bytes);
    };
  }

  std::unique_ptr<Inner> inner_;
};

/// Boost.Beast ends a web socket with it: first TLS, then TCP.
template <class Handler>
void async_teardown(boost::beast::role_type role, WebStream& stream, Handler&& handler) {
  using boost::beast::websocket::async_teardown;
  WebStream::Tcp& tcp = stream.next_layer();
  if (!stream.is_tls()) return async_teardown(role, tcp, std::forward<Handler>(handler));
  tcp.expires_after(WebStream::kShutDownTime);
  auto shared = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
  stream.tls().shut_down([role, &tcp, shared](boost::system::error_code, std::size_t) {
    async_teardown(role, tcp, std::move(*shared));
  });
}
inline void teardown(boost::beast::role_type role, WebStream& stream, boost::system::error_code& code) {
  using boost::beast::websocket::teardown;
  teardown(role, stream.next_layer(), code);
}

}  // namespace takt::server
