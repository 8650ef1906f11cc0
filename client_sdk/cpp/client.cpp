#include "takt/client/client.h"

#include <utility>

#include "client_sdk/cpp/endpoint_options.h"
#include "client_sdk/cpp/session.h"
#include "net/client_transport.h"
#include "net/clock.h"
#include "net/server_url.h"

namespace takt::client {

struct Client::Implementation {
  explicit Implementation(const SessionOptions& options) : session(options) {}
  Session session;
  std::unique_ptr<net::ClientTransport> transport;  // after what it drives
};

Client::Client(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client, Failure> Client::connect(std::string_view url_text, const Options& options) {
  auto const url = net::parse_url(url_text);
  if (!url) return Failure{ClientError::kBadUrl, url.error().detail};
  auto endpoint = endpoint_options(options, *url);
  if (!endpoint) return endpoint.error();
  auto implementation = std::make_unique<Implementation>(
      SessionOptions{*std::move(endpoint), options.buffer_min_ms, options.buffer_max_ms});
  auto transport = open_transport(*url, implementation->session.endpoint());
  if (!transport) return transport.error();
  implementation->transport = *std::move(transport);
  return Client(std::move(implementation));
}

void Client::poll() {
  implementation_->session.handle_run(net::now_us());
  bool const is_drained = implementation_->transport->poll();
  implementation_->session.update(net::now_us(), is_drained);
}

void Client::wait(std::uint32_t ms) {
  Session& session = implementation_->session;
  // Bytes that arrived while the caller computed are handled before the wait, which tells both apart.
  std::uint64_t const received_before = session.endpoint().stats().bytes_received;
  poll();
  if (session.endpoint().stats().bytes_received != received_before) return;
  bool const is_drained = implementation_->transport->wait_for(std::uint64_t{ms} * 1000);
  std::uint64_t const now = net::now_us();
  session.handle_waited(now);
  session.update(now, is_drained);
}

std::optional<Event> Client::next_event() { return implementation_->session.next_event(); }

bool Client::is_open() const noexcept {
  return implementation_->session.endpoint().state() != protocol::ClientState::kDisconnected;
}
bool Client::is_joined() const noexcept { return implementation_->session.is_joined(); }
std::uint32_t Client::player() const noexcept { return implementation_->session.player(); }

const std::vector<Body>& Client::bodies() { return implementation_->session.bodies(); }
const Geometry* Client::geometry(std::uint64_t digest) const noexcept {
  return implementation_->session.geometry(digest);
}
double Client::render_tick() const noexcept { return implementation_->session.render_tick(); }
double Client::server_tick() const noexcept { return implementation_->session.server_tick(net::now_us()); }

Result<std::uint32_t, ClientError> Client::send(const sim::Command& command) {
  std::uint64_t const now = net::now_us();
  return implementation_->session.send(now, implementation_->session.command_tick(now), command);
}
Result<SpawnTicket, ClientError> Client::spawn(const sim::SpawnCommand& command) {
  auto const sequence = send(command);
  if (!sequence) return sequence.error();
  return SpawnTicket{*sequence};
}
Result<std::uint32_t, ClientError> Client::send_at(std::uint64_t tick, const sim::Command& command) {
  return implementation_->session.send(net::now_us(), tick, command);
}

Result<std::uint32_t, ClientError> Client::query(std::span<const Query> queries, std::uint64_t at_tick) {
  return implementation_->session.query(net::now_us(), queries, at_tick);
}

void Client::inspect(const Inspect& what) { implementation_->session.inspect(net::now_us(), what); }
const std::optional<ContactList>& Client::contacts() const noexcept {
  return implementation_->session.contacts();
}
const std::optional<JointList>& Client::joints() const noexcept { return implementation_->session.joints(); }
const std::vector<Rope>& Client::ropes() { return implementation_->session.ropes(); }

const std::optional<Room>& Client::room() const noexcept { return implementation_->session.room(); }

Result<std::uint32_t, ClientError> Client::pause() {
  return implementation_->session.control(net::now_us(), {0, protocol::ControlAction::kPause, 1, 0, {}});
}
Result<std::uint32_t, ClientError> Client::resume() {
  return implementation_->session.control(net::now_us(), {0, protocol::ControlAction::kResume, 1, 0, {}});
}
Result<std::uint32_t, ClientError> Client::step(std::uint32_t ticks) {
  return implementation_->session.control(net::now_us(), {0, protocol::ControlAction::kStep, 1, ticks, {}});
}
Result<std::uint32_t, ClientError> Client::set_speed(double speed) {
  return implementation_->session.control(
      net::now_us(), {0, protocol::ControlAction::kSetSpeed, static_cast<float>(speed), 0, {}});
}
Result<std::uint32_t, ClientError> Client::load_scene(std::string_view name) {
  return implementation_->session.control(net::now_us(),
                                          {0, protocol::ControlAction::kLoadScene, 1, 0, std::string(name)});
}
Result<std::uint32_t, ClientError> Client::seek(std::uint64_t tick) {
  return implementation_->session.control(net::now_us(), {0, protocol::ControlAction::kSeek, 1, tick, {}});
}

void Client::leave(std::string_view text) { implementation_->session.leave(net::now_us(), text); }

Stats Client::stats() const { return implementation_->session.stats(); }

}  // namespace takt::client
