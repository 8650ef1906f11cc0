// TlsLayer is TLS between a TCP connection and the HTTP of an HttpConnection: the server's end of one TLS
// session. It works on a Tcp, which the caller owns and whose time-outs bound each operation. One read and
// one write may be under way at once. A function is called once an operation is done, never from within the
// call that began it. OpenSSL through Boost.Asio does the work; their headers are in tls_layer.cpp alone,
// because they are slow to compile.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include <cstddef>
#include <functional>
#include <memory>

#include "server/web/tls_context.h"

namespace takt::server {

class TlsLayer {
 public:
  using Tcp = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;
  using Done = std::function<void(boost::system::error_code code, std::size_t bytes)>;

  /// `tcp` must outlive the layer.
  TlsLayer(Tcp& tcp, const TlsContext& context);
  ~TlsLayer();
  TlsLayer(const TlsLayer&) = delete;
  TlsLayer& operator=(const TlsLayer&) = delete;

  /// Waits for the client's side of the handshake; comes before all else.
  void handshake(Done done);
  void read(boost::asio::mutable_buffer into, Done done);
  /// The bytes must live until `done`.
  void write(boost::asio::const_buffer from, Done done);
  /// Sends that no more comes, and waits for the client to send the same.
  void shut_down(Done done);

  /// True for the error of a handshake that began with an HTTP request instead.
  [[nodiscard]] static bool is_plain_http(const boost::system::error_code& code);

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace takt::server
