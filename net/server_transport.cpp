#include "net/server_transport.h"

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "net/asio_address.h"
#include "net/clock.h"
#include "net/proxy_header.h"
#include "net/tcp_stream.h"
#include "net/udp_socket.h"

namespace takt::net {
namespace {

/// Tries with port 0: the system's TCP port may be taken for UDP.
constexpr int kPortTries = 32;
/// Time of a turn: what has arrived is handled for this long, and then it is the turn of sending. A
/// simulation at 60 Hz has eight of them in a tick.
constexpr std::uint64_t kTurnUs = 2'000;
/// After a failed accept (out of file descriptors), so that the loop does not spin.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

class ServerTransport::Implementation {
 public:
  Implementation(const ServerTransportOptions& options, protocol::ServerEndpoint& endpoint)
      : options_(options),
        endpoint_(&endpoint),
        work_(io_.get_executor()),
        acceptor_(io_),
        accept_pause_(io_),
        udp_(io_, counters_) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    for (auto& [id, stream] : streams_) stream->abort();
    udp_.close();
    asio::error_code ignored;
    acceptor_.close(ignored);
    io_.poll();  // the cancelled operations still hold references to this object's parts
  }

  Result<Unit, Failure> open() {
    asio::ip::address address = asio::ip::address_v6::any();
    bool const any = options_.bind_address.empty();
    if (!any) {
      asio::error_code code;
      address = asio::ip::make_address(options_.bind_address, code);
      if (code)
        return Failure{Error::kBadAddress, "bind address '" + options_.bind_address +
                                               "': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::"};
    }
    auto code = bind_both(address);
    if (code && any && code != asio::error::address_in_use) {
      address = asio::ip::address_v4::any();  // a system without IPv6
      code = bind_both(address);
    }
    if (code) {
      if (options_.port == 0 && code == asio::error::address_in_use)
        return Failure{Error::kNoFreePort, std::string(message(Error::kNoFreePort))};
      return to_failure(code,
                        (any ? "port " : options_.bind_address + " port ") + std::to_string(options_.port));
    }
    udp_.start([this](const protocol::Address& from, std::span<const std::byte> bytes) {
      endpoint_->handle_datagram(now_us(), from, bytes);
    });
    accept();
    return Unit{};
  }

  std::uint16_t port() const noexcept { return port_; }
  const TransportCounters& counters() const noexcept { return counters_; }

  void run_for(std::uint64_t timeout_us) {
    flush();
    std::uint64_t const now = now_us();
    std::uint64_t const wakeup_us = endpoint_->next_wakeup_us(now);
    // Datagrams that the endpoint has wait for the socket, which ends the wait itself.
    std::uint64_t const wait_us = udp_.is_blocked() ? timeout_us : std::min(timeout_us, wakeup_us - now);
    if (wait_us > 0) io_.run_one_for(std::chrono::microseconds(wait_us));
    // Bounded, so that a flood cannot keep us from sending.
    std::uint64_t const until_us = now_us() + kTurnUs;
    while (now_us() < until_us && io_.poll_one() > 0) {
    }
    flush();
  }

  void flush() {
    while (!udp_.is_blocked() && endpoint_->poll_datagram(now_us(), datagram_))
      udp_.send_to(datagram_.to, datagram_.bytes);
    for (auto id = endpoint_->poll_writable_stream(); !id.is_null(); id = endpoint_->poll_writable_stream())
      if (auto const at = streams_.find(id); at != streams_.end()) at->second->write_ready();
    for (auto id = endpoint_->poll_closing_stream(); !id.is_null(); id = endpoint_->poll_closing_stream())
      if (auto const at = streams_.find(id); at != streams_.end())
        at->second->close_gently(options_.linger_us);
  }

  void wake() {
    asio::post(io_, [] {});
  }

 private:
  asio::error_code bind_both(const asio::ip::address& address) {
    asio::error_code code;
    for (int i = 0; i < (options_.port == 0 ? kPortTries : 1); ++i) {
      code = bind_tcp(address);
      if (code) return code;
      port_ = acceptor_.local_endpoint(code).port();
      if (!code) code = udp_.bind({address, port_}, options_.udp_buffer_bytes);
      if (!code) return code;
      asio::error_code ignored;
      acceptor_.close(ignored);
      if (code != asio::error::address_in_use) return code;
    }
    return code;
  }

