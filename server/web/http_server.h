// HttpServer is the web gateway of a server: HTTP and web sockets on a thread of its own, the web thread. It
// serves the viewer, health and metrics on one port, or metrics on a port of their own. The bytes of web
// sockets go through a WebBridge to and from the protocol endpoint on the network thread; that endpoint has
// the sessions. Server opens an HttpServer if its options say so. HttpListener has the connections of a port.
// docs/HTTP.md lists what is served, limited and refused.
//
// HTTP comes from Boost.Beast, for the reasons in docs/adr/0006, and Beast brings Boost's own Asio beside the
// stand-alone Asio of net/. The web thread shares no socket and no timer with net/; it only wakes the network
// thread (ServerTransport::wake).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "server/live_status.h"
#include "server/web/operator_pages.h"
#include "server/web/web_bridge.h"
#include "takt/core/result.h"
#include "takt/server/error.h"
#include "takt/server/http_options.h"

namespace takt::server {

class HttpServer {
 public:
  /// Listens and starts the web thread, which calls `status`. The bridge must outlive the HttpServer. Without
  /// `viewer` there is no page and no web socket. With `metrics`, /metrics is on that port alone. Errors:
  /// kBadAddress, kPortInUse, kPermissionDenied and kNetwork, with Sockets::kWeb or Sockets::kMetrics, and
  /// kCertificateRefused.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>, Failure> open(
      const std::optional<HttpOptions>& viewer, const std::optional<MetricsOptions>& metrics,
      WebBridge& bridge, std::function<LiveStatus()> status);
  /// Opens a port with /metrics, /healthz and /readyz alone, for a program that is no server. Errors:
  /// likewise, with Sockets::kMetrics.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>, Failure> open_operator(
      const MetricsOptions& metrics, OperatorPages pages);
  ~HttpServer();  ///< closes every connection and joins the thread
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Reads the files of HttpOptions::tls again. Connections that live keep their certificate. With an error
  /// the certificate of before stays. Any thread; only with TLS (asserted).
  [[nodiscard]] Result<Unit, FileError> reload_certificate();
  [[nodiscard]] std::uint16_t port() const noexcept;          ///< of the viewer; 0 = none
  [[nodiscard]] std::uint16_t metrics_port() const noexcept;  ///< of MetricsOptions; 0 = none

 private:
  class Implementation;
  explicit HttpServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::server
