// A server endpoint with real sockets on an ephemeral port of loopback, and clients, all on the test's
// thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/client_transport.h"
#include "net/clock.h"
#include "net/entropy.h"
#include "net/lossy_relay.h"
#include "net/server_transport.h"
#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"

namespace takt::net::test {

struct LoopbackClient {
  explicit LoopbackClient(const protocol::ClientOptions& options) : endpoint(options) {}

  template <class Event>
  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (auto const& event : events) count += std::holds_alternative<Event>(event) ? 1 : 0;
    return count;
  }
  template <class Event>
  [[nodiscard]] const Event* find() const {
    for (auto const& event : events)
      if (auto const* one = std::get_if<Event>(&event)) return one;
    return nullptr;
  }

  protocol::ClientEndpoint endpoint;
  std::unique_ptr<ClientTransport> transport;
  std::vector<protocol::ClientEvent> events;
};

class Loopback {
 public:
  explicit Loopback(const protocol::ServerOptions& options = {},
                    const ServerTransportOptions& transport = local())
      : endpoint_(options, draw_secret_key(), {draw_seed(), draw_seed()}) {
    auto opened = ServerTransport::open(transport, endpoint_);
    if (opened) {
      transport_ = *std::move(opened);
    } else {
      failure = opened.error().detail;
    }
  }

  [[nodiscard]] static ServerTransportOptions local() {
    ServerTransportOptions options;
    options.bind_address = "127.0.0.1";
    options.port = 0;
    return options;
  }

  /// Puts a lossy relay between the server and clients that are added later.
  [[nodiscard]] bool use_relay(const protocol::Impairment& impairment) {
    LossyRelayOptions options;
    options.target_port = port();
    options.impairment = impairment;
    auto opened = LossyRelay::open(options);
    if (!opened) return false;
    relay = *std::move(opened);
    return true;
  }

  LoopbackClient& add_client(protocol::TransportKind kind, const std::string& host = "127.0.0.1") {
    protocol::ClientOptions options;
    options.transport = kind;
    options.nonce = draw_nonce();
    options.key_seed = std::make_shared<const crypto::SecretKey>(draw_seed());
    clients.push_back(std::make_unique<LoopbackClient>(options));
    LoopbackClient& client = *clients.back();
    auto opened = ClientTransport::open(host, relay ? relay->port() : port(), kind, client.endpoint);
    if (opened) client.transport = *std::move(opened);
    return client;
  }

  /// Runs everything until `done` or for `seconds` of real time; true when done.
  bool run_until(double seconds, const std::function<bool()>& done) {
    std::uint64_t const until_us = now_us() + static_cast<std::uint64_t>(seconds * 1e6);
    while (now_us() < until_us) {
      if (done()) return true;
      step();
    }
    return done();
  }

  void step() {
    if (on_step) on_step();
    transport_->run_for(500);
    if (relay) relay->run_for(0);
    protocol::ServerEvent event;
    while (endpoint_.poll_event(event)) server_events.push_back(event);
    for (auto& client : clients) {
      if (client->transport) client->transport->poll();
      protocol::ClientEvent one;
      while (client->endpoint.poll_event(one)) client->events.push_back(std::move(one));
    }
  }

  template <class Event>
  [[nodiscard]] std::vector<Event> server_seen() const {
    std::vector<Event> seen;
    for (auto const& event : server_events)
      if (auto const* one = std::get_if<Event>(&event)) seen.push_back(*one);
    return seen;
  }

  [[nodiscard]] protocol::ServerEndpoint& endpoint() noexcept { return endpoint_; }
  [[nodiscard]] ServerTransport& transport() noexcept { return *transport_; }
  [[nodiscard]] bool is_open() const noexcept { return transport_ != nullptr; }
  [[nodiscard]] std::uint16_t port() const noexcept { return transport_->port(); }

  std::string failure;
  std::function<void()> on_step;
  std::unique_ptr<LossyRelay> relay;
  std::vector<std::unique_ptr<LoopbackClient>> clients;
  std::vector<protocol::ServerEvent> server_events;

 private:
  protocol::ServerEndpoint endpoint_;
  std::unique_ptr<ServerTransport> transport_;
};

}  // namespace takt::net::test
