// MarbleGame is an example of a Game (takt/sim/game.h), the rules that a host adds to a simulation. Every
// player has a marble, pushes it with one-byte commands (Push), and scores by rolling it to x >= 12 m; then
// the marble starts again. main.cpp plays the game without a server, and replays its recording to equal bits.
// MarbleGame shows the two rules of a Game: draw only from the world's random stream, and name all state in
// visit_state().
#pragma once

#include <cstdint>
#include <vector>

#include "takt/sim/game.h"

namespace marbles {

/// The one byte of a command: the direction of an impulse, +x, -x, -z or +z. Other commands are refused.
enum class Push : std::uint8_t { kEast = 1, kWest = 2, kNorth = 3, kSouth = 4 };

class MarbleGame final : public takt::sim::Game {
 public:
  struct Marble {
    takt::sim::PlayerId player = 0;
    takt::BodyId body;
    std::uint32_t score = 0;
  };

  [[nodiscard]] std::string_view name() const override { return "marbles/1"; }
  void on_join(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  void on_leave(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override;
  void before_tick(takt::sim::WorldAccess& world) override;
  void visit_state(takt::sim::StateVisitor& state) override;

  /// In order of joining.
  [[nodiscard]] const std::vector<Marble>& marbles() const noexcept { return marbles_; }

 private:
  std::vector<Marble> marbles_;
};

}  // namespace marbles
