#include "server/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "net/clock.h"
#include "net/entropy.h"
#include "net/server_transport.h"
#include "protocol/limits.h"
#include "server/bounded_queue.h"
#include "server/gateway.h"
#include "server/tick_clock.h"
#include "server/tick_window.h"

namespace takt::server {
namespace {

/// Events (joins, leaves, batches of inputs) on their way to the simulation. 64 clients send about 64 batches a tick; this is a stall of a second.
constexpr std::size_t kEventsMax = 4096;
/// Updates on their way to the clients. Half a second at 60 Hz; behind that the simulation waits for the network thread.
constexpr std::size_t kUpdatesMax = 32;
/// The network thread looks at the queue at least this often, should a wake-up get lost.
constexpr std::uint64_t kNetworkTurnUs = 10'000;
/// Longest wait for clients to hear of the end; kDisconnectCopies x kDisconnectSpacing and a stream's linger fit.
constexpr std::uint64_t kFarewellUs = 1'000'000;
/// Between two log lines about the same trouble.
constexpr std::uint64_t kLogIntervalUs = 5'000'000;

Failure to_failure(const net::Failure& failure) {
  Error error = Error::kNetwork;
  if (failure.error == net::Error::kBadAddress) error = Error::kBadAddress;
  if (failure.error == net::Error::kPortInUse) error = Error::kPortInUse;
  if (failure.error == net::Error::kPermissionDenied) error = Error::kPermissionDenied;
  return {error, failure.detail};
}

protocol::ServerOptions endpoint_options(const ServerOptions& options, const sim::Scene& scene) {
  protocol::ServerOptions out;
  out.players_max = std::min(options.players_max, scene.policy.max_players);
  out.scene_hash = sim::scene_hash(scene);
  out.numbers_mode = options.room.numbers == NumbersMode::kFloat ? protocol::NumbersMode::kFloatMode : protocol::NumbersMode::kFixedMode;
  out.tick_rate_hz = scene.world.tick_rate_hz;
  out.substeps = scene.world.substeps;
  return out;
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(const ServerOptions& options, const sim::Scene& scene, Room room)
      : room_(std::move(room)),
        endpoint_(endpoint_options(options, scene), net::draw_secret_key()),
        gateway_(endpoint_),
        clock_(scene.world.tick_rate_hz, options.catch_up_ticks_max),
        window_(scene.world.tick_rate_hz),
        rate_hz_(scene.world.tick_rate_hz) {}

  ~Implementation() { (void)stop(); }

  Result<Unit, Failure> open(const ServerOptions& options, const sim::Scene& scene, sim::ByteSink* recording) {
    net::ServerTransportOptions transport;
    transport.bind_address = options.bind_address;
    transport.port = options.port;
    auto opened = net::ServerTransport::open(transport, endpoint_);
    if (!opened) return to_failure(opened.error());
    transport_ = *std::move(opened);
    if (recording != nullptr) {
      if (auto const started = room_.start_recording(*recording, scene); !started) report_recording();
    }
    network_ = std::thread([this] { run_network(); });
    simulation_ = std::thread([this] { run_simulation(); });
    return Unit{};
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return transport_->port(); }

  bool poll_status(ServerStatus& out) {
    std::lock_guard const lock(status_mutex_);
    if (!has_new_status_) return false;
    has_new_status_ = false;
    out = status_;
    return true;
  }

  ServerStatus stop() {
    if (!stopped_ && transport_ != nullptr) {
      stopped_ = true;
      {
        std::lock_guard const lock(stop_mutex_);
        stop_simulation_ = true;
      }
      stop_signal_.notify_all();
      updates_.close();
      if (simulation_.joinable()) simulation_.join();
      stop_network_ = true;
      transport_->wake();
      if (network_.joinable()) network_.join();
      fill_status(room_.simulation().hash());
    }
    std::lock_guard const lock(status_mutex_);
    return status_;
  }

 private:
  // ------------------------------------------------------------ simulation thread

  void run_simulation() {
    clock_.start(net::now_us());
    while (wait_until(clock_.next_due_us())) {
      std::uint32_t const due = clock_.take_due(net::now_us());
      for (std::uint32_t i = 0; i < due; ++i) tick();
      report_lag();
    }
    if (auto const closed = room_.close_recording(); !closed) report_recording();
  }

  // False when the server is stopping.
  bool wait_until(std::uint64_t when_us) {
    std::unique_lock lock(stop_mutex_);
    std::uint64_t const now = net::now_us();
    if (when_us > now) stop_signal_.wait_for(lock, std::chrono::microseconds(when_us - now), [this] { return stop_simulation_; });
    return !stop_simulation_;
  }

  void tick() {
    protocol::ServerEvent event;
    while (events_.try_pop(event)) room_.handle_event(std::move(event));
    std::uint64_t const begin_us = net::now_us();
    bool const ends_second = (room_.simulation().tick() + 1) % rate_hz_ == 0;
    RoomUpdate update = room_.step(ends_second);
    window_.add_us(static_cast<std::uint32_t>(std::min<std::uint64_t>(net::now_us() - begin_us, UINT32_MAX)));
    if (room_.has_recording_failed()) report_recording();
    if (update.stats) {
      update.stats->tick_time_us = window_.quantile_us(0.5);
      fill_status(update.stats->state_hash);
    }
    if (updates_.push(std::move(update))) transport_->wake();
  }

  void report_recording() {
    if (recording_reported_) return;
    recording_reported_ = true;
    spdlog::error("the recording stopped at tick {}: {}; the server goes on without it", room_.simulation().tick(),
                  sim::message(sim::SimError::kWriteFailed));
  }

