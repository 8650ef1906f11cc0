// A whole server (room, gateway, endpoint) and whole clients (the SDK's session and a bot's mind) on a
// virtual clock, with a packet simulator in each direction of each UDP client's path and a delayed pipe for
// TCP. One seed decides everything. Only sockets and threads are missing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/bot_player.h"
#include "client_sdk/cpp/session.h"
#include "protocol/link/packet_simulator.h"
#include "protocol/session/server_endpoint.h"
#include "server/room.h"
#include "server/web/gateway.h"

namespace takt::server::test {

/// One direction of a TCP connection: all bytes, in order, after a delay.
struct Pipe {
  std::uint64_t delay_us = 0;
  std::deque<std::pair<std::uint64_t, std::vector<std::byte>>> chunks;
};

class VirtualRoom {
 public:
  struct Player {
    std::unique_ptr<client::Session> session;
    std::unique_ptr<cli::BotPlayer> bot;
    protocol::TransportKind transport = protocol::TransportKind::kDatagram;
    protocol::Address address;
    std::unique_ptr<protocol::PacketSimulator> up;
    std::unique_ptr<protocol::PacketSimulator> down;
    Pipe stream_up;
    Pipe stream_down;
    protocol::StreamId stream;
    bool is_cut =
        false;  ///< nothing passes any more, either way: a killed process whose machine says nothing

    /// The client's thread does not run until then: its packets wait.
    std::uint64_t stalled_until_us = 0;

    bool joined = false;
    std::optional<client::Disconnected> ending;
    std::uint64_t spawned_events = 0;
    std::uint64_t removed_events = 0;
    std::vector<client::GameMessage> messages;
    std::vector<client::CommandOutcome> refusals;
    std::vector<client::QueryDone> query_answers;
    std::vector<client::BodySpawned> own_spawns;  ///< those that carry a ticket
    std::uint64_t frames = 0;                     ///< at which bodies were shown
    double longest_gap_ms = 0;                    ///< greatest Stats::longest_gap_ms
    std::uint64_t gaps_past_buffer =
        0;  ///< frames at which the stretch being interpolated was longer than the buffer
    std::uint64_t backward_frames = 0;  ///< frames at which the render tick had gone back
    double last_render_tick = 0;
  };

  VirtualRoom(const sim::Scene& scene, const RoomOptions& options, std::uint64_t seed,
              std::unique_ptr<sim::Game> game = nullptr, std::uint32_t players_max = 256);

  Player& add_player(protocol::TransportKind transport, const protocol::Impairment& impairment);
  /// Runs the clock in steps of 1 ms; the server ticks at its rate, clients show a frame every 16 ms.
  void run_for(std::uint64_t us);

  bool bots_play = true;
  bool ticking = true;  ///< false: the world stands still and is published again and again

  [[nodiscard]] Room& room() noexcept { return room_; }
  [[nodiscard]] protocol::ServerEndpoint& endpoint() noexcept { return endpoint_; }
  [[nodiscard]] std::vector<std::unique_ptr<Player>>& players() noexcept { return players_; }
  [[nodiscard]] std::uint64_t now_us() const noexcept { return now_us_; }
  /// True when this player's newest states are the server's, bit for bit, and so are the interpolated ones it
  /// shows.
  [[nodiscard]] bool has_converged(Player& player);

  std::vector<protocol::PlayerLeft> left;
  /// The newest tick when a player's request arrived.
  std::map<std::pair<sim::PlayerId, std::uint32_t>, std::uint64_t> asked_at;

 private:
  void step();
  void move_player(Player& player);
  void move_stream(Player& player);
  void turn(Player& player);
  [[nodiscard]] bool runs(const Player& player) const noexcept;

  Room room_;
  protocol::ServerEndpoint endpoint_;
  Gateway gateway_;
  std::vector<std::unique_ptr<Player>> players_;
  std::uint64_t seed_;
  std::uint64_t tick_rate_hz_;
  std::uint64_t now_us_ = 1'000'000;
  std::uint64_t next_tick_us_ = 1'000'000;
  std::uint64_t ticks_ = 0;
};

}  // namespace takt::server::test
