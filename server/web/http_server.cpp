#include "server/web/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <optional>
#include <thread>
#include <utility>

#include "server/web/http_listener.h"
#include "server/web/http_site.h"

namespace takt::server {

class HttpServer::Implementation {
 public:
  Implementation(const HttpOptions& options, WebBridge& bridge, std::function<LiveStatus()> status)
      : site_(options, std::move(status)), bridge_(&bridge) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] {
      if (viewer_) viewer_->close();
      if (metrics_) metrics_->close();
      io_.stop();
    });
    thread_.join();
  }

  Result<Unit, Failure> open(const std::optional<HttpOptions>& viewer,
                             const std::optional<MetricsOptions>& metrics) {
    if (viewer) {
      viewer_.emplace(io_, site_, *bridge_, metrics ? HttpPages::kViewer : HttpPages::kAll);
      if (auto const opened = viewer_->open(viewer->bind_address, viewer->port); !opened)
        return opened.error();
    }
    if (metrics) {
      metrics_.emplace(io_, site_, *bridge_, HttpPages::kOperator);
      if (auto const opened = metrics_->open(metrics->bind_address, metrics->port); !opened)
        return opened.error();
    }
    thread_ = std::thread([this] { io_.run(); });
    return Unit{};
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return viewer_ ? viewer_->port() : 0; }
  [[nodiscard]] std::uint16_t metrics_port() const noexcept { return metrics_ ? metrics_->port() : 0; }

 private:
  HttpSite site_;
  WebBridge* bridge_;
  boost::asio::io_context io_{1};
  std::optional<HttpListener> viewer_;
  std::optional<HttpListener> metrics_;
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>, Failure> HttpServer::open(const std::optional<HttpOptions>& viewer,
                                                              const std::optional<MetricsOptions>& metrics,
                                                              WebBridge& bridge,
                                                              std::function<LiveStatus()> status) {
  auto implementation =
      std::make_unique<Implementation>(viewer.value_or(HttpOptions{}), bridge, std::move(status));
  if (auto opened = implementation->open(viewer, metrics); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(implementation)));
}

std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }
std::uint16_t HttpServer::metrics_port() const noexcept { return implementation_->metrics_port(); }

}  // namespace takt::server