  void report_lag() {
    if (clock_.dropped_ticks() == reported_dropped_) return;
    std::uint64_t const now = net::now_us();
    if (reported_at_us_ != 0 && now - reported_at_us_ < kLogIntervalUs) return;
    spdlog::warn("the simulation cannot keep up: {} ticks given up so far; a tick takes {:.2f} ms (p99 {:.2f}), its period is {:.2f} ms",
                 clock_.dropped_ticks(), window_.quantile_us(0.5) / 1000.0, window_.quantile_us(0.99) / 1000.0, 1000.0 / rate_hz_);
    reported_dropped_ = clock_.dropped_ticks();
    reported_at_us_ = now;
  }

  // On the simulation's thread, or after both have ended.
  void fill_status(std::uint64_t hash) {
    ServerStatus status;
    status.tick = room_.simulation().tick();
    status.hash = hash;
    status.body_count = room_.simulation().world().body_count();
    status.awake_count = room_.last_status().awake_body_count;
    status.tick_median_us = window_.quantile_us(0.5);
    status.tick_p99_us = window_.quantile_us(0.99);
    status.late_ticks = clock_.late_ticks();
    status.dropped_ticks = clock_.dropped_ticks();
    status.inputs_overflowed = inputs_overflowed_;
    status.recorded_bytes = room_.recorded_bytes();
    status.recording_failed = room_.has_recording_failed();
    status.room = room_.counters();
    std::lock_guard const lock(status_mutex_);
    status.client_count = network_client_count_;
    status.network = network_counters_;
    status_ = status;
    has_new_status_ = true;
  }

  // ------------------------------------------------------------ network thread

  void run_network() {
    while (!stop_network_) {
      transport_->run_for(kNetworkTurnUs);
      read_events();
      RoomUpdate update;
      while (updates_.try_pop(update)) gateway_.handle_update(net::now_us(), update);
      publish_network_status();
      transport_->flush();
    }
    std::uint64_t const until_us = net::now_us() + kFarewellUs;
    endpoint_.shut_down(net::now_us(), "the server is stopping");
    while (!endpoint_.is_drained() && net::now_us() < until_us) transport_->run_for(kNetworkTurnUs);
    publish_network_status();
  }

  void read_events() {
    protocol::ServerEvent event;
    while (gateway_.poll_event(event)) {
      log_event(event);
      auto const* inputs = std::get_if<protocol::InputsArrived>(&event);
      if (inputs == nullptr) {
        events_.push_always(std::move(event));  // bounded by the places and the rate limit of handshakes
      } else if (!events_.try_push(std::move(event))) {
        inputs_overflowed_ += inputs->inputs.size();
        gateway_.refuse(*inputs);
      }
    }
  }

  static void log_event(const protocol::ServerEvent& event) {
    if (auto const* joined = std::get_if<protocol::PlayerJoined>(&event)) {
      spdlog::info("player {} joined from {} over {}{}", joined->player, protocol::to_text(joined->address),
                   joined->transport == protocol::TransportKind::kDatagram ? "UDP" : "TCP", joined->name.empty() ? "" : " as " + joined->name);
    } else if (auto const* left = std::get_if<protocol::PlayerLeft>(&event)) {
      spdlog::info("player {} left: {}{}", left->player, protocol::name_of(left->reason), left->text.empty() ? "" : " (" + left->text + ")");
    }
  }

  void publish_network_status() {
    std::lock_guard const lock(status_mutex_);
    network_client_count_ = static_cast<std::uint32_t>(endpoint_.player_count());
    network_counters_ = endpoint_.counters();
  }

  // The simulation thread's.
  Room room_;
  // The network thread's.
  protocol::ServerEndpoint endpoint_;
  Gateway gateway_;
  std::unique_ptr<net::ServerTransport> transport_;  // wake() is anyone's
  // The simulation thread's.
  TickClock clock_;
  TickWindow window_;
  std::uint32_t rate_hz_;
  std::uint64_t reported_dropped_ = 0;
  std::uint64_t reported_at_us_ = 0;
  bool recording_reported_ = false;
  // Between the two.
  BoundedQueue<protocol::ServerEvent> events_{kEventsMax};
  BoundedQueue<RoomUpdate> updates_{kUpdatesMax};
  std::atomic<std::uint64_t> inputs_overflowed_{0};
  std::atomic<bool> stop_network_{false};
  std::mutex stop_mutex_;
  std::condition_variable stop_signal_;
  bool stop_simulation_ = false;
  // The owner's.
  bool stopped_ = false;
  // Under status_mutex_.
  std::mutex status_mutex_;
  ServerStatus status_;
  bool has_new_status_ = false;
  std::uint32_t network_client_count_ = 0;
  protocol::Counters network_counters_;
  std::thread network_;
  std::thread simulation_;
};

Server::Server(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>, Failure> Server::open(const ServerOptions& options, const sim::Scene& scene, std::unique_ptr<sim::Game> game,
                                                      sim::ByteSink* recording) {
  auto room = Room::create(scene, options.room, std::move(game));
  if (!room) return Failure{Error::kSceneRefused, std::string(sim::message(room.error()))};
  auto implementation = std::make_unique<Implementation>(options, scene, *std::move(room));
  if (auto const opened = implementation->open(options, scene, recording); !opened) return opened.error();
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

std::uint16_t Server::port() const noexcept { return implementation_->port(); }
bool Server::poll_status(ServerStatus& out) { return implementation_->poll_status(out); }
ServerStatus Server::stop() { return implementation_->stop(); }

}  // namespace takt::server
