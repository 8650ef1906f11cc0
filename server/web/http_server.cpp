#include "server/web/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "server/web/certificate_store.h"
#include "server/web/http_listener.h"
#include "server/web/http_site.h"
#include "takt/core/assert.h"

namespace takt::server {

class HttpServer::Implementation {
 public:
  Implementation(const HttpOptions& options, WebBridge* bridge, OperatorPages pages)
      : site_(options, std::move(pages)),
        bridge_(bridge != nullptr ? bridge : &no_bridge_),
        certificate_timer_(io_) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] {
      if (viewer_) viewer_->close();
      if (metrics_) metrics_->close();
      certificate_timer_.cancel();
      io_.stop();
    });
    thread_.join();
  }

  Result<Unit, Failure> open(const std::optional<HttpOptions>& viewer,
                             const std::optional<MetricsOptions>& metrics) {
    if (viewer && viewer->tls) {
      auto certificates = CertificateStore::open(*viewer->tls);
      if (!certificates)
        return Failure{Error::kCertificateRefused, message(certificates.error()), Sockets::kWeb};
      certificates_ = *std::move(certificates);
      watch_certificate();
    }
    if (viewer) {
      viewer_.emplace(io_, site_, *bridge_, metrics ? HttpPages::kViewer : HttpPages::kAll,
                      certificates_.get());
      if (auto const opened = viewer_->open(viewer->bind_address, viewer->port); !opened)
        return opened.error();
    }
    if (metrics) {
      metrics_.emplace(io_, site_, *bridge_, HttpPages::kOperator, nullptr);
      if (auto const opened = metrics_->open(metrics->bind_address, metrics->port); !opened)
        return opened.error();
    }
    thread_ = std::thread([this] { io_.run(); });
    return Unit{};
  }

  Result<Unit, FileError> reload_certificate() {
    TAKT_ASSERT(certificates_ != nullptr);
    return certificates_->reload();
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return viewer_ ? viewer_->port() : 0; }
  [[nodiscard]] std::uint16_t metrics_port() const noexcept { return metrics_ ? metrics_->port() : 0; }

 private:
  void watch_certificate() {
    certificate_timer_.expires_after(std::chrono::seconds(CertificateStore::kPollSeconds));
    certificate_timer_.async_wait([this](const boost::system::error_code& code) {
      if (code) return;
      certificates_->poll();
      watch_certificate();
    });
  }

  HttpSite site_;
  WebBridge no_bridge_;  // of a port without web sockets
  WebBridge* bridge_;
  std::unique_ptr<CertificateStore> certificates_;  // null = plain HTTP
  boost::asio::io_context io_{1};
  boost::asio::steady_timer certificate_timer_;
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
  auto implementation = std::make_unique<Implementation>(viewer.value_or(HttpOptions{}), &bridge,
                                                         live_pages(std::move(status)));
  if (auto opened = implementation->open(viewer, metrics); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(implementation)));
}

Result<std::unique_ptr<HttpServer>, Failure> HttpServer::open_operator(const MetricsOptions& metrics,
                                                                       OperatorPages pages) {
  auto implementation = std::make_unique<Implementation>(HttpOptions{}, nullptr, std::move(pages));
  if (auto opened = implementation->open(std::nullopt, metrics); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(implementation)));
}

Result<Unit, FileError> HttpServer::reload_certificate() { return implementation_->reload_certificate(); }
std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }
std::uint16_t HttpServer::metrics_port() const noexcept { return implementation_->metrics_port(); }

}  // namespace takt::server
