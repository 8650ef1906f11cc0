#include "net/latency_prober.h"

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "net/asio_address.h"
#include "net/clock.h"
#include "net/counters.h"
#include "net/entropy.h"
#include "net/udp_socket.h"
#include "protocol/wire/latency_probe.h"

namespace takt::net {

class LatencyProber::Implementation {
 public:
  Implementation() : work_(io_.get_executor()), udp_(io_, counters_) {}
  ~Implementation() {  // NOLINT(bugprone-exception-escape): what throws here ends the program
    udp_.close();
    io_.poll();  // the cancelled operations hold references to this object's parts
  }

  Result<Unit, Failure> open(const std::string& host, std::uint16_t port) {
    asio::error_code code;
    auto const addresses = resolve_ipv4_first<asio::ip::udp>(io_, host, code);
    if (code || addresses.empty()) return resolve_failure(code, host);
    for (auto const& address : addresses) {
      address_ = protocol::to_text(to_protocol(address, port));
      code = udp_.connect({address, port});
      if (!code) break;
    }
    if (code) {
      Failure failure = to_failure(code, address_);
      failure.detail += "; check the network";
      return failure;
    }
    udp_.start([this](const protocol::Address&, std::span<const std::byte> bytes) { handle(bytes); });
    return Unit{};
  }

  std::uint64_t send() {
    std::uint64_t const nonce = draw_nonce();
    protocol::write_latency_probe(nonce, datagram_);
    waiting_.push_back({++sent_, nonce, now_us()});
    udp_.send(datagram_);
    return sent_;
  }

  std::optional<LatencyResult> wait_for(std::uint64_t timeout_us) {
    std::uint64_t const until_us = now_us() + timeout_us;
    while (results_.empty()) {
      std::uint64_t const now = now_us();
      if (now >= until_us) return std::nullopt;
      io_.run_one_for(std::chrono::microseconds(until_us - now));
    }
    LatencyResult const result = results_.front();
    results_.pop_front();
    return result;
  }

  std::optional<std::uint64_t> poll_lost(std::uint64_t timeout_us) {
    if (waiting_.empty() || now_us() <= waiting_.front().sent_us + timeout_us) return std::nullopt;
    std::uint64_t const number = waiting_.front().number;
    waiting_.pop_front();
    return number;
  }

  [[nodiscard]] bool is_waiting() const noexcept { return !waiting_.empty() || !results_.empty(); }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] bool is_refused() const noexcept { return counters_.datagram_receive_failed > 0; }

 private:
  struct Waiting {
    std::uint64_t number = 0;
    std::uint64_t nonce = 0;
    std::uint64_t sent_us = 0;
  };

  void handle(std::span<const std::byte> datagram) {
    std::uint64_t const now = now_us();
    auto const reply = protocol::read_latency_reply(datagram);
    if (!reply) return;
    auto const probe = std::ranges::find(waiting_, reply->nonce, &Waiting::nonce);
    if (probe == waiting_.end()) return;
    results_.push_back({probe->number, now - probe->sent_us, reply->protocol_version});
    waiting_.erase(probe);
  }

  TransportCounters counters_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  UdpSocket udp_;
  std::string address_;
  std::vector<std::byte> datagram_;
  std::deque<Waiting> waiting_;  // oldest first
  std::deque<LatencyResult> results_;
  std::uint64_t sent_ = 0;
};

LatencyProber::LatencyProber(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
LatencyProber::~LatencyProber() = default;

Result<std::unique_ptr<LatencyProber>, Failure> LatencyProber::open(const std::string& host,
                                                                    std::uint16_t port) {
  auto implementation = std::make_unique<Implementation>();
  if (auto const opened = implementation->open(host, port); !opened) return opened.error();
  return std::unique_ptr<LatencyProber>(new LatencyProber(std::move(implementation)));
}

std::uint64_t LatencyProber::send() { return implementation_->send(); }
std::optional<LatencyResult> LatencyProber::wait_for(std::uint64_t timeout_us) {
  return implementation_->wait_for(timeout_us);
}
std::optional<std::uint64_t> LatencyProber::poll_lost(std::uint64_t timeout_us) {
  return implementation_->poll_lost(timeout_us);
}
bool LatencyProber::is_waiting() const noexcept { return implementation_->is_waiting(); }
const std::string& LatencyProber::address() const noexcept { return implementation_->address(); }
bool LatencyProber::is_refused() const noexcept { return implementation_->is_refused(); }

}  // namespace takt::net
