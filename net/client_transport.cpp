#include "net/client_transport.h"

#include <algorithm>
#include <asio/connect.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "net/asio_address.h"
#include "net/clock.h"
#include "net/tcp_stream.h"
#include "net/udp_socket.h"

namespace takt::net {
namespace {

/// A leaving client's stream takes its goodbye within this time or is cut.
constexpr std::uint64_t kLingerUs = 1'000'000;
constexpr int kHandlersPerTurn = 256;

/// A session over UDP in which nothing arrives for this time goes on from another socket. The address of the
/// old one may be gone: a phone has changed its network, or a NAT has forgotten the port. The server sends
/// every 500 ms at least, and moves the session by a path probe. The time doubles until something arrives: a
/// server that paused must not meet ports by the dozen, and a long path has time for the answer.
constexpr std::uint64_t kReopenUs = 1'500'000;

}  // namespace

class ClientTransport::Implementation {
 public:
  Implementation(protocol::TransportKind kind, protocol::ClientEndpoint& endpoint)
      : kind_(kind),
        endpoint_(&endpoint),
        work_(io_.get_executor()),
        connecting_(io_),
        udp_(std::make_unique<UdpSocket>(io_, counters_)) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    if (stream_) stream_->abort();
    udp_->close();
    for (auto const& old : old_) old->close();
    asio::error_code ignored;
    connecting_.close(ignored);
    io_.poll();  // the cancelled operations hold references to this object's parts
  }

  Result<Unit, Failure> open(const std::string& host, std::uint16_t port) {
    asio::error_code code;
    std::string const about = host + ":" + std::to_string(port);
    bool const over_stream = kind_ == protocol::TransportKind::kStream;
    auto const addresses = over_stream ? resolve_ipv4_first<asio::ip::tcp>(io_, host, code)
                                       : resolve_ipv4_first<asio::ip::udp>(io_, host, code);
    if (code || addresses.empty()) return resolve_failure(code, host);
    if (over_stream) {
      open_stream(addresses, port);
    } else {
      for (auto const& address : addresses) {
        server_ = {address, port};
        code = udp_->connect(server_);
        if (!code) break;
      }
      if (code) return to_failure(code, about);
      start_udp();
    }
    endpoint_->connect(now_us());
    return Unit{};
  }

  bool poll() {
    bool const is_drained = run_ready();
    if (is_drained) {
      drop_closed();
      reopen_if_silent();
    }
    transmit();
    return is_drained;
  }

  bool wait_for(std::uint64_t timeout_us) {
    transmit();
    std::uint64_t const now = now_us();
    // Datagrams that the endpoint has wait for the socket, which ends the wait itself.
    std::uint64_t const wait_us =
        udp_->is_blocked() ? timeout_us : std::min(timeout_us, endpoint_->next_wakeup_us(now) - now);
    if (wait_us > 0) io_.run_one_for(std::chrono::microseconds(wait_us));
    return poll();
  }

  const TransportCounters& counters() const noexcept { return counters_; }

 private:
  // Bounded, so that a flood cannot hold the caller's frame. Returns true if nothing is left.
  bool run_ready() {
    for (int i = 0; i < kHandlersPerTurn; ++i)
      if (io_.poll_one() == 0) return true;
    return false;
  }

  void start_udp() {
    udp_->start([this, socket = udp_.get()](const protocol::Address&, std::span<const std::byte> bytes) {
      std::uint64_t const now = now_us();
      endpoint_->handle_datagram(now, bytes);
      bool const has_opened = endpoint_->last_arrival_us() == now;
      if (has_opened && socket == udp_.get()) is_newest_heard_ = true;
    });
  }

  // A datagram that does not open is no sign of the server: anybody can send those. Without a network there
  // is no other socket, and the old one stays until the next try.
  void reopen_if_silent() {
    bool const is_in_session = kind_ == protocol::TransportKind::kDatagram &&
                               endpoint_->state() == protocol::ClientState::kConnected;
    if (!is_in_session) return;
    std::uint64_t const now = now_us();
    if (endpoint_->last_arrival_us() >= reopened_us_) {
      reopened_us_ = endpoint_->last_arrival_us();
      silence_us_ = kReopenUs;
    }
    if (now < reopened_us_ + silence_us_) return;
    reopened_us_ = now;
    silence_us_ *= 2;
    auto fresh = std::make_unique<UdpSocket>(io_, counters_);
    if (fresh->connect(server_)) return;
    // The old one still reads: a server that only paused answers there.
    old_.push_back(std::move(udp_));
    udp_ = std::move(fresh);
    is_newest_heard_ = false;
    start_udp();
    endpoint_->handle_path_change(now);
  }

