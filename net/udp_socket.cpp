#include "net/udp_socket.h"

#include <asio/buffer.hpp>
#include <asio/ip/v6_only.hpp>
#include <utility>

#include "net/asio_address.h"
#include "net/clock.h"

namespace takt::net {

asio::error_code UdpSocket::bind(const asio::ip::udp::endpoint& at, int buffer_bytes) {
  asio::error_code code;
  socket_.open(at.protocol(), code);
  if (code) return code;
  ipv4_only_ = at.address().is_v4();
  asio::error_code ignored;  // the options below are wishes
  if (at.address().is_v6()) socket_.set_option(asio::ip::v6_only(!at.address().is_unspecified()), ignored);
  socket_.set_option(asio::socket_base::receive_buffer_size(buffer_bytes), ignored);
  socket_.set_option(asio::socket_base::send_buffer_size(buffer_bytes), ignored);
  socket_.bind(at, code);
  if (!code) socket_.non_blocking(true, code);
  if (code) close();
  return code;
}

asio::error_code UdpSocket::connect(const asio::ip::udp::endpoint& to) {
  asio::error_code code;
  socket_.open(to.protocol(), code);
  if (code) return code;
  asio::error_code ignored;
  socket_.set_option(asio::socket_base::receive_buffer_size(1024 * 1024), ignored);
  socket_.connect(to, code);
  if (!code) socket_.non_blocking(true, code);
  if (code) close();
  return code;
}

std::uint16_t UdpSocket::local_port() const {
  asio::error_code code;
  return socket_.local_endpoint(code).port();
}

void UdpSocket::close() {
  asio::error_code ignored;
  socket_.close(ignored);
}

void UdpSocket::start(Handler handler) {
  handler_ = std::move(handler);
  wait();
}

void UdpSocket::wait() {
  socket_.async_wait(asio::ip::udp::socket::wait_read, [this](const asio::error_code& code) {
    if (code) return;  // closed
    receive_ready();
    wait();
  });
}

std::size_t UdpSocket::receive_ready() {
  std::size_t count = 0;
  std::uint64_t const until_us = now_us() + kTurnUs;
  for (; socket_.is_open() && now_us() < until_us; ++count) {
    asio::ip::udp::endpoint from;
    asio::error_code code;
    std::size_t const bytes = socket_.receive_from(asio::buffer(buffer_), from, 0, code);
    if (code == asio::error::would_block || code == asio::error::try_again) break;
    if (code) {
      // On a connected socket: the peer's machine said that nobody listens there. The session's own time-out
      // judges that.
      ++counters_->datagram_receive_failed;
      continue;
    }
    handler_(to_protocol(from.address(), from.port()), std::span<const std::byte>(buffer_).first(bytes));
  }
  return count;
}

asio::error_code UdpSocket::try_send(const asio::ip::udp::endpoint* to, std::span<const std::byte> bytes) {
  asio::error_code code;
  if (to != nullptr) {
    socket_.send_to(asio::buffer(bytes.data(), bytes.size()), *to, 0, code);
  } else {
    socket_.send(asio::buffer(bytes.data(), bytes.size()), 0, code);
  }
  return code;
}

void UdpSocket::send_or_keep(const asio::ip::udp::endpoint* to, std::span<const std::byte> bytes) {
  if (blocked_) {
    ++counters_->datagram_send_failed;
    return;
  }
  auto const code = try_send(to, bytes);
  if (code == asio::error::would_block || code == asio::error::try_again) {
    ++counters_->datagram_send_blocked;
    blocked_ = true;
    kept_.assign(bytes.begin(), bytes.end());
    kept_to_.reset();
    if (to != nullptr) kept_to_ = *to;
    wait_until_writable();
  } else if (code) {
    ++counters_->datagram_send_failed;
  }
}

void UdpSocket::wait_until_writable() {
  socket_.async_wait(asio::ip::udp::socket::wait_write, [this](const asio::error_code& waited) {
    if (waited) return;  // closed
    auto const code = try_send(kept_to_ ? &*kept_to_ : nullptr, kept_);
    if (code == asio::error::would_block || code == asio::error::try_again) return wait_until_writable();
    blocked_ = false;
    if (code) ++counters_->datagram_send_failed;
  });
}

void UdpSocket::send_to(const protocol::Address& to, std::span<const std::byte> bytes) {
  auto const endpoint = to_udp(to, ipv4_only_);
  send_or_keep(&endpoint, bytes);
}

void UdpSocket::send(std::span<const std::byte> bytes) { send_or_keep(nullptr, bytes); }

}  // namespace takt::net
