#include "server/app/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "net/clock.h"
#include "net/entropy.h"
#include "net/server_transport.h"
#include "protocol/wire/limits.h"
#include "server/desync_reporter.h"
#include "server/event_queue.h"
#include "server/identity_file.h"
#include "server/lag.h"
#include "server/line_limit.h"
#include "server/room.h"
#include "server/session_log.h"
#include "server/tick_loop.h"
#include "server/token_gate.h"
#include "server/token_key_file.h"
#include "server/update_mailbox.h"
#include "server/web/gateway.h"
#include "server/web/http_server.h"
#include "server/web/web_bridge.h"
#include "server/world_publisher.h"
#include "takt/core/assert.h"

namespace takt::server {
namespace {

/// The network thread looks at the mailbox at least this often, should a wake-up get lost.
constexpr std::uint64_t kNetworkTurnUs = 10'000;
/// Longest wait for clients to hear of the end; kDisconnectCopies x kDisconnectSpacing and a stream's linger
/// fit.
constexpr std::uint64_t kFarewellUs = 1'000'000;
/// A server whose loop has not come round for this long is not ready: it hangs, or loads a scene.
constexpr std::uint64_t kReadyUs = 2'000'000;
/// Between two log lines about the same trouble.
constexpr std::uint64_t kLogIntervalUs = 5'000'000;
/// Part of the limit of a recording's files that is reported, before the oldest go.
constexpr std::uint64_t kRecordWarnPercent = 80;
/// Log lines about desyncs a second, and at once: a client can claim one. A session has at most three in ten
/// minutes, but may join again.
constexpr std::uint32_t kDesyncLinesPerS = 1;
constexpr std::uint32_t kDesyncLinesBurst = 20;

Failure to_failure(const net::Failure& failure) {
  Error error = Error::kNetwork;
  if (failure.error == net::Error::kBadAddress) error = Error::kBadAddress;
  if (failure.error == net::Error::kPortInUse) error = Error::kPortInUse;
  if (failure.error == net::Error::kPermissionDenied) error = Error::kPermissionDenied;
  return {error, message(failure)};
}

protocol::ServerOptions endpoint_options(const ServerOptions& options, const Playable& playable,
                                         TokenGate* tokens) {
  protocol::ServerOptions out;
  out.players_max = std::min(options.players_max, playable.players_max());
  out.spectators_max = options.spectators_max;
  out.numbers_mode = playable.numbers() == NumbersMode::kFloat ? protocol::NumbersMode::kFloatMode
                                                               : protocol::NumbersMode::kFixedMode;
  out.tick_rate_hz = playable.tick_rate_hz();
  out.admin = options.admin;
  out.modes = playable.offered_modes();
  AwayPlayers away = playable.away_players();
  out.first_player = away.first_new;
  out.away_players = std::move(away.by_name);
  out.input_offsets = std::move(away.input_offsets);
  out.tokens = tokens;
  out.allow_guests = options.tokens && options.tokens->allow_guests;
  out.egress_max = options.egress_max;
  out.proxies = options.proxies;
  out.address = options.address;
  if (options.limits_loopback) out.loopback = options.address;
  return out;
}

// A file without a key would refuse everybody, as an empty file of a failed copy does.
Result<crypto::TokenKeys, FileError> load_some_token_keys(const std::string& path) {
  auto keys = load_token_keys(path, KeySource::kRegularFile);
  if (keys && keys->size() == 0) return FileError{path + ": has no key; 'takt token keygen' makes one"};
  return keys;
}

// Null without tokens.
Result<std::unique_ptr<TokenGate>, Failure> create_token_gate(const ServerOptions& options) {
  if (!options.tokens) return std::unique_ptr<TokenGate>();
  auto keys = load_some_token_keys(options.tokens->keys_path);
  if (!keys) return Failure{Error::kTokenKeysRefused, message(keys.error())};
  return std::make_unique<TokenGate>(*options.tokens, *std::move(keys),
                                     std::size_t{options.players_max} + options.spectators_max,
                                     net::unix_now_s);
}

// The seeds of the keys of this run, with the lasting one of the identity file if there is one.
Result<protocol::ServerSeeds, Failure> create_seeds(const std::string& identity_path) {
  protocol::ServerSeeds seeds{net::draw_seed(), net::draw_seed()};
  if (identity_path.empty()) return seeds;
  auto lasting = load_identity(identity_path, seeds.lasting);
  if (!lasting) return Failure{Error::kIdentityRefused, message(lasting.error())};
  seeds.lasting = *std::move(lasting);
  return seeds;
}

RoomOptions room_options(const ServerOptions& options) {
  RoomOptions room = options.room;
  room.keeps_desync_states = room.keeps_desync_states || !options.desync_dir.empty();
  room.first_epoch = static_cast<std::uint32_t>(net::draw_nonce() >> 33) + 1;
  return room;
}

Result<std::unique_ptr<Room>, Failure> create_room(const RoomOptions& options, const sim::Scene& scene,
                                                   std::unique_ptr<sim::Game> game) {
  std::string game_text;
  auto room = Room::create(scene, options, std::move(game), &game_text);
  if (!room) {
    std::string text(sim::message(room.error()));
    return Failure{Error::kSceneRefused, game_text.empty() ? text : text + ": " + game_text};
  }
  return std::make_unique<Room>(*std::move(room));
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(const ServerOptions& options, std::unique_ptr<Playable> playable,
                 std::unique_ptr<TokenGate> tokens, const protocol::ServerSeeds& seeds)
      : token_options_(options.tokens.value_or(TokenOptions{})),
        tokens_(std::move(tokens)),
        playable_(std::move(playable)),
        endpoint_(endpoint_options(options, *playable_, tokens_.get()), net::draw_secret_key(), seeds),
        server_key_(crypto::public_key_text(endpoint_.public_keys().lasting)),
        gateway_(endpoint_),
        loop_(*playable_, options.catch_up_ticks_max, net::now_us, TickCost(net::thread_cpu_ns)) {
    gateway_.begin(playable_->now());
  }

  ~Implementation() { (void)stop(); }

  Result<Unit, Failure> open(const ServerOptions& options) {
    if (!options.desync_dir.empty()) {
      auto reporter = DesyncReporter::open(options.desync_dir, "server",
                                           [](const std::string& line) { spdlog::warn("{}", line); });
      if (!reporter) return Failure{Error::kDesyncFolderRefused, message(reporter.error())};
      desync_reporter_ = *std::move(reporter);
    }
    net::ServerTransportOptions transport;
    transport.bind_address = options.bind_address;
    transport.port = options.port;
    transport.proxies = options.proxies;
    auto opened = net::ServerTransport::open(transport, endpoint_);
    if (!opened) return to_failure(opened.error());
    transport_ = *std::move(opened);
    bridge_.set_wake([this] { transport_->wake(); });  // before there is a web thread
    if (options.http || options.metrics) {
      auto http = HttpServer::open(options.http, options.metrics, bridge_, [this] { return live_status(); });
      if (!http) return http.error();
      http_ = *std::move(http);
    }
    if (playable_->has_recording_failed()) report_recording();
    // Skipped ticks of the first second are not reported.
    ServerStatus first;
    fill_status(playable_->stats().tick, playable_->hash());
    (void)poll_status(first);
    playable_->start_shadow_thread();
    network_thread_ = std::thread([this] { run_network(); });
    simulation_thread_ = std::thread([this] { run_simulation(); });
    return Unit{};
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return transport_->port(); }
  [[nodiscard]] std::uint16_t http_port() const noexcept { return http_ != nullptr ? http_->port() : 0; }
  [[nodiscard]] std::uint16_t metrics_port() const noexcept {
    return http_ != nullptr ? http_->metrics_port() : 0;
  }

  [[nodiscard]] const std::string& server_key() const noexcept { return server_key_; }

  bool poll_status(ServerStatus& out) {
    std::lock_guard const lock(status_mutex_);
    if (!has_new_status_) return false;
    has_new_status_ = false;
    out = status_;
    return true;
  }

  Result<Unit, FileError> reload_token_keys() {
    TAKT_ASSERT(tokens_ != nullptr);
    auto keys = load_some_token_keys(token_options_.keys_path);
    if (!keys) return keys.error();
    tokens_->replace_keys(*std::move(keys));
    return Unit{};
  }

  Result<Unit, FileError> reload_certificate() {
    TAKT_ASSERT(http_ != nullptr);
    return http_->reload_certificate();
  }

  ServerStatus stop() {
    if (!stopped_ && transport_ != nullptr) {
      stopped_ = true;
      stopping_ = true;
      {
        std::lock_guard const lock(stop_mutex_);
        stop_simulation_ = true;
      }
      stop_signal_.notify_all();
      if (simulation_thread_.joinable()) simulation_thread_.join();
      stop_network_ = true;
      transport_->wake();
      if (network_thread_.joinable()) network_thread_.join();
      http_.reset();
      fill_status(playable_->stats().tick, playable_->hash());
    }
    std::lock_guard const lock(status_mutex_);
    return status_;
  }

 private:
  // ------------------------------------------------------------ simulation thread

  void run_simulation() {
    try {
      run_ticks();
    } catch (const std::exception& thrown) {
      report_failure(thrown.what());
    } catch (...) {
      report_failure("an exception that is no std::exception");
    }
    if (auto const closed = playable_->close_recording(); !closed) report_recording();
  }

  void run_ticks() {
    loop_.start();
    while (wait_until(loop_.next_us())) {
      protocol::ServerEvent event;
      while (events_.pop(event)) playable_->handle_event(std::move(event));
      loop_.run_due([this](RoomUpdate&& update) { emit(std::move(update)); });
      last_update_us_ = net::now_us();
      report_lag();
      report_overload();
    }
  }

  // The engine throws nothing but std::bad_alloc, so the text is usually that of a game.
  void report_failure(const std::string& text) {
    std::lock_guard const lock(status_mutex_);
    failure_ = "the simulation ended at tick " + std::to_string(playable_->stats().tick) + ": " + text;
    spdlog::critical("{}", failure_);
    status_.failure = failure_;
    has_new_status_ = true;
  }

  // False when the server is stopping.
  bool wait_until(std::uint64_t when_us) {
    std::unique_lock lock(stop_mutex_);
    std::uint64_t const now = net::now_us();
    if (when_us > now)
      stop_signal_.wait_for(lock, std::chrono::microseconds(when_us - now),
                            [this] { return stop_simulation_; });
    return !stop_simulation_;
  }

  void emit(RoomUpdate&& update) {
    log_game(update);
    for (const DesyncFinding& desync : update.desyncs) log_desync(desync);
    for (DesyncReport& report : update.desync_reports)
      if (desync_reporter_) desync_reporter_->put(std::move(report));
    if (playable_->has_recording_failed()) report_recording();
    report_journal();
    if (update.stats) fill_status(update.stats->tick, update.stats->state_hash);
    if (update.change)
      spdlog::debug("epoch {}, {}, speed {}", update.epoch,
                    update.change->state.paused ? "paused" : "running", update.change->state.speed);
    updates_.put(std::move(update));
    transport_->wake();
  }

  void log_desync(const DesyncFinding& desync) {
    if (desync.is_report_left_out)
      spdlog::warn("reports about desyncs are left out: more than {} at once, and one a minute of world time",
                   WorldPublisher::kReportBurst);
    auto const left_out = desync_lines_.take(net::now_us());
    if (!left_out) return;
    if (*left_out > 0) spdlog::warn("{} lines about desyncs were left out", *left_out);
    spdlog::warn("desync of player {} at tick {}: {}", desync.player, desync.tick, desync.text);
  }

  // Refused commands and messages of the game, which clients see as well.
  static void log_game(const RoomUpdate& update) {
    if (!spdlog::should_log(spdlog::level::debug)) return;
    for (const auto& [player, outcome] : update.outcomes) {
      if (outcome.status == protocol::CommandStatus::kMoved) continue;
      spdlog::debug("tick {}: input {} of player {} refused: {}{}", outcome.tick, outcome.sequence, player,
                    protocol::name_of(outcome.refusal), outcome.text.empty() ? "" : ": " + outcome.text);
    }
    for (const sim::GameMessage& message : update.messages) {
      std::string_view const text(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
      spdlog::debug("tick {}: the game to {}: {} ({} bytes)", message.tick,
                    message.player == sim::kServerPlayer ? "all" : "player " + std::to_string(message.player),
                    protocol::printable_text(text), message.bytes.size());
    }
  }

  void report_recording() {
    if (recording_reported_) return;
    recording_reported_ = true;
    spdlog::error("the recording stopped at tick {}: {}; the server goes on without it",
                  playable_->stats().tick, sim::message(sim::SimError::kWriteFailed));
  }

  // A journal is suspended while its disk is full or too slow.
  void report_journal() {
    JournalStatus const journal = playable_->journal_status();
    if (!is_record_limit_reported_ && journal.store_bytes_max > 0 &&
        journal.store_bytes >= journal.store_bytes_max / 100 * kRecordWarnPercent) {
      is_record_limit_reported_ = true;
      spdlog::warn(
          "the recording takes {:.1f} MB, {} % of its limit: its oldest files are removed when a file begins",
          static_cast<double>(journal.store_bytes) * 1e-6,
          100 * journal.store_bytes / journal.store_bytes_max);
    }
    if (journal.is_suspended == is_journal_suspended_) return;
    is_journal_suspended_ = journal.is_suspended;
    std::uint64_t const tick = playable_->stats().tick;
    if (journal.is_suspended) {
      spdlog::error(
          "the recording is suspended at tick {}: its disk is full, too slow or gone; the server goes on and "
          "tries again every 2 s",
          tick);
    } else {
      spdlog::warn("the recording goes on at tick {} in its next file; {} ticks are missing so far", tick,
                   journal.lost_ticks);
    }
  }

  void report_overload() {
    if (playable_->is_overloaded() == is_overload_reported_) return;
    is_overload_reported_ = playable_->is_overloaded();
    RoomCounters const& counters = playable_->counters();
    if (is_overload_reported_) {
      spdlog::warn(
          "ticks take too long (median {:.1f} ms of processor time): players spawn nothing, and bodies that "
          "they spawned are removed until ticks fit",
          loop_.costs().quantile_us(0.5) / 1000.0);
    } else {
      spdlog::info("ticks fit again: players may spawn; {} bodies were removed and {} spawns refused so far",
                   counters.bodies_removed, counters.spawns_refused);
    }
  }

  void report_lag() {
    TickClock const& clock = loop_.clock();
    if (clock.dropped_ticks() == reported_dropped_) return;
    std::uint64_t const now = net::now_us();
    if (reported_at_us_ != 0 && now - reported_at_us_ < kLogIntervalUs) return;
    double const speed = playable_->tick_rate().speed();
    spdlog::warn("{}", lag_text({clock.dropped_ticks(), loop_.window().quantile_us(0.5),
                                 loop_.window().quantile_us(0.99),
                                 1e6 / (playable_->tick_rate_hz() * (speed > 0 ? speed : 1))}));
    reported_dropped_ = clock.dropped_ticks();
    reported_at_us_ = now;
  }

  // On the simulation's thread, or after both have ended.
  void fill_status(std::uint64_t tick, std::uint64_t hash) {
    ServerStatus status;
    WorldStats const world = playable_->stats();
    status.tick = tick;
    status.hash = hash;
    status.body_count = world.body_count;
    status.awake_count = world.awake_count;
    status.tick_median_us = loop_.window().quantile_us(0.5);
    status.tick_p99_us = loop_.window().quantile_us(0.99);
    status.tick_cost_us = loop_.costs().quantile_us(0.5);
    status.tick_times = loop_.histogram();
    status.late_ticks = loop_.clock().late_ticks();
    status.dropped_ticks = loop_.clock().dropped_ticks();
    status.inputs_overflowed = inputs_overflowed_;
    status.journal = playable_->journal_status();
    status.recording_failed = playable_->has_recording_failed();
    status.room = playable_->counters();
    status.is_overloaded = playable_->is_overloaded();
    std::lock_guard const lock(status_mutex_);
    add_network(status);
    status.failure = failure_;
    status_ = status;
    has_new_status_ = true;
  }

  // Under status_mutex_.
  void add_network(ServerStatus& status) const {
    status.clients = network_.clients;
    status.modes = network_.modes;
    status.client_count = std::accumulate(status.clients.begin(), status.clients.end(), 0u);
    status.refusals = network_.refusals;
    status.snapshot_sizes = network_.snapshot_sizes;
    status.network = network_.counters;
  }

  // On any thread: stats of the last second, with the network's present counters.
  LiveStatus live_status() {
    std::lock_guard const lock(status_mutex_);
    LiveStatus live;
    live.status = status_;
    add_network(live.status);
    // The clock is read last: the simulation thread may store a later time in between.
    std::uint64_t const last_update_us = last_update_us_;
    live.is_ready = !stopping_ && net::now_us() - last_update_us < kReadyUs;
    return live;
  }

  // ------------------------------------------------------------ network thread

  void run_network() {
    while (!stop_network_) {
      transport_->run_for(kNetworkTurnUs);
      bridge_.turn(net::now_us(), endpoint_);
      read_events();
      handle_updates();
      publish_network_status();
      transport_->flush();
      bridge_.flush(net::now_us(), endpoint_);
    }
    std::uint64_t const until_us = net::now_us() + kFarewellUs;
    endpoint_.shut_down(net::now_us(), "the server is stopping");
    while (!endpoint_.is_drained() && net::now_us() < until_us) {
      transport_->run_for(kNetworkTurnUs);
      bridge_.turn(net::now_us(), endpoint_);
      bridge_.flush(net::now_us(), endpoint_);
    }
    publish_network_status();
  }

  void handle_updates() {
    UpdateMailbox::Delivery delivery;
    if (!updates_.take(delivery)) return;
    if (delivery.is_overrun)
      for (protocol::PlayerId const player : endpoint_.players())
        endpoint_.disconnect(net::now_us(), player, protocol::DisconnectReason::kSlowReader,
                             "the server could not keep up");
    for (const RoomUpdate& update : delivery.updates) gateway_.handle_update(net::now_us(), update);
  }

  void read_events() {
    protocol::ServerEvent event;
    while (gateway_.poll_event(event)) {
      session_log_.write(net::now_us(), event);
      if (std::holds_alternative<protocol::PlayerMoved>(event)) continue;  // nothing changes in the room
      auto const* inputs = std::get_if<protocol::InputsArrived>(&event);
      if (events_.push(std::move(event))) continue;
      inputs_overflowed_ += inputs->inputs.size();
      gateway_.refuse(*inputs);
    }
  }

  void publish_network_status() {
    std::lock_guard const lock(status_mutex_);
    network_.clients = endpoint_.player_counts();
    network_.modes = endpoint_.mode_counts();
    network_.refusals = endpoint_.refusals();
    network_.snapshot_sizes = endpoint_.snapshot_sizes();
    network_.counters = endpoint_.counters();
  }

  TokenOptions token_options_;         // never change
  std::unique_ptr<TokenGate> tokens_;  // the network thread's, and its keys the owner's; null = no tokens
  // The simulation thread's.
  std::unique_ptr<Playable> playable_;
  std::unique_ptr<DesyncReporter> desync_reporter_;  // null = no reports
  // The network thread's.
  protocol::ServerEndpoint endpoint_;
  std::string server_key_;  // never changes
  Gateway gateway_;
  std::unique_ptr<net::ServerTransport> transport_;  // wake() is anyone's
  SessionLog session_log_{token_options_.room_id, net::now_us()};
  // The simulation thread's.
  TickLoop loop_;
  std::uint64_t reported_dropped_ = 0;
  std::uint64_t reported_at_us_ = 0;
  bool recording_reported_ = false;
  bool is_journal_suspended_ = false;
  bool is_record_limit_reported_ = false;
  bool is_overload_reported_ = false;
  LineLimit desync_lines_{kDesyncLinesPerS, kDesyncLinesBurst, net::now_us()};
  // Between network and web.
  WebBridge bridge_;
  std::unique_ptr<HttpServer> http_;  // after the bridge
  // Between the two.
  EventQueue events_;
  UpdateMailbox updates_;
  std::atomic<std::uint64_t> inputs_overflowed_{0};
  std::atomic<bool> stop_network_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> last_update_us_{0};
  std::mutex stop_mutex_;
  std::condition_variable stop_signal_;
  bool stop_simulation_ = false;
  // The owner's.
  bool stopped_ = false;
  // Under status_mutex_.
  std::mutex status_mutex_;
  ServerStatus status_;
  bool has_new_status_ = false;
  std::string failure_;  // under status_mutex_
  struct {
    std::array<std::uint32_t, protocol::kTransportKinds> clients{};
    std::array<std::uint32_t, protocol::kReplicationModes> modes{};
    std::array<std::uint64_t, protocol::kRefuseReasons> refusals{};
    protocol::SizeHistogram snapshot_sizes;
    protocol::Counters counters;
  } network_;
  std::thread network_thread_;
  std::thread simulation_thread_;
};

Server::Server(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>, Failure> Server::open(const ServerOptions& options, const sim::Scene& scene,
                                                      std::unique_ptr<sim::Game> game,
                                                      sim::ByteSink* recording) {
  auto room = create_room(room_options(options), scene, std::move(game));
  if (!room) return room.error();
  // A sink that fails at once is reported like one that fails later: the room goes on without it.
  if (recording != nullptr) (void)(*room)->start_recording(*recording, scene);
  return open(options, *std::move(room));
}

Result<std::unique_ptr<Server>, Failure> Server::open(const ServerOptions& options, const sim::Scene& scene,
                                                      std::unique_ptr<sim::Game> game, JournalStore* files,
                                                      std::optional<sim::Simulation> resumed) {
  std::unique_ptr<Room> room;
  if (resumed) {
    room = std::make_unique<Room>(Room::resume(*std::move(resumed), scene, room_options(options)));
  } else {
    auto created = create_room(room_options(options), scene, std::move(game));
    if (!created) return created.error();
    room = *std::move(created);
  }
  JournalOptions journal = options.journal;
  journal.image_every_ticks = options.room.recording.image_every_ticks;
  if (files != nullptr) (void)room->start_journal(*files, scene, journal);
  return open(options, std::move(room));
}

Result<std::unique_ptr<Server>, Failure> Server::open(const ServerOptions& options,
                                                      std::unique_ptr<Playable> playable) {
  auto tokens = create_token_gate(options);
  if (!tokens) return tokens.error();
  auto const seeds = create_seeds(options.identity_path);
  if (!seeds) return seeds.error();
  auto implementation =
      std::make_unique<Implementation>(options, std::move(playable), *std::move(tokens), *seeds);
  if (auto const opened = implementation->open(options); !opened) return opened.error();
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

std::uint16_t Server::port() const noexcept { return implementation_->port(); }
std::uint16_t Server::http_port() const noexcept { return implementation_->http_port(); }
std::uint16_t Server::metrics_port() const noexcept { return implementation_->metrics_port(); }
std::string Server::server_key() const { return implementation_->server_key(); }
bool Server::poll_status(ServerStatus& out) { return implementation_->poll_status(out); }
Result<Unit, FileError> Server::reload_token_keys() { return implementation_->reload_token_keys(); }
Result<Unit, FileError> Server::reload_certificate() { return implementation_->reload_certificate(); }
ServerStatus Server::stop() { return implementation_->stop(); }

}  // namespace takt::server
