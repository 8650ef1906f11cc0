// HttpConnection is one TCP connection to the web gateway: HTTP requests and replies, one after the other,
// until it closes or becomes a web socket. The bytes of a web socket then go through a WebPipe to and from
// the network thread, which has the protocol endpoint. HttpSite makes the replies to accepted requests.
// web_origin.h decides which pages may open a web socket, and which web sockets are trusted as local.
// HttpServer creates the connections, and everything runs on its web thread. This header includes Boost.Asio;
// http_server.cpp and the fuzz target, which uses a socket pair, include it.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include <functional>
#include <memory>

#include "protocol/wire/address.h"
#include "server/web/http_site.h"
#include "server/web/tls_context.h"
#include "server/web/web_bridge.h"

namespace takt::server {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  virtual ~HttpConnection() = default;
  /// Begins to read; call it once. The connection then keeps itself alive until it closes.
  virtual void start() = 0;
  /// Closes at once, without calling `on_closed`.
  virtual void abort() = 0;
  /// True while the handshake of TLS is under way.
  [[nodiscard]] virtual bool is_in_handshake() const = 0;

  /// The addresses of both ends of a socket.
  struct Ends {
    protocol::Address remote;
    protocol::Address local;  ///< the all-zero address = unknown
  };

  /// `site` and `bridge` must outlive the connection. `pages` are those of its port. `tls`: null = plain
  /// HTTP. `on_closed` is called once, when the connection closes without abort().
  [[nodiscard]] static std::shared_ptr<HttpConnection> create(Socket socket, const Ends& ends, HttpSite& site,
                                                              WebBridge& bridge, HttpPages pages,
                                                              const TlsContext* tls,
                                                              std::function<void()> on_closed);
};

}  // namespace takt::server
