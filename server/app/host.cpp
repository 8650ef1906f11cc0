#include "takt/server/host.h"

#include <utility>

#include "protocol/link/counters.h"
#include "server/app/server.h"
#include "takt/core/assert.h"

namespace takt::server {
namespace {

ServerOptions server_options_of(const HostOptions& options) {
  ServerOptions out;
  out.bind_address = options.bind_address;
  out.port = options.port;
  out.players_max = options.players_max;
  out.spectators_max = options.spectators_max;
  out.address.sessions_max = options.sessions_per_address_max;
  out.catch_up_ticks_max = options.catch_up_ticks_max;
  out.admin =
      options.admins == Admins::kLoopback ? protocol::AdminGrant::kLoopback : protocol::AdminGrant::kNone;
  out.http = options.http;
  out.metrics = options.metrics;
  out.tokens = options.tokens;
  out.identity_path = options.identity_path;
  out.room.numbers = options.numbers;
  out.room.step = options.step;
  out.room.snapshot_every_ticks = options.snapshot_every_ticks;
  if (options.replicas) out.room.modes = protocol::OfferedModes::all();
  out.room.recording = options.recording;
  out.desync_dir = options.desync_dir;
  return out;
}

HostStatus to_host_status(const ServerStatus& status) {
  using enum protocol::Counter;
  protocol::Counters const& network = status.network;
  HostStatus out;
  out.tick = status.tick;
  out.hash = status.hash;
  out.client_count = status.client_count;
  out.body_count = status.body_count;
  out.awake_count = status.awake_count;
  out.tick_median_us = status.tick_median_us;
  out.tick_p99_us = status.tick_p99_us;
  out.late_ticks = status.late_ticks;
  out.dropped_ticks = status.dropped_ticks;
  out.players_joined = status.room.joined;
  out.inputs_applied = status.room.inputs_applied;
  out.inputs_moved = status.room.inputs_moved;
  out.inputs_refused = status.room.inputs_refused + status.inputs_overflowed;
  out.bytes_sent = network[kDatagramBytesSent] + network[kStreamBytesSent] + network[kWebSocketBytesSent];
  out.bytes_received =
      network[kDatagramBytesReceived] + network[kStreamBytesReceived] + network[kWebSocketBytesReceived];
  out.recorded_bytes = status.journal.written_bytes;
  out.recording_failed = status.recording_failed;
  out.failure = status.failure;
  return out;
}

}  // namespace

struct Host::Implementation {
  std::unique_ptr<Server> server;
};

Host::Host(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Host::~Host() = default;

Result<std::unique_ptr<Host>, Failure> Host::open(const HostOptions& options, const sim::Scene& scene,
                                                  std::unique_ptr<sim::Game> game, sim::ByteSink* recording) {
  TAKT_ASSERT(options.players_max >= 1 && options.players_max <= 4096);
  TAKT_ASSERT(options.spectators_max <= 4096);
  TAKT_ASSERT(options.sessions_per_address_max >= 1 && options.sessions_per_address_max <= 4096);
  TAKT_ASSERT(options.snapshot_every_ticks >= 1 && options.snapshot_every_ticks <= 3600);
  TAKT_ASSERT(options.catch_up_ticks_max >= 1 && options.catch_up_ticks_max <= 1000);
  auto server = Server::open(server_options_of(options), scene, std::move(game), recording);
  if (!server) return server.error();
  auto implementation = std::make_unique<Implementation>();
  implementation->server = *std::move(server);
  return std::unique_ptr<Host>(new Host(std::move(implementation)));
}

std::uint16_t Host::port() const noexcept { return implementation_->server->port(); }
std::uint16_t Host::http_port() const noexcept { return implementation_->server->http_port(); }

std::uint16_t Host::metrics_port() const noexcept { return implementation_->server->metrics_port(); }

std::string Host::server_key() const { return implementation_->server->server_key(); }

bool Host::poll_status(HostStatus& out) {
  ServerStatus status;
  if (!implementation_->server->poll_status(status)) return false;
  out = to_host_status(status);
  return true;
}

Result<Unit, FileError> Host::reload_token_keys() { return implementation_->server->reload_token_keys(); }

Result<Unit, FileError> Host::reload_certificate() { return implementation_->server->reload_certificate(); }

HostStatus Host::stop() { return to_host_status(implementation_->server->stop()); }

}  // namespace takt::server
