#include "net/lossy_relay.h"

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>
#include <list>
#include <map>
#include <utility>

#include "net/asio_address.h"
#include "net/clock.h"
#include "net/delayed_pipe.h"
#include "net/udp_socket.h"

namespace takt::net {
namespace {

constexpr int kRelayPortTries = 32;
constexpr int kRelayHandlersPerTurn = 1024;
constexpr int kUdpBufferBytes = 4 * 1024 * 1024;

}  // namespace

class LossyRelay::Implementation {
 public:
  explicit Implementation(const LossyRelayOptions& options)
      : options_(options), work_(io_.get_executor()), acceptor_(io_), udp_(io_, socket_counters_) {}

  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    udp_.close();
    for (auto& [address, client] : clients_) client->upstream->close();
    for (auto& pipe : pipes_) pipe->close();
    asio::error_code ignored;
    acceptor_.close(ignored);
    io_.poll();
  }

  Result<Unit, Failure> open() {
    asio::error_code code;
    target_ = asio::ip::make_address(options_.target_address, code);
    if (code)
      return Failure{Error::kBadAddress,
                     "target address '" + options_.target_address + "': must be an IP address"};
    auto const at = asio::ip::make_address(options_.bind_address, code);
    if (code)
      return Failure{Error::kBadAddress,
                     "bind address '" + options_.bind_address + "': must be an IP address"};
    for (int i = 0; i < (options_.port == 0 ? kRelayPortTries : 1); ++i) {
      code = bind_both(at);
      if (code != asio::error::address_in_use) break;
    }
    if (code) return to_failure(code, options_.bind_address + " port " + std::to_string(options_.port));
    udp_.start([this](const protocol::Address& from, std::span<const std::byte> bytes) {
      handle_from_client(from, bytes);
    });
    accept();
    return Unit{};
  }

  std::uint16_t port() const noexcept { return port_; }

  LossyRelayCounters counters() const noexcept {
    LossyRelayCounters counters = counters_;
    for (auto const& [address, client] : clients_) add_totals(counters, *client);
    return counters;
  }

  void run_for(std::uint64_t timeout_us) {
    deliver();
    std::uint64_t const now = now_us();
    std::uint64_t due_us = now + timeout_us;
    for (auto const& [address, client] : clients_)
      due_us = std::min({due_us, client->up.next_arrival_us(), client->down.next_arrival_us()});
    if (due_us > now) io_.run_one_for(std::chrono::microseconds(due_us - now));
    for (int i = 0; i < kRelayHandlersPerTurn && io_.poll_one() > 0; ++i) {
    }
    deliver();
    pipes_.remove_if([](const auto& pipe) { return pipe->is_over(); });
  }

 private:
  struct Client {
    Client(asio::io_context& io, TransportCounters& counters, const protocol::Impairment& impairment,
           std::uint64_t seed)
        : upstream(std::make_unique<UdpSocket>(io, counters)),
          up(impairment, 2 * seed),
          down(impairment, 2 * seed + 1) {}
    std::unique_ptr<UdpSocket> upstream;
    protocol::PacketSimulator up;
    protocol::PacketSimulator down;
    std::uint64_t last_us = 0;
    std::uint64_t bound_us = 0;  // when upstream got its port
  };

  static void add_totals(LossyRelayCounters& counters, const Client& client) {
    counters.datagrams_in += client.up.packets_in() + client.down.packets_in();
    counters.datagrams_dropped += client.up.packets_dropped() + client.down.packets_dropped();
  }

  asio::error_code bind_both(const asio::ip::address& address) {
    asio::error_code code;
    asio::error_code ignored;
    asio::ip::tcp::endpoint const at(address, options_.port);
    acceptor_.open(at.protocol(), code);
    if (code) return code;
    acceptor_.set_option(asio::socket_base::reuse_address(true), ignored);
    acceptor_.bind(at, code);
    if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
    if (!code) port_ = acceptor_.local_endpoint(code).port();
    if (!code) code = udp_.bind({address, port_}, kUdpBufferBytes);
    if (code) acceptor_.close(ignored);
    return code;
  }

  // ------------------------------------------------------------ UDP