  // A socket goes after its last handler has run.
  void drop_closed() {
    if (old_.empty() || !is_newest_heard_) return;
    for (auto const& old : old_) old->close();
    if (run_ready()) old_.clear();
  }

  void open_stream(const std::vector<asio::ip::address>& addresses, std::uint16_t port) {
    std::vector<asio::ip::tcp::endpoint> endpoints;
    endpoints.reserve(addresses.size());
    for (auto const& address : addresses) endpoints.emplace_back(address, port);
    asio::async_connect(
        connecting_, endpoints, [this](const asio::error_code& code, const asio::ip::tcp::endpoint&) {
          if (code == asio::error::operation_aborted) return;
          if (code) {
            endpoint_->handle_stream_closed(now_us(), message(to_failure(code, "connect")));
            return;
          }
          stream_ = std::make_shared<TcpStream>(std::move(connecting_), counters_);
          TcpStream::Handlers handlers;
          handlers.on_bytes = [this](std::span<const std::byte> bytes) {
            endpoint_->handle_stream_bytes(now_us(), bytes);
          };
          handlers.on_pull = [this](std::size_t bytes_max, std::vector<std::byte>& out) {
            (void)endpoint_->poll_stream(now_us(), bytes_max, out);
          };
          handlers.on_closed = [this](const asio::error_code& closed) {
            endpoint_->handle_stream_closed(now_us(), closed == asio::error::eof
                                                          ? std::string("the server closed the stream")
                                                          : message(to_failure(closed, "stream")));
          };
          stream_->start(std::move(handlers), 0);
          stream_->write_ready();
        });
  }

  void transmit() {
    if (kind_ == protocol::TransportKind::kDatagram) {
      while (!udp_->is_blocked() && endpoint_->poll_datagram(now_us(), datagram_)) udp_->send(datagram_);
      return;
    }
    if (stream_ != nullptr) {
      stream_->write_ready();
      if (endpoint_->wants_close()) stream_->close_gently(kLingerUs);
      return;
    }
    // Not open yet: the endpoint's time must pass all the same, or a connect that hangs would never time out.
    std::vector<std::byte> nothing;
    (void)endpoint_->poll_stream(now_us(), 0, nothing);
  }

  protocol::TransportKind kind_;
  protocol::ClientEndpoint* endpoint_;
  TransportCounters counters_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::ip::tcp::socket connecting_;
  std::unique_ptr<UdpSocket> udp_;
  asio::ip::udp::endpoint server_;
  std::vector<std::unique_ptr<UdpSocket>> old_;  // that still read, until something has come to udp_
  bool is_newest_heard_ = false;                 // udp_ has received something that opened
  std::uint64_t reopened_us_ = 0;                // or when something arrived, whichever is later
  std::uint64_t silence_us_ = kReopenUs;         // after that until the next socket
  std::shared_ptr<TcpStream> stream_;
  std::vector<std::byte> datagram_;
};

ClientTransport::ClientTransport(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ClientTransport::~ClientTransport() = default;

Result<std::unique_ptr<ClientTransport>, Failure> ClientTransport::open(const std::string& host,
                                                                        std::uint16_t port,
                                                                        protocol::TransportKind kind,
                                                                        protocol::ClientEndpoint& endpoint) {
  auto implementation = std::make_unique<Implementation>(kind, endpoint);
  if (auto opened = implementation->open(host, port); !opened) return opened.error();
  return std::unique_ptr<ClientTransport>(new ClientTransport(std::move(implementation)));
}

bool ClientTransport::poll() { return implementation_->poll(); }
bool ClientTransport::wait_for(std::uint64_t timeout_us) { return implementation_->wait_for(timeout_us); }
const TransportCounters& ClientTransport::counters() const noexcept { return implementation_->counters(); }

}  // namespace takt::net
