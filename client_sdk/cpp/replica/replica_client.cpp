#include "takt/replica/replica_client.h"

#include <algorithm>
#include <utility>

#include "client_sdk/cpp/endpoint_options.h"
#include "client_sdk/cpp/event_conversion.h"
#include "client_sdk/cpp/replica/event_queue.h"
#include "client_sdk/cpp/replica/replica_session.h"
#include "net/client_transport.h"
#include "net/clock.h"
#include "net/server_url.h"
#include "takt/core/overload.h"

namespace takt::client {
namespace {

constexpr std::uint32_t kAheadTicksMax = 1024;
constexpr double kAreaRadiusMaxM = 1e6;

static_assert(static_cast<int>(ReplicaMode::kSnapshot) ==
              static_cast<int>(protocol::ReplicationMode::kSnapshot));
static_assert(static_cast<int>(ReplicaMode::kRollback) ==
              static_cast<int>(protocol::ReplicationMode::kRollback));
static_assert(static_cast<int>(ReplicaMode::kLockstep) ==
              static_cast<int>(protocol::ReplicationMode::kLockstep));
static_assert(static_cast<int>(ReplicaMode::kPredicted) ==
              static_cast<int>(protocol::ReplicationMode::kPredicted));

ReplicaSessionOptions session_options(const ReplicaClientOptions& options, protocol::ClientOptions endpoint) {
  ReplicaSessionOptions out;
  out.endpoint = std::move(endpoint);
  out.endpoint.mode = static_cast<protocol::ReplicationMode>(options.mode);
  out.replica.ahead_ticks_max = std::clamp<std::uint32_t>(options.ahead_ticks_max, 1, kAheadTicksMax);
  out.replica.catch_up_ticks = std::max<std::uint32_t>(options.catch_up_ticks, 1);
  out.replica.step = options.step;
  out.predicted.ahead_ticks_max = out.replica.ahead_ticks_max;
  out.predicted.catch_up_ticks = out.replica.catch_up_ticks;
  out.predicted.step = options.step;
  out.predicted.area_radius_m =
      options.area_radius_m > 0 ? std::min(options.area_radius_m, kAreaRadiusMaxM) : 0;
  out.replica.keeps_desync_states = options.keeps_desync_states;
  out.input_delay_ticks = std::min(options.input_delay_ticks, ReplicaSession::kInputDelayMax);
  out.game = options.game;
  return out;
}

}  // namespace

struct ReplicaClient::Implementation {
  Implementation(net::ServerUrl to, Options chosen, ReplicaSessionOptions options)
      : url(std::move(to)), session_options(std::move(chosen)), session(std::move(options)) {}

  /// Events of the session that tell nothing to a caller give none.
  void take_events();

