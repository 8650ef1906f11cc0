// UdpSocket is a non-blocking UDP socket that uses protocol::Address. Bound to the unspecified IPv6 address
// it serves IPv6 and IPv4, otherwise one of them. It receives for at most kTurnUs before other sockets and
// timers get their turn. When the system's send buffer is full, UdpSocket keeps one datagram and sends it
// once the socket is writable; its caller sends no other while is_blocked() returns true. Any other failed
// send is a lost datagram: it is counted in TransportCounters and never an error. ClientTransport,
// ServerTransport and LossyRelay use UdpSocket. The header includes Asio.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

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
  /// Hands what has arrived to the handler now, for at most kTurnUs; how many datagrams.
  std::size_t receive_ready();

  /// A datagram that is sent while is_blocked() is lost.
  void send_to(const protocol::Address& to, std::span<const std::byte> bytes);
  /// To the peer of connect().
  void send(std::span<const std::byte> bytes);
  /// A datagram waits for space in the system's send buffer. Runs of the io_context end that.
  [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }

  /// Time of a turn, so that a flood on UDP starves neither TCP nor the timers nor the caller.
  static constexpr std::uint64_t kTurnUs = 500;

 private:
  void wait();
  void wait_until_writable();
  [[nodiscard]] asio::error_code try_send(const asio::ip::udp::endpoint* to,
                                          std::span<const std::byte> bytes);
  void send_or_keep(const asio::ip::udp::endpoint* to, std::span<const std::byte> bytes);

  asio::ip::udp::socket socket_;
  TransportCounters* counters_;
  Handler handler_;
  bool ipv4_only_ = false;
  bool blocked_ = false;
  std::vector<std::byte> kept_;                     // while blocked
  std::optional<asio::ip::udp::endpoint> kept_to_;  // none = the peer of connect()
  // One byte more than the protocol allows, so that an oversized datagram shows as such instead of being cut
  // to a valid size.
  std::array<std::byte, protocol::kDatagramBytesMax + 1> buffer_;
};

}  // namespace takt::net
