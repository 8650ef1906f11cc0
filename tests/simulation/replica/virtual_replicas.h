// A whole room (room, gateway, endpoint) and clients that simulate, on a virtual clock, with a packet
// simulator in each direction of each client's path. One seed decides everything. Only sockets and threads
// are missing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client_sdk/cpp/replica/replica_session.h"
#include "protocol/link/packet_simulator.h"
#include "protocol/session/server_endpoint.h"
#include "server/room.h"
#include "server/web/gateway.h"
#include "takt/core/random.h"

namespace takt::client::test {

class VirtualReplicas {
 public:
  struct Client {
    std::unique_ptr<ReplicaSession> session;
    protocol::ClientOptions endpoint;  ///< of its first session
    protocol::Address address;
    std::unique_ptr<protocol::PacketSimulator> up;
    std::unique_ptr<protocol::PacketSimulator> down;
    Random random{1};
    bool is_active = true;  ///< sends commands
    bool walks = false;     ///< sends the same Move in each frame, instead of random commands
    std::uint64_t frame_ms = 16;
    bool is_cut = false;  ///< nothing passes any more, either way
    std::uint64_t joined_us = 0;
    std::uint64_t left_us = 0;          ///< of disconnect(); 0 = not yet
    std::uint64_t playing_us = 0;       ///< when it had caught up; 0 = not yet
    std::uint64_t own_delay_ticks = 0;  ///< greatest distance from a command to its tick in the own world
    std::vector<Diverged> divergences;
    std::vector<DesyncFound> desyncs;
    std::uint64_t named_us = 0;     ///< when the last DesyncFound came
    std::uint64_t repaired_us = 0;  ///< when the last image came
    std::uint64_t images = 0;
    std::uint64_t resumed = 0;  ///< sessions that began without an image
    std::vector<ModeChanged> modes;
    std::optional<ReplicaEnded> ending;
    std::uint64_t commands = 0;
    std::uint64_t moved = 0;
    std::uint64_t refused = 0;
    std::uint64_t down_datagrams = 0;
    std::uint64_t down_bytes = 0;  ///< of datagrams, without the headers of IP and UDP
    std::uint64_t up_datagrams = 0;
    std::uint64_t up_bytes = 0;
  };

  VirtualReplicas(const sim::Scene& scene, const server::RoomOptions& options, std::uint64_t seed);

  Client& add_client(protocol::ReplicationMode mode, const protocol::Impairment& path,
                     ReplicaOptions replica = {}, std::uint32_t input_delay_ticks = 0);
  /// In mode predicted.
  Client& add_predicted(const protocol::Impairment& path, const PredictedOptions& predicted = {},
                        protocol::Role role = protocol::Role::kPlayer);
  void disconnect(Client& client);
  /// Connects a client anew whose session is over (ending), from another address. `is_cut`: nothing passes.
  void reconnect(Client& client, bool is_cut = false);
  /// The server ends without a word, and another one goes on with the state of this image
  /// (server::Room::resume).
  void restart(std::span<const std::byte> image, std::uint32_t first_epoch);
  /// The room runs at this speed from now on, as by a Control.
  void set_speed(std::uint32_t speed);
  /// Runs the clock in steps of 1 ms; the server ticks at its rate, clients have a frame every frame_ms.
  void run_for(std::uint64_t us);
  /// Chance that a client sends a command in a frame, percent.
  std::uint32_t command_percent = 10;
  /// Silence after which clients that are added later give up.
  std::uint64_t client_timeout_us = 10'000'000;
  /// Time in which such clients connect.
  std::uint64_t connect_timeout_us = 30'000'000;
  /// Name of the next client; empty = none.
  std::string client_name;
  /// The next client spectates.
  bool next_spectates = false;

  [[nodiscard]] server::Room& room() noexcept { return room_; }
  [[nodiscard]] protocol::ServerEndpoint& endpoint() noexcept { return *endpoint_; }
  [[nodiscard]] std::vector<std::unique_ptr<Client>>& clients() noexcept { return clients_; }
  [[nodiscard]] std::uint64_t now_us() const noexcept { return now_us_; }
  /// Desyncs that the server has found.
  [[nodiscard]] const std::vector<server::DesyncFinding>& desyncs() const noexcept { return desyncs_; }
  /// When the server found the last one; 0 = never.
  [[nodiscard]] std::uint64_t desync_us() const noexcept { return desync_us_; }
  [[nodiscard]] const std::vector<server::DesyncReport>& desync_reports() const noexcept {
    return desync_reports_;
  }
  /// Hashes of the server's states, by tick.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& hashes() const noexcept { return hashes_; }
  /// From now on the server's bodies are kept, for compare_bodies().
  void keep_bodies() { keeps_bodies_ = true; }
  /// Remembers the present bodies of the playing clients in mode predicted.
  void note_bodies();
  /// Bodies outside of an area are behind the server by less than this: a round trip of terrible(), and more.
  static constexpr std::uint64_t kTrailingTicks = 180;
  struct Comparison {
    std::uint64_t bodies = 0;
    std::uint64_t differing = 0;
    std::uint64_t trailing = 0;  ///< outside of the area, if they moved on the server lately: not compared
    std::string first;           ///< that differs by more than the grids; empty = none
  };
  /// Noted bodies beside those that the server had at the same tick. A body that is there on one side alone
  /// differs.
  [[nodiscard]] Comparison compare_bodies() const;
  /// Remembers everybody's present state. Without commands under way, predictions are right as well.
  void note_states();
  /// Noted states that the server had otherwise, or has not reached yet; empty = none.
  [[nodiscard]] std::string difference() const;
  [[nodiscard]] std::size_t noted_count() const noexcept { return noted_.size(); }

 private:
  [[nodiscard]] bool has_moved_lately(std::uint64_t tick, const sim::BodyView& now) const;
  Client& add(ReplicaSessionOptions options, const protocol::Impairment& path);
  void step();
  void move(Client& client);
  void frame(Client& client);
  [[nodiscard]] sim::Command draw_command(Client& client);

  void open();

  sim::Scene scene_;
  server::RoomOptions options_;
  server::Room room_;
  std::unique_ptr<protocol::ServerEndpoint> endpoint_;
  std::unique_ptr<server::Gateway> gateway_;
  std::vector<std::unique_ptr<Client>> clients_;
  struct Noted {
    sim::PlayerId player = 0;
    std::uint64_t tick = 0;
    std::uint64_t hash = 0;
  };
  std::vector<server::DesyncFinding> desyncs_;
  std::vector<server::DesyncReport> desync_reports_;
  std::uint64_t desync_us_ = 0;
  std::map<std::uint64_t, std::uint64_t> hashes_;  // of the server, by tick
  std::vector<Noted> noted_;
  struct NotedBodies {
    sim::PlayerId player = 0;
    std::uint64_t tick = 0;
    std::vector<sim::BodyView> bodies;
    PredictedArea area;
  };
  std::vector<NotedBodies> noted_bodies_;
  std::map<std::uint64_t, std::vector<sim::BodyView>> server_bodies_;  // by tick, once they are noted
  bool keeps_bodies_ = false;
  std::uint64_t reconnects_ = 0;
  std::uint64_t seed_;
  std::uint64_t tick_rate_hz_;
  std::uint64_t now_us_ = 1'000'000;
  std::uint64_t speed_ = 1;
  std::uint64_t speed_since_us_ = now_us_;
  std::uint64_t ticks_ = 0;  // since then
};

}  // namespace takt::client::test
