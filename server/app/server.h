// Server runs a Playable, which is a room (a live world with players) or the playback of a recording, and
// serves it to clients. Its simulation thread steps the Playable at its tick rate; its network thread drives
// the UDP and TCP sockets and the protocol endpoint. A third thread serves web clients (http_server.h),
// unless ServerOptions::http and metrics are none. The Playable has threads for its shadow world and its
// journal. An EventQueue carries session events (joins, leaves, inputs, controls) to the simulation, and an
// UpdateMailbox carries RoomUpdates from it; neither side waits for the other. Server owns its threads and
// the clock; the Playable decides what is simulated, and Gateway what clients receive. Server prints nothing
// but its log. Host (takt/server/host.h) is a Server of a room for programs that use the public headers
// alone.
//
// Thread safety: one owner calls open, poll_status, stop and the destructor, one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/journal.h"
#include "server/room.h"
#include "server/server_status.h"
#include "takt/core/result.h"
#include "takt/server/error.h"
#include "takt/server/http_options.h"
#include "takt/server/token_options.h"
#include "takt/sim/game.h"
#include "takt/sim/scene.h"

namespace takt::server {

struct ServerOptions {
  std::string bind_address;           ///< empty = every address of this machine, IPv6 and IPv4
  std::uint16_t port = 7777;          ///< UDP and TCP alike; 0 = one that is free for both
  std::uint32_t players_max = 64;     ///< at once, [1, 4096]; the scene's policy may allow fewer
  std::uint32_t spectators_max = 64;  ///< at once, beside the players, [0, 4096]
  std::uint32_t catch_up_ticks_max =
      5;  ///< ticks run at once after a stall, at least 1; more are given up. Five at 60 Hz hide 83 ms
  protocol::AdminGrant admin =
      protocol::AdminGrant::kNone;               ///< who may pause, step, set the speed, seek and load scenes
  std::uint64_t egress_max = 0;                  ///< bytes a second to all clients together; 0 = no limit
  std::vector<protocol::NetworkPrefix> proxies;  ///< networks of trusted TCP proxies (PROXY protocol)
  protocol::AddressLimits address;               ///< of one address that is not of this machine
  bool limits_loopback = false;                  ///< the limits hold for addresses of this machine, too
  std::optional<HttpOptions> http;               ///< none = no web gateway
  std::optional<MetricsOptions> metrics;         ///< none = the metrics are on the port of `http`
  std::optional<TokenOptions> tokens;            ///< none = no token opens
  std::string identity_path;                     ///< HostOptions::identity_path
  std::string desync_dir;                        ///< HostOptions::desync_dir; sets room.keeps_desync_states
  RoomOptions room;
  JournalOptions journal;  ///< of the second open(); image_every_ticks is RoomOptions::recording's
};

class Server {
 public:
  /// Builds the room, opens the sockets and starts ticking. `game` may be null. `recording` may be null, and
  /// must outlive the server; the server goes on without a recording that fails, and logs the failure.
  /// Errors: kSceneRefused, kTokenKeysRefused, kIdentityRefused, kDesyncFolderRefused, kCertificateRefused,
  /// and those of sockets (server::Error). RoomOptions::provider must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>, Failure> open(
      const ServerOptions& options, const sim::Scene& scene, std::unique_ptr<sim::Game> game = nullptr,
      sim::ByteSink* recording = nullptr);
  /// Starts a server with a recording into files that follow one another. `files` may be null, and must
  /// outlive the server. With `resumed`, the world is not created from the scene: the server goes on with
  /// `resumed`, and `game` is not used.
  [[nodiscard]] static Result<std::unique_ptr<Server>, Failure> open(const ServerOptions& options,
                                                                     const sim::Scene& scene,
                                                                     std::unique_ptr<sim::Game> game,
                                                                     JournalStore* files,
                                                                     std::optional<sim::Simulation> resumed);
  /// Starts a server for any Playable, which is not null. Errors: as above, without kSceneRefused.
  [[nodiscard]] static Result<std::unique_ptr<Server>, Failure> open(const ServerOptions& options,
                                                                     std::unique_ptr<Playable> playable);
  ~Server();  ///< stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;          ///< UDP and TCP
  [[nodiscard]] std::uint16_t http_port() const noexcept;     ///< 0 = no web gateway
  [[nodiscard]] std::uint16_t metrics_port() const noexcept;  ///< 0 = no port of their own
  [[nodiscard]] std::string server_key() const;               ///< Host::server_key()
  /// Copies the newest status to `out`. False when there is none since the last call. A status comes about
  /// once a second, and when the simulation ends by itself.
  [[nodiscard]] bool poll_status(ServerStatus& out);
  /// Reads ServerOptions::tokens' key file again. No session ends. With an error the old keys stay. Only with
  /// tokens (asserted).
  [[nodiscard]] Result<Unit, FileError> reload_token_keys();
  /// Likewise HttpOptions::tls' certificate and key. Only with them (asserted).
  [[nodiscard]] Result<Unit, FileError> reload_certificate();
  /// Finishes the present tick, closes the recording, and disconnects every client, which takes at most about
  /// a second. Returns the final status. Another call does nothing and returns the same.
  ServerStatus stop();

 private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::server
