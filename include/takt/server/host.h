// Host serves one scene to clients over UDP and TCP and, if wanted, to web pages: a world that ticks, its
// players, and the rules of a Game (takt/sim/game.h). It runs two threads of its own, and a third for web
// clients. HostOptions has the parameters of Host::open(). The program `takt serve` has more: scenes that
// change while it runs, a status line, recordings as files (takt/cli/takt_main.h).
//
//   auto const scene = takt::server::load_scene_file("arena.json");
//   auto host = takt::server::Host::open({}, *scene, std::make_unique<MyGame>());
//   while (!wants_to_stop()) sleep_a_while();
//   (*host)->stop();
//
// One thread at a time calls a Host. It writes to the log (takt/server/log.h) and prints nothing else.
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
#include "takt/sim/game.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::server {

/// The players who may pause, step and change the speed.
enum class Admins : std::uint8_t {
  kNobody = 0,
  kLoopback = 1,  ///< those whose address is on this machine
};

struct HostOptions {
  std::string bind_address;           ///< an IP address of this machine; empty = all, IPv6 and IPv4
  std::uint16_t port = 7777;          ///< UDP and TCP alike; 0 = one that is free for both
  std::uint32_t players_max = 64;     ///< at once, [1, 4096]; the scene's policy may allow fewer
  std::uint32_t spectators_max = 64;  ///< at once, beside the players, [0, 4096]
  /// Sessions at once from one IPv4 address or IPv6 /64, [1, 4096]; addresses of this machine have no limit.
  std::uint32_t sessions_per_address_max = 8;
  Admins admins = Admins::kNobody;
  std::optional<HttpOptions> http;  ///< none = no web gateway
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint32_t snapshot_every_ticks = 1;  ///< [1, 3600]; 1 = clients receive each tick
  /// After a stall this number of ticks runs at once, and earlier ones are dropped: 5 hide 83 ms at 60 Hz.
  std::uint32_t catch_up_ticks_max = 5;  ///< [1, 1000]
  StepOptions step;  ///< threads and lanes, which change no bit; its pool must outlive the host
  sim::RecordingOptions recording;
};

/// Statistics of a host since its start, unless a line says otherwise.
struct HostStatus {
  std::uint64_t tick = 0;
  std::uint64_t hash = 0;            ///< state hash of `tick`
  std::uint32_t client_count = 0;    ///< now
  std::uint32_t body_count = 0;      ///< now
  std::uint32_t awake_count = 0;     ///< now
  std::uint32_t tick_median_us = 0;  ///< time that a tick took, of the last ticks
  std::uint32_t tick_p99_us = 0;
  std::uint64_t late_ticks = 0;     ///< began after their time
  std::uint64_t dropped_ticks = 0;  ///< never ran, because the host fell behind real time
  std::uint64_t players_joined = 0;
  std::uint64_t inputs_applied = 0;  ///< moved ones included
  std::uint64_t inputs_moved = 0;    ///< acted in a later tick than the client asked for
  std::uint64_t inputs_refused = 0;  ///< by schedule, policy, game or a full queue
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t recorded_bytes = 0;
  bool recording_failed = false;  ///< the sink refused bytes; the host goes on without it
  /// Why the ticks ended by themselves, for a person: an exception of the game. Empty = they run. The
  /// recording is closed then, and the host waits for stop().
  std::string failure;
};

class Host {
 public:
  /// Opens the sockets, builds the scene's world and starts its ticks. `game` may be null. `recording`
  /// receives a recording of all ticks, may be null, and must outlive the host. Errors: kSceneRefused for a
  /// scene that cannot be simulated, the others for sockets; Failure::detail is a line for a person.
  [[nodiscard]] static Result<std::unique_ptr<Host>, Failure> open(const HostOptions& options,
                                                                   const sim::Scene& scene,
                                                                   std::unique_ptr<sim::Game> game = nullptr,
                                                                   sim::ByteSink* recording = nullptr);
  ~Host();  ///< stops
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;       ///< of UDP and TCP
  [[nodiscard]] std::uint16_t http_port() const noexcept;  ///< 0 = no web gateway
  /// The status of the last full second, once each; false when there is no new one.
  [[nodiscard]] bool poll_status(HostStatus& out);
  /// Ends it: the last tick is finished, the recording closed, each client told. Returns when all of that is
  /// done (after at most about a second), with the final status. Later calls return the same.
  HostStatus stop();

 private:
  struct Implementation;
  explicit Host(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::server
