// LocalMatch plays CarBall in one Simulation with four bots and without a network, for tests and benchmarks.
// next_inputs() returns the inputs of the next tick: the joins at tick 0, then a drive command of each bot
// nine ticks after the other. The bots see the world itself, without the delay of a client. Equal seeds give
// equal matches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "examples/game/car_ball.h"
#include "examples/game/car_ball_bot.h"
#include "takt/sim/simulation.h"

namespace car_ball {

inline constexpr std::uint32_t kBotCount = kTeamCount * kSeatsPerTeam;

/// Loads pitch.json. Throws std::runtime_error with the loader's message.
[[nodiscard]] takt::sim::Scene load_pitch();

class LocalMatch {
 public:
  LocalMatch(const takt::sim::Scene& scene, takt::NumbersMode numbers, std::uint64_t seed);

  /// The inputs of the simulation's present tick. Call it once for each tick.
  [[nodiscard]] std::vector<takt::sim::Input> next_inputs();
  [[nodiscard]] takt::sim::Simulation& simulation() noexcept { return simulation_; }
  [[nodiscard]] const CarBall& game() const;

 private:
  takt::sim::Simulation simulation_;
  CarBallBot bot_;
  std::vector<takt::Random> randoms_;                          // of the bots
  std::array<std::uint32_t, kBotCount + 1> last_sequences_{};  // by player, the server's first
};

}  // namespace car_ball