  net::ServerUrl url;
  Options session_options;  // of connect()
  ReplicaSession session;
  std::unique_ptr<net::ClientTransport> transport;  // after what it drives
  std::deque<ReplicaClientEvent> events;
  bool asked_to_leave = false;
};

void ReplicaClient::Implementation::take_events() {
  Overload const take{
      [&](WorldEntered& entered) { events.emplace_back(entered); },
      [&](ModeChanged& changed) { events.emplace_back(std::move(changed)); },
      [&](RolledBack& back) { append_rollback(events, back); },
      [&](DesyncFound& found) { events.emplace_back(std::move(found)); },
      [&](ConfirmedMessage& confirmed) {
        events.emplace_back(GameMessage{confirmed.message.tick, std::move(confirmed.message.bytes)});
      },
      [&](const protocol::CommandOutcomes& outcomes) {
        for (const protocol::CommandOutcome& one : outcomes.outcomes)
          if (auto outcome = to_event(one)) events.emplace_back(*std::move(outcome));
      },
      [&](ReplicaEnded& ended) {
        if (asked_to_leave)
          events.emplace_back(Left{});
        else
          events.emplace_back(Disconnected{std::move(ended.reason), std::move(ended.text)});
      },
      [](const Diverged&) {},  // DesyncFound follows, with its fields
  };
  while (auto event = session.next_event()) std::visit(take, *event);
}

ReplicaClient::ReplicaClient(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ReplicaClient::ReplicaClient(ReplicaClient&&) noexcept = default;
ReplicaClient& ReplicaClient::operator=(ReplicaClient&&) noexcept = default;
ReplicaClient::~ReplicaClient() = default;

Result<ReplicaClient, Failure> ReplicaClient::connect(std::string_view url_text,
                                                      const ReplicaClientOptions& options) {
  if (options.mode == ReplicaMode::kSnapshot)
    return Failure{ClientError::kOutOfRange, "mode snapshot is what takt::client::Client joins in"};
  auto const url = net::parse_url(url_text);
  if (!url) return Failure{ClientError::kBadUrl, url.error().detail};
  auto endpoint = endpoint_options(options.session, *url);
  if (!endpoint) return endpoint.error();
  auto implementation =
      std::make_unique<Implementation>(*url, options.session, session_options(options, *std::move(endpoint)));
  auto transport = open_transport(*url, implementation->session.endpoint());
  if (!transport) return transport.error();
  implementation->transport = *std::move(transport);
  return ReplicaClient(std::move(implementation));
}

Result<Unit, Failure> ReplicaClient::reconnect(std::string_view token) {
  Implementation& own = *implementation_;
  if (is_open() && !own.session.has_ended())
    return Failure{ClientError::kSessionOpen,
                   "the session is not over yet: Disconnected or Left must come "
                   "before another begins, and leave() ends this one"};
  Options chosen = own.session_options;
  if (!token.empty()) chosen.token = token;
  auto options = endpoint_options(chosen, own.url);
  if (!options) return options.error();
  // All stays as it was until the new transport is open.
  std::unique_ptr<protocol::ClientEndpoint> endpoint = own.session.make_endpoint(*std::move(options));
  auto transport = open_transport(own.url, *endpoint);
  if (!transport) return transport.error();
  own.transport.reset();  // it drives the endpoint of before
  own.session.reconnect(std::move(endpoint));
  own.transport = *std::move(transport);
  own.session_options = std::move(chosen);
  own.asked_to_leave = false;
  return Unit{};
}

void ReplicaClient::poll() {
  (void)implementation_->transport->poll();
  implementation_->session.update(net::now_us());
  implementation_->take_events();
}

void ReplicaClient::wait(std::uint32_t ms) {
  protocol::ClientEndpoint const& endpoint = implementation_->session.endpoint();
  std::uint64_t const received_before = endpoint.stats().bytes_received;
  poll();
  if (endpoint.stats().bytes_received != received_before) return;
  (void)implementation_->transport->wait_for(std::uint64_t{ms} * 1000);
  implementation_->session.update(net::now_us());
  implementation_->take_events();
}

std::optional<ReplicaClientEvent> ReplicaClient::next_event() {
  if (implementation_->events.empty()) return std::nullopt;
  ReplicaClientEvent event = std::move(implementation_->events.front());
  implementation_->events.pop_front();
  return event;
}

bool ReplicaClient::is_open() const noexcept {
  return implementation_->session.endpoint().state() != protocol::ClientState::kDisconnected;
}
bool ReplicaClient::is_playing() const noexcept { return implementation_->session.is_playing(); }
ReplicaMode ReplicaClient::mode() const noexcept {
  return static_cast<ReplicaMode>(implementation_->session.mode());
}
Result<std::uint32_t, ClientError> ReplicaClient::switch_mode(ReplicaMode mode, std::string_view text) {
  auto const asked = implementation_->session.switch_mode(net::now_us(), mode, text);
  if (!asked) return to_error(asked.error());
  return *asked;
}
std::uint32_t ReplicaClient::player() const noexcept { return implementation_->session.player(); }

bool ReplicaClient::has_world() const noexcept { return implementation_->session.has_world(); }
const sim::Simulation& ReplicaClient::simulation() const { return implementation_->session.simulation(); }
std::uint64_t ReplicaClient::confirmed_tick() const noexcept {
  return implementation_->session.confirmed_tick();
}
void ReplicaClient::draw(std::vector<DrawnBody>& out) { implementation_->session.draw(out); }
const std::vector<Body>& ReplicaClient::bodies() { return implementation_->session.view().bodies(); }
const Geometry* ReplicaClient::geometry(std::uint64_t digest) const noexcept {
  return implementation_->session.view().geometry(digest);
}

Result<std::uint32_t, ClientError> ReplicaClient::send(const sim::Command& command) {
  if (std::visit([]<class C>(const C&) { return sim::ServerCommand<C>; }, command))
    return ClientError::kNotSendable;
  auto const sequence = implementation_->session.send(net::now_us(), command);
  if (!sequence) return to_error(sequence.error());
  return *sequence;
}

void ReplicaClient::leave(std::string_view text) {
  implementation_->asked_to_leave = true;
  implementation_->session.leave(net::now_us(), text);
}

ReplicaClientStats ReplicaClient::stats() const {
  ReplicaSession const& session = implementation_->session;
  protocol::SessionStats const path = session.endpoint().stats();
  ReplicaClientStats out;
  out.rtt_ms = static_cast<double>(path.rtt_us) / 1000;
  out.received_bytes = path.bytes_received;
  out.sent_bytes = path.bytes_sent;
  out.lead_ticks = session.clock().lead_ticks();
  out.margin_ticks = session.margin_ticks();
  out.visual_offset_max_m = session.offsets().greatest_m();
  auto const count_rollbacks = [&out](auto const& of) {
    out.rollbacks = of.rollbacks;
    out.resimulated_ticks = of.resimulated_ticks;
    out.deepest_rollback_ticks = of.deepest_rollback_ticks;
  };
  if (session.is_predicted()) {
    PredictedStats const& predicted = session.predicted().stats();
    count_rollbacks(predicted);
    out.bodies_compared = predicted.compared;
    out.bodies_corrected = predicted.corrected;
    if (predicted.compared > 0)
      out.error_mean_m = predicted.error_sum_m / static_cast<double>(predicted.compared);
    out.error_max_m = predicted.error_max_m;
    out.area_bodies = static_cast<std::uint32_t>(session.predicted().area().bodies().size());
    return out;
  }
  ReplicaStats const& replica = session.replica().stats();
  count_rollbacks(replica);
  out.hashes_equal = replica.hashes_equal;
  out.hashes_different = replica.hashes_different;
  return out;
}

}  // namespace takt::client