  asio::error_code bind_tcp(const asio::ip::address& address) {
    asio::ip::tcp::endpoint const at(address, options_.port);
    asio::error_code code;
    acceptor_.open(at.protocol(), code);
    if (code) return code;
    asio::error_code ignored;
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
    acceptor_.async_accept([this](const asio::error_code& code, asio::ip::tcp::socket socket) {
      if (code == asio::error::operation_aborted) return;
      if (code) {
        ++counters_.accept_failed;
        accept_pause_.expires_after(kAcceptPause);
        accept_pause_.async_wait([this](const asio::error_code& waited) {
          if (!waited) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(asio::ip::tcp::socket socket) {
    asio::error_code code;
    auto const remote = socket.remote_endpoint(code);
    if (code) {
      ++counters_.streams_failed;  // gone already
      return;
    }
    protocol::Address const from = to_protocol(remote.address(), remote.port());
    bool const is_proxied = protocol::contains(options_.proxies, from);
    auto const arrival = std::make_shared<Arrival>();
    arrival->from = from;
    auto stream = std::make_shared<TcpStream>(std::move(socket), counters_);
    if (!is_proxied && !open_stream(stream, *arrival, from, {})) return;  // the socket closes
    TcpStream::Handlers handlers;
    handlers.on_bytes = [this, arrival, weak = std::weak_ptr(stream)](std::span<const std::byte> bytes) {
      auto const itself = weak.lock();
      if (!arrival->id.is_null()) {
        endpoint_->handle_stream_bytes(now_us(), arrival->id, bytes);
      } else if (itself != nullptr) {
        read_head(itself, *arrival, bytes);
      }
    };
    handlers.on_pull = [this, arrival](std::size_t bytes_max, std::vector<std::byte>& out) {
      (void)endpoint_->poll_stream(now_us(), arrival->id, bytes_max, out);
    };
    handlers.on_closed = [this, arrival](const asio::error_code&) {
      endpoint_->handle_stream_closed(now_us(), arrival->id);
      streams_.erase(arrival->id);
    };
    stream->start(std::move(handlers), options_.tcp_send_buffer_bytes);
    if (is_proxied) expect_head(stream, arrival);
  }

  // A connection, until it is a stream of the endpoint.
  struct Arrival {
    protocol::Address from;
    protocol::StreamId id;
    std::vector<std::byte> head;                 // of a connection through a proxy
    std::optional<asio::steady_timer> patience;  // for the rest of the head
  };

  // Closes a connection of a proxy whose header has not come in time. The endpoint does so with its streams.
  void expect_head(const std::shared_ptr<TcpStream>& stream, const std::shared_ptr<Arrival>& arrival) {
    arrival->patience.emplace(io_, std::chrono::microseconds(options_.proxy_header_timeout_us));
    // A timer that expired while the header was read comes without an error code too.
    arrival->patience->async_wait(
        [weak = std::weak_ptr(stream), waiting = std::weak_ptr(arrival)](const asio::error_code& code) {
          auto const silent = weak.lock();
          auto const still = waiting.lock();
          if (!code && silent != nullptr && still != nullptr && still->id.is_null()) silent->close_gently(0);
        });
  }

  bool open_stream(const std::shared_ptr<TcpStream>& stream, Arrival& arrival,
                   const protocol::Address& client, const protocol::StreamOrigin& origin) {
    arrival.id = endpoint_->handle_stream_open(now_us(), client, origin);
    if (arrival.id.is_null()) {
      ++counters_.streams_refused;
      return false;
    }
    ++counters_.streams_accepted;
    streams_.emplace(arrival.id, stream);
    return true;
  }

  void read_head(const std::shared_ptr<TcpStream>& stream, Arrival& arrival,
                 std::span<const std::byte> bytes) {
    if (stream->is_closing()) return;
    arrival.head.insert(arrival.head.end(), bytes.begin(), bytes.end());
    ProxyHeader const header = read_proxy_header(arrival.head);
    if (header.state == ProxyHeader::State::kIncomplete) return;
    bool const is_good = header.state != ProxyHeader::State::kBad;
    // The address counts for limits alone: whoever comes through a proxy is not trusted as local.
    protocol::StreamOrigin const origin{protocol::TransportKind::kStream, false};
    if (!is_good || !open_stream(stream, arrival, header.client.value_or(arrival.from), origin)) {
      stream->close_gently(0);
      return;
    }
    arrival.patience.reset();
    auto const rest = std::span<const std::byte>(arrival.head).subspan(header.bytes);
    if (!rest.empty()) endpoint_->handle_stream_bytes(now_us(), arrival.id, rest);
    arrival.head = {};
  }

  ServerTransportOptions options_;
  protocol::ServerEndpoint* endpoint_;
  TransportCounters counters_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  UdpSocket udp_;
  std::map<protocol::StreamId, std::shared_ptr<TcpStream>> streams_;
  protocol::OutgoingDatagram datagram_;
  std::uint16_t port_ = 0;
};

ServerTransport::ServerTransport(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ServerTransport::~ServerTransport() = default;

Result<std::unique_ptr<ServerTransport>, Failure> ServerTransport::open(const ServerTransportOptions& options,
                                                                        protocol::ServerEndpoint& endpoint) {
  auto implementation = std::make_unique<Implementation>(options, endpoint);
  if (auto opened = implementation->open(); !opened) return opened.error();
  return std::unique_ptr<ServerTransport>(new ServerTransport(std::move(implementation)));
}

std::uint16_t ServerTransport::port() const noexcept { return implementation_->port(); }
void ServerTransport::run_for(std::uint64_t timeout_us) { implementation_->run_for(timeout_us); }
void ServerTransport::flush() { implementation_->flush(); }
void ServerTransport::wake() { implementation_->wake(); }
const TransportCounters& ServerTransport::counters() const noexcept { return implementation_->counters(); }

}  // namespace takt::net
