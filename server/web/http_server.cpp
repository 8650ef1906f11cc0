#include "server/web/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "server/web/http_connection.h"
#include "server/web/http_site.h"

namespace takt::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

/// After a failed accept (out of file descriptors), so that the loop does not spin.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

protocol::Address to_protocol(const tcp::endpoint& from) {
  protocol::Address out;
  auto const address = from.address();
  if (address.is_v4()) {
    auto const bytes = address.to_v4().to_bytes();
    return protocol::Address::from_ipv4(bytes[0], bytes[1], bytes[2], bytes[3], from.port());
  }
  out.ip = address.to_v6().to_bytes();
  out.port = from.port();
  return out;
}

/// An IPv4 address, or an IPv6 /64: what one household or host controls.
using Household = std::array<std::uint8_t, 16>;

Household household_of(const protocol::Address& from) {
  Household out = from.ip;
  if (!from.is_ipv4()) std::fill(out.begin() + 8, out.end(), std::uint8_t{0});
  return out;
}

Failure to_failure(const error_code& code, std::string what) {
  Error error = Error::kNetwork;
  if (code == asio::error::address_in_use) error = Error::kPortInUse;
  if (code == asio::error::access_denied) error = Error::kPermissionDenied;
  if (code == std::errc::address_not_available) error = Error::kBadAddress;
  what += ": " + std::string(message(error)) + " (" + code.message() + ")";
  return {error, std::move(what), Sockets::kWeb};
}

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(const HttpOptions& options, WebBridge& bridge, std::function<LiveStatus()> status)
      : site_(options, std::move(status)), bridge_(&bridge), acceptor_(io_), accept_pause_(io_) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    if (!thread_.joinable()) return;
    asio::post(io_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      accept_pause_.cancel();
      for (auto const& [number, entry] : connections_) entry.connection->abort();
      connections_.clear();
      io_.stop();
    });
    thread_.join();
  }

  Result<Unit, Failure> open() {
    HttpOptions const& options = site_.options();
    asio::ip::address address = asio::ip::address_v6::any();
    bool const any = options.bind_address.empty();
    error_code code;
    if (!any) {
      address = asio::ip::make_address(options.bind_address, code);
      if (code)
        return Failure{Error::kBadAddress,
                       "HTTP address '" + options.bind_address +
                           "': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::",
                       Sockets::kWeb};
    }
    code = bind(address);
    if (code && any && code != asio::error::address_in_use)
      code = bind(asio::ip::address_v4::any());  // a system without IPv6
    if (code)
      return to_failure(
          code, "HTTP " + (any ? "port " : options.bind_address + " port ") + std::to_string(options.port));
    port_ = acceptor_.local_endpoint(code).port();
    accept();
    thread_ = std::thread([this] { io_.run(); });
    return Unit{};
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  struct Entry {
    std::shared_ptr<HttpConnection> connection;
    Household household{};
  };

  error_code bind(const asio::ip::address& address) {
    error_code code;
    tcp::endpoint const at(address, site_.options().port);
    acceptor_.open(at.protocol(), code);
    if (code) return code;
    error_code ignored;
    if (address.is_v6()) acceptor_.set_option(asio::ip::v6_only(!address.is_unspecified()), ignored);
    // Connections of an earlier run in TIME_WAIT must not keep a restarted server out; a running one still
    // does.
    acceptor_.set_option(asio::socket_base::reuse_address(true), ignored);
    acceptor_.bind(at, code);
    if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
    if (code) acceptor_.close(ignored);
    return code;
  }

  void accept() {
    acceptor_.async_accept([this](const error_code& code, tcp::socket socket) {
      if (code == asio::error::operation_aborted) return;
      if (code) {
        accept_pause_.expires_after(kAcceptPause);
        accept_pause_.async_wait([this](const error_code& waited) {
          if (!waited) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    HttpOptions const& options = site_.options();
    error_code code;
    auto const remote = socket.remote_endpoint(code);
    if (code) return;  // gone already
    site_.count(HttpCounter::kConnections);
    protocol::Address const from = to_protocol(remote);
    if (connections_.size() >= options.connections_max) return site_.count(HttpCounter::kConnectionsMax);
    Household const household = household_of(from);
    std::uint32_t& of_address = per_address_[household];
    bool const is_proxy = protocol::contains(site_.proxies(), from);
    if (of_address >= options.connections_per_address_max && !is_proxy)
      return site_.count(HttpCounter::kConnectionsPerAddress);
    ++of_address;
    socket.set_option(tcp::no_delay(true), code);
    socket.set_option(asio::socket_base::send_buffer_size(options.send_buffer_bytes), code);
    std::uint64_t const number = ++last_number_;
    auto connection = HttpConnection::create(HttpConnection::Socket(std::move(socket)), from, site_, *bridge_,
                                             [this, number] { forget(number); });
    connections_.emplace(number, Entry{connection, household});
    site_.open_connections = static_cast<std::uint32_t>(connections_.size());
    connection->start();
  }

  void forget(std::uint64_t number) {
    auto const at = connections_.find(number);
    if (at == connections_.end()) return;
    if (auto const count = per_address_.find(at->second.household);
        count != per_address_.end() && --count->second == 0)
      per_address_.erase(count);
    connections_.erase(at);
    site_.open_connections = static_cast<std::uint32_t>(connections_.size());
  }

  HttpSite site_;
  WebBridge* bridge_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  std::map<std::uint64_t, Entry> connections_;
  std::map<Household, std::uint32_t> per_address_;
  std::uint64_t last_number_ = 0;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>, Failure> HttpServer::open(const HttpOptions& options, WebBridge& bridge,
                                                              std::function<LiveStatus()> status) {
  auto implementation = std::make_unique<Implementation>(options, bridge, std::move(status));
  if (auto opened = implementation->open(); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(implementation)));
}

std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }

}  // namespace takt::server
