// HttpServer is the web gateway: HTTP and web sockets on a port and a thread of its own. It serves the
// viewer, health and metrics, and carries the bytes of web sockets to the protocol's endpoint through a
// WebBridge. The endpoint has the sessions. docs/HTTP.md lists what is served, limited and refused.
//
// Why Boost.Beast beside the stand-alone Asio of net/: it is the one library of Debian that does both
// HTTP/1.1 and web sockets without a framework. It brings Boost's own Asio; the two never meet, because this
// thread shares no socket, timer or executor with net/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "server/error.h"
#include "server/live_status.h"
#include "server/web/http_options.h"
#include "server/web/web_bridge.h"
#include "takt/core/result.h"

namespace takt::server {

class HttpServer {
 public:
  /// Listens and starts its thread. The bridge must outlive it; `status` is called on that thread.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>, Failure> open(const HttpOptions& options,
                                                                         WebBridge& bridge,
                                                                         std::function<LiveStatus()> status);
  ~HttpServer();  ///< closes every connection and joins the thread
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  class Implementation;
  explicit HttpServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::server
