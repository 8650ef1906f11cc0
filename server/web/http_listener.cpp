#include "server/web/http_listener.h"

#include <boost/asio/ip/v6_only.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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

HttpListener::Household household_of(const protocol::Address& from) {
  HttpListener::Household out = from.ip;
  if (!from.is_ipv4()) std::fill(out.begin() + 8, out.end(), std::uint8_t{0});
  return out;
}

Failure to_failure(const error_code& code, Sockets sockets, std::string what) {
  Error error = Error::kNetwork;
  if (code == asio::error::address_in_use) error = Error::kPortInUse;
  if (code == asio::error::access_denied) error = Error::kPermissionDenied;
  if (code == std::errc::address_not_available) error = Error::kBadAddress;
  what += ": " + std::string(message(error)) + " (" + code.message() + ")";
  return {error, std::move(what), sockets};
}

}  // namespace

HttpListener::HttpListener(asio::io_context& io, HttpSite& site, WebBridge& bridge, HttpPages pages,
                           const CertificateStore* certificates)
    : site_(&site),
      bridge_(&bridge),
      pages_(pages),
      certificates_(certificates),
      acceptor_(io),
      accept_pause_(io) {}

Result<Unit, Failure> HttpListener::open(const std::string& bind_address, std::uint16_t port) {
  Sockets const sockets = pages_ == HttpPages::kOperator ? Sockets::kMetrics : Sockets::kWeb;
  std::string const name = sockets == Sockets::kMetrics ? "metrics" : "HTTP";
  asio::ip::address address = asio::ip::address_v6::any();
  bool const any = bind_address.empty();
  error_code code;
  if (!any) {
    address = asio::ip::make_address(bind_address, code);
    if (code)
      return Failure{
          Error::kBadAddress,
          name + " address '" + bind_address + "': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::",
          sockets};
  }
  code = bind(address, port);
  if (code && any && code != asio::error::address_in_use)
    code = bind(asio::ip::address_v4::any(), port);  // a system without IPv6
  if (code)
    return to_failure(code, sockets,
                      name + ' ' + (any ? "port " : bind_address + " port ") + std::to_string(port));
  port_ = acceptor_.local_endpoint(code).port();
  accept();
  return Unit{};
}

void HttpListener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
  for (auto const& [number, entry] : connections_) entry.connection->abort();
  site_->open_connections -= static_cast<std::uint32_t>(connections_.size());
  connections_.clear();
}

error_code HttpListener::bind(const asio::ip::address& address, std::uint16_t port) {
  error_code code;
  tcp::endpoint const at(address, port);
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

void HttpListener::accept() {
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

void HttpListener::take(tcp::socket socket) {
  HttpOptions const& options = site_->options();
  error_code code;
  auto const remote = socket.remote_endpoint(code);
  if (code) return;  // gone already
  site_->count(HttpCounter::kConnections);
  auto const local = socket.local_endpoint(code);
  if (code) return;
  protocol::Address const from = to_protocol(remote);
  Household const household = household_of(from);
  if (!make_room(household, protocol::contains(site_->proxies(), from))) return;
  ++per_address_[household];
  socket.set_option(tcp::no_delay(true), code);
  socket.set_option(asio::socket_base::send_buffer_size(options.send_buffer_bytes), code);
  std::uint64_t const number = ++last_number_;
  std::shared_ptr<const TlsContext> const tls = certificates_ != nullptr ? certificates_->present() : nullptr;
  auto connection =
      HttpConnection::create(HttpConnection::Socket(std::move(socket)), {from, to_protocol(local)}, *site_,
                             *bridge_, pages_, tls.get(), [this, number] { forget(number); });
  connections_.emplace(number, Entry{connection, household});
  ++site_->open_connections;
  connection->start();
}

bool HttpListener::make_room(const Household& household, bool is_proxy) {
  HttpOptions const& options = site_->options();
  auto const known = per_address_.find(household);
  std::uint32_t const of_address = known == per_address_.end() ? 0 : known->second;
  if (!is_proxy && of_address >= options.connections_per_address_max &&
      !displace(oldest_handshake(household))) {
    site_->count(HttpCounter::kConnectionsPerAddress);
    return false;
  }
  if (connections_.size() >= options.connections_max && !displace(oldest_handshake_of_largest_address())) {
    site_->count(HttpCounter::kConnectionsMax);
    return false;
  }
  return true;
}

std::uint64_t HttpListener::oldest_handshake(const Household& household) const {
  for (auto const& [number, entry] : connections_)
    if (entry.household == household && entry.connection->is_in_handshake()) return number;
  return 0;
}

std::uint64_t HttpListener::oldest_handshake_of_largest_address() const {
  std::vector<std::pair<Household, std::uint64_t>> pending;
  for (auto const& [number, entry] : connections_)
    if (entry.connection->is_in_handshake()) pending.emplace_back(entry.household, number);
  std::sort(pending.begin(), pending.end());
  std::uint64_t oldest = 0;
  std::ptrdiff_t count_max = 0;
  for (auto at = pending.begin(); at != pending.end();) {
    auto const end = std::find_if(at, pending.end(), [&](auto const& one) { return one.first != at->first; });
    std::ptrdiff_t const count = end - at;
    if (count > count_max || (count == count_max && at->second < oldest)) {
      count_max = count;
      oldest = at->second;
    }
    at = end;
  }
  return oldest;
}

bool HttpListener::displace(std::uint64_t number) {
  auto const at = connections_.find(number);
  if (at == connections_.end()) return false;
  site_->count(HttpCounter::kTlsDisplaced);
  at->second.connection->abort();
  forget(number);
  return true;
}

void HttpListener::forget(std::uint64_t number) {
  auto const at = connections_.find(number);
  if (at == connections_.end()) return;
  if (auto const count = per_address_.find(at->second.household);
      count != per_address_.end() && --count->second == 0)
    per_address_.erase(count);
  connections_.erase(at);
  --site_->open_connections;
}

}  // namespace takt::server
