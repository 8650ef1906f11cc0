// HttpListener is one port of the web gateway: it accepts connections, limits their number, in all and for
// each address, and owns them. A connection whose TLS handshake is not finished gives its place to a
// newcomer, so that slow handshakes hold no places; the address with the most of them gives first. The pages
// of the port decide what its connections answer. HttpServer has a listener for the viewer and one for
// metrics, each with limits of its own, so that a flood of the viewer's port does not keep an operator out.
// Everything runs on the web thread. This header includes Boost.Asio; http_server.cpp and http_listener.cpp
// include it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "server/web/certificate_store.h"
#include "server/web/http_connection.h"
#include "server/web/http_site.h"
#include "takt/core/result.h"
#include "takt/server/error.h"

namespace takt::server {

class HttpListener {
 public:
  /// An IPv4 address, or an IPv6 /64: what one household or host controls.
  using Household = std::array<std::uint8_t, 16>;

  /// All must outlive the listener. `certificates`: null = the port speaks plain HTTP.
  HttpListener(boost::asio::io_context& io, HttpSite& site, WebBridge& bridge, HttpPages pages,
               const CertificateStore* certificates);

  /// Listens, and accepts once `io` runs. `bind_address`: empty = all addresses; `port`: 0 = a free one.
  /// Errors: kBadAddress, kPortInUse, kPermissionDenied and kNetwork.
  [[nodiscard]] Result<Unit, Failure> open(const std::string& bind_address, std::uint16_t port);
  /// Stops to listen and closes every connection.
  void close();
  /// The port that it listens on.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  struct Entry {
    std::shared_ptr<HttpConnection> connection;
    Household household{};
  };

  boost::system::error_code bind(const boost::asio::ip::address& address, std::uint16_t port);
  void accept();
  void take(boost::asio::ip::tcp::socket socket);
  // True when a connection may come, after a displacement if need be; a false one is counted.
  [[nodiscard]] bool make_room(const Household& household, bool is_proxy);
  // The oldest handshake of TLS under way of this address; 0 = none.
  [[nodiscard]] std::uint64_t oldest_handshake(const Household& household) const;
  // Likewise of the address with the most of them; of equal ones, the oldest.
  [[nodiscard]] std::uint64_t oldest_handshake_of_largest_address() const;
  // Closes that connection; false for 0.
  bool displace(std::uint64_t number);
  void forget(std::uint64_t number);

  HttpSite* site_;
  WebBridge* bridge_;
  HttpPages pages_;
  const CertificateStore* certificates_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_pause_;
  std::map<std::uint64_t, Entry> connections_;  // by number, the oldest first
  std::map<Household, std::uint32_t> per_address_;
  std::uint64_t last_number_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace takt::server
