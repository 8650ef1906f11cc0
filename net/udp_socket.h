// UdpSocket is a non-blocking UDP socket that uses protocol::Address. Bound to the unspecified IPv6 address
// it serves IPv6 and IPv4, otherwise one of them. It receives at most kTurn datagrams before other sockets
// and timers get their turn. A failed send is a lost datagram: it is counted in TransportCounters and never
// an error. ClientTransport, ServerTransport and LossyRelay use UdpSocket. The header includes Asio.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <cstddef>
#include <functional>
#include <span>

#include "net/counters.h"
#include "protocol/wire/address.h"
#include "protocol/wire/limits.h"

namespace takt::net {

class UdpSocket {
 public:
  using Handler = std::function<void(const protocol::Address& from, std::span<const std::byte> bytes)>;

  UdpSocket(asio::io_context& io, TransportCounters& counters) : socket_(io), counters_(&counters) {}

  /// Opens and binds. On an error nothing is open.
  [[nodiscard]] asio::error_code bind(const asio::ip::udp::endpoint& at, int buffer_bytes);
  /// Opens towards one peer; only its datagrams arrive, and send() needs no address.
  [[nodiscard]] asio::error_code connect(const asio::ip::udp::endpoint& to);
  [[nodiscard]] std::uint16_t local_port() const;
  void close();

  /// From now on `handler` gets every datagram, from within the io_context.
  void start(Handler handler);
  /// Hands what has arrived to the handler now, at most kTurn datagrams; how many.
  std::size_t receive_ready();

  void send_to(const protocol::Address& to, std::span<const std::byte> bytes);
  /// To the peer of connect().
  void send(std::span<const std::byte> bytes);

  /// Datagrams per turn, so that a flood on UDP cannot starve TCP and the timers.
  static constexpr std::size_t kTurn = 512;

 private:
  void wait();
  void count_send(const asio::error_code& code);

  asio::ip::udp::socket socket_;
  TransportCounters* counters_;
  Handler handler_;
  bool ipv4_only_ = false;
  // One byte more than the protocol allows, so that an oversized datagram shows as such instead of being cut
  // to a valid size.
  std::array<std::byte, protocol::kDatagramBytesMax + 1> buffer_;
};

}  // namespace takt::net
