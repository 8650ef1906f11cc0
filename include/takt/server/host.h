// Host serves one scene to clients over UDP and TCP and, with HostOptions::http, to web pages: a world that
// ticks, its players, and the rules of a Game (takt/sim/game.h). Host starts threads of its own for the
// simulation, the network, queries and web clients. HostOptions has the parameters of Host::open(). The
// program `takt serve` has more: scenes that change while it runs, a status line, recordings as files
// (takt/cli/takt_main.h).
//
//   auto const scene = takt::server::load_scene_file("arena.json");
//   auto host = takt::server::Host::open({}, *scene, std::make_unique<MyGame>());
//   while (!wants_to_stop()) sleep_a_while();
//   (*host)->stop();
//
// One thread at a time calls a Host. After open() the Host calls the Game and the ByteSink on its simulation
// thread alone. Host writes to the log (takt/server/log.h) and prints nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "takt/core/result.h"
#include "takt/physics/step.h"
#include "takt/physics/world.h"
#include "takt/server/error.h"
#include "takt/server/http_options.h"
#include "takt/server/token_options.h"
#include "takt/sim/game.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// The players who may pause, step and change the speed. The command policy does not limit them either.
enum class Admins : std::uint8_t {
  kNobody = 0,
  kLoopback = 1,  ///< those who connect from a loopback address
};

/// The ranges are asserted by Host::open().
struct HostOptions {
  std::string bind_address;           ///< an IP address of this machine; empty = all, IPv6 and IPv4
  std::uint16_t port = 7777;          ///< of UDP and TCP; 0 = one that is free for both
  std::uint32_t players_max = 64;     ///< at once, [1, 4096]; the scene's policy may allow fewer
  std::uint32_t spectators_max = 64;  ///< at once, beside the players, [0, 4096]
  /// Sessions at once from one IPv4 address or IPv6 /64, [1, 4096]; addresses of this machine have no limit.
  std::uint32_t sessions_per_address_max = 8;
  Admins admins = Admins::kNobody;
  std::optional<HttpOptions> http;        ///< none = no web gateway
  std::optional<MetricsOptions> metrics;  ///< none = the metrics are on the port of `http`
  std::optional<TokenOptions> tokens;     ///< none = everybody may join, and no token opens
  /// File with the seed of the host's lasting key, which server_key() returns; made when it is missing.
  /// Empty: another key in each run.
  std::string identity_path;
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint32_t snapshot_every_ticks = 1;  ///< [1, 3600]; 1 = clients receive each tick
  /// Clients may simulate the world (modes rollback and lockstep). The host then keeps states of the last
  /// ticks, for hashes and joins.
  bool replicas = false;
  /// Folder for reports about desyncs of clients that simulate: both states' fields, and a recording of the
  /// host's states and inputs. At most 256 files, 64 MiB a recording; made when it is missing. 8 reports at
  /// once, and one a minute. Empty: the log alone tells of desyncs.
  std::string desync_dir;
  /// After a stall at most this number of ticks runs without a pause; the others that are due never run. 5
  /// ticks make up for a stall of 83 ms at 60 Hz.
  std::uint32_t catch_up_ticks_max = 5;  ///< [1, 1000]
  StepOptions step;  ///< threads and lanes, which change no bit; its pool must outlive the host
  sim::RecordingOptions recording;
};

/// Statistics of a host. Values without a time are totals since its start.
struct HostStatus {
  std::uint64_t tick = 0;            ///< of the newest state
  std::uint64_t hash = 0;            ///< state hash of `tick`
  std::uint32_t client_count = 0;    ///< now, players and spectators
  std::uint32_t body_count = 0;      ///< now
  std::uint32_t awake_count = 0;     ///< now
  std::uint32_t tick_median_us = 0;  ///< median of the time that a tick took, over the last second of ticks
  std::uint32_t tick_p99_us = 0;     ///< 99th percentile of it
  std::uint64_t late_ticks = 0;      ///< ran more than their own period late
  std::uint64_t dropped_ticks = 0;   ///< never ran, because the host fell behind real time
  std::uint64_t players_joined = 0;
  std::uint64_t inputs_applied = 0;  ///< moved ones included
  std::uint64_t inputs_moved = 0;    ///< acted in a later tick than the client asked for
  std::uint64_t inputs_refused = 0;  ///< by schedule, policy, game or a full queue
  std::uint64_t bytes_sent = 0;      ///< over UDP, TCP and web sockets; so is the next
  std::uint64_t bytes_received = 0;
  std::uint64_t recorded_bytes = 0;
  bool recording_failed = false;  ///< the sink refused bytes; the host goes on without a recording
  /// The reason why the simulation has ended before stop(), such as an exception of the game; empty while it
  /// runs. The recording is then closed, and the sockets stay open until stop().
  std::string failure;
};

class Host {
 public:
  /// Opens the sockets, builds the scene's world and starts its ticks. `game` may be null. `recording`
  /// receives a recording of all ticks, may be null, and must outlive the host. Errors: kSceneRefused for a
  /// scene that cannot be simulated or that the game refuses, kTokenKeysRefused for the key file,
  /// kIdentityRefused, kDesyncFolderRefused, kCertificateRefused for the files of TLS, the others for
  /// sockets.
  [[nodiscard]] static Result<std::unique_ptr<Host>, Failure> open(const HostOptions& options,
                                                                   const sim::Scene& scene,
                                                                   std::unique_ptr<sim::Game> game = nullptr,
                                                                   sim::ByteSink* recording = nullptr);
  ~Host();  ///< calls stop()
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;          ///< of UDP and TCP
  [[nodiscard]] std::uint16_t http_port() const noexcept;     ///< 0 = no web gateway
  [[nodiscard]] std::uint16_t metrics_port() const noexcept;  ///< 0 = no port of their own
  /// The lasting public key, 43 characters. A client that connects to takt://HOST:PORT#KEY accepts no other.
  [[nodiscard]] std::string server_key() const;
  /// Returns true and sets `out` when there is a status that no call has returned yet; about once a second.
  [[nodiscard]] bool poll_status(HostStatus& out);
  /// Reads the key file of HostOptions::tokens again, so that keys are rotated; no session ends. With an
  /// error the old keys stay. Only with tokens (asserted).
  [[nodiscard]] Result<Unit, FileError> reload_token_keys();
  /// Reads the files of HttpOptions::tls again at once; the host does so itself some seconds after they
  /// change. Connections that live keep their certificate. With an error the certificate of before stays.
  /// Only with TLS, before stop() (asserted).
  [[nodiscard]] Result<Unit, FileError> reload_certificate();
  /// Ends the host: finishes the present tick, closes the recording, tells the clients and closes the
  /// sockets. Waits at most about a second for clients. Returns the final status; later calls return the same
  /// status.
  HostStatus stop();

 private:
  struct Implementation;
  explicit Host(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::server
