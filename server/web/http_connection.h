// HttpConnection is one connection to the web gateway: requests and answers, one after the other, until it
// closes or becomes a web socket, whose bytes then go through a WebPipe. It decides by web_origin.h who may
// open one. Everything runs on the web thread. Private: includes Boost.Asio; the fuzz target drives it over a
// socket pair.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include <functional>
#include <memory>

#include "protocol/wire/address.h"
#include "server/web/http_site.h"
#include "server/web/web_bridge.h"

namespace takt::server {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  virtual ~HttpConnection() = default;
  /// Begins to read.
  virtual void start() = 0;
  /// Closes at once. `on_closed` is not called any more.
  virtual void abort() = 0;

  /// `site` and `bridge` must outlive it. `on_closed` is called once, when it has closed by itself.
  [[nodiscard]] static std::shared_ptr<HttpConnection> create(Socket socket, const protocol::Address& remote,
                                                              HttpSite& site, WebBridge& bridge,
                                                              std::function<void()> on_closed);
};

}  // namespace takt::server