  void handle_from_client(const protocol::Address& from, std::span<const std::byte> bytes) {
    Client* client = find_or_add(from);
    if (client == nullptr) return;
    client->last_us = now_us();
    client->up.handle_packet(client->last_us, 0, bytes);
  }

  Client* find_or_add(const protocol::Address& from) {
    if (auto const at = clients_.find(from); at != clients_.end()) return at->second.get();
    if (clients_.size() >= options_.clients_max) {
      auto const oldest = std::min_element(
          clients_.begin(), clients_.end(),
          [](const auto& a, const auto& b) { return a.second->last_us < b.second->last_us; });
      add_totals(counters_, *oldest->second);
      clients_.erase(oldest);  // its socket closes; a cancelled wait touches nothing
    }
    auto client =
        std::make_unique<Client>(io_, socket_counters_, options_.impairment, options_.seed + ++clients_seen_);
    if (!connect_upstream(*client)) return nullptr;
    return clients_.emplace(from, std::move(client)).first->second.get();
  }

  bool connect_upstream(Client& client) {
    if (client.upstream->connect({target_, options_.target_port})) return false;
    client.bound_us = now_us();
    client.upstream->start([&client](const protocol::Address&, std::span<const std::byte> bytes) {
      client.down.handle_packet(now_us(), 0, bytes);
    });
    return true;
  }

  // A client whose new socket cannot be opened keeps the closed one: its datagrams are lost until the next.
  void rebind_if_due(Client& client) {
    if (options_.rebind_us == 0 || now_us() < client.bound_us + options_.rebind_us) return;
    client.upstream = std::make_unique<UdpSocket>(io_, socket_counters_);
    client.bound_us = now_us();
    if (connect_upstream(client)) ++counters_.rebinds;
  }

  void deliver() {
    protocol::PacketSimulator::Packet packet;
    std::uint64_t const now = now_us();
    for (auto& [address, client] : clients_) {
      rebind_if_due(*client);
      while (client->up.poll_packet(now, packet)) {
        client->upstream->send(packet.bytes);
        ++counters_.datagrams_out;
      }
      while (client->down.poll_packet(now, packet)) {
        udp_.send_to(address, packet.bytes);
        ++counters_.datagrams_out;
      }
    }
  }

  // ------------------------------------------------------------ TCP

  void accept() {
    acceptor_.async_accept([this](const asio::error_code& code, asio::ip::tcp::socket near) {
      if (code == asio::error::operation_aborted) return;
      if (!code) connect_far(std::move(near));
      accept();
    });
  }

  void connect_far(asio::ip::tcp::socket near) {
    asio::error_code code;
    asio::ip::tcp::socket far(io_);
    asio::ip::tcp::endpoint const to(target_, options_.target_port);
    far.connect(to, code);  // loopback or near it: answered at once
    if (code) return;       // the near socket closes: refused
    ++counters_.streams;
    pipes_.push_back(std::make_shared<DelayedPipe>(std::move(near), std::move(far),
                                                   options_.impairment.delay_us, counters_.stream_bytes));
    pipes_.back()->start();
  }

  LossyRelayOptions options_;
  LossyRelayCounters counters_;
  TransportCounters socket_counters_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::ip::tcp::acceptor acceptor_;
  UdpSocket udp_;
  asio::ip::address target_;
  std::map<protocol::Address, std::unique_ptr<Client>> clients_;
  std::list<std::shared_ptr<DelayedPipe>> pipes_;
  std::uint64_t clients_seen_ = 0;
  std::uint16_t port_ = 0;
};

LossyRelay::LossyRelay(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
LossyRelay::~LossyRelay() = default;

Result<std::unique_ptr<LossyRelay>, Failure> LossyRelay::open(const LossyRelayOptions& options) {
  auto implementation = std::make_unique<Implementation>(options);
  if (auto opened = implementation->open(); !opened) return opened.error();
  return std::unique_ptr<LossyRelay>(new LossyRelay(std::move(implementation)));
}

std::uint16_t LossyRelay::port() const noexcept { return implementation_->port(); }
void LossyRelay::run_for(std::uint64_t timeout_us) { implementation_->run_for(timeout_us); }
LossyRelayCounters LossyRelay::counters() const noexcept { return implementation_->counters(); }

}  // namespace takt::net
