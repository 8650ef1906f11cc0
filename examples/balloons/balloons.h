// Balloons is an example of a Game (takt/sim/game.h), the rules that a host adds to a simulation. Every
// player gets a balloon that hovers, and may push it upwards with a one-byte command (kPuff), five times in a
// round. A balloon that touches the scene's sensor "goal" scores and starts again. A round takes ten seconds.
// Times, scores and the end of a round are messages to the players. main.cpp runs a server with Balloons. A
// Game also runs when a recording is replayed, so Balloons saves and restores all that it stores between
// ticks. It uses no network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "takt/sim/game.h"

namespace balloons {

/// The one byte of a player's command. Other commands are refused.
inline constexpr std::byte kPuff{1};
inline constexpr std::uint32_t kPuffsPerRound = 5;  ///< of each player
inline constexpr std::uint64_t kRoundS = 10;        ///< duration of a round, s

class Balloons final : public takt::sim::Game {
 public:
  struct Player {
    takt::BodyId balloon;
    std::uint32_t puffs_left = kPuffsPerRound;
    std::uint32_t score = 0;
  };

  [[nodiscard]] std::string_view name() const override { return "balloons/2"; }
  [[nodiscard]] bool on_start(takt::sim::WorldAccess& world, const takt::sim::SceneNames& names) override;
  void on_join(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  void on_leave(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override;
  void before_tick(takt::sim::WorldAccess& world) override;
  void after_tick(takt::sim::WorldAccess& world, const takt::StepEvents& events) override;
  void visit_state(takt::sim::StateVisitor& state) override;

  [[nodiscard]] const std::map<takt::sim::PlayerId, Player>& players() const noexcept { return players_; }

 private:
  void score(takt::sim::WorldAccess& world, takt::BodyId balloon);
  void end_round(takt::sim::WorldAccess& world);

  takt::ShapeId goal_;
  std::uint64_t round_end_tick_ = 0;
  std::map<takt::sim::PlayerId, Player> players_;  // ordered: its order is part of the saved bytes
};

/// Returns a scene with ground and goal, as JSON for sim::load_scene().
[[nodiscard]] std::string_view scene_json() noexcept;

}  // namespace balloons
