// UdpSocket is a non-blocking UDP socket that uses protocol::Address. Bound to the unspecified IPv6 address
// it serves IPv6 and IPv4, otherwise one of them. UdpSocket receives for at most kTurnUs before other sockets
// and timers get their turn. When the system's send buffer is full, UdpSocket keeps one datagram and sends it
// once the socket is writable. The caller sends no other while is_blocked() returns true. Any other failed
// send is a lost datagram, which TransportCounters counts and no call reports. ClientTransport,
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

  /// Both must outlive the socket, whose calls are on the thread that runs `io`.
  UdpSocket(asio::io_context& io, TransportCounters& counters) : socket_(io), counters_(&counters) {}

  /// Opens and binds; `buffer_bytes` is requested for each of both buffers. After an error the socket is
  /// closed.
  [[nodiscard]] asio::error_code bind(const asio::ip::udp::endpoint& at, int buffer_bytes);
  /// Opens towards one peer, whose datagrams alone arrive; send() goes to it. After an error the socket is
  /// closed.
  [[nodiscard]] asio::error_code connect(const asio::ip::udp::endpoint& to);
  /// Port of this end, host order; 0 while the socket is closed.
  [[nodiscard]] std::uint16_t local_port() const;
  /// Closes the socket; the handler gets no further datagrams.
  void close();

  /// Calls `handler` for every datagram from now on, from within the io_context. One of more than
  /// kDatagramBytesMax bytes is cut to kDatagramBytesMax + 1, so that the protocol refuses it.
  void start(Handler handler);
  /// Calls the handler for datagrams that have arrived, for at most kTurnUs; returns their number.
  std::size_t receive_ready();

  /// Sends a datagram of a bound socket. A datagram that is sent while is_blocked() is lost.
  void send_to(const protocol::Address& to, std::span<const std::byte> bytes);
  /// Likewise to the peer of connect().
  void send(std::span<const std::byte> bytes);
  /// True while a datagram waits for space in the system's send buffer; a handler of the io_context sends it.
  [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }

  /// Greatest time of a turn, so that a flood on UDP starves neither TCP nor timers nor the caller.
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
