// CarBallBot drives a car of CarBall from what a client sees. The driver of a team who is nearer to the ball
// goes behind it and pushes it towards the other goal; the other one stays between ball and own goal. A car
// that stands against a wall backs out. CarBallBot is the BotFunction of main.cpp, and tests call it too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "takt/cli/takt_main.h"
#include "takt/core/random.h"

namespace car_ball {

class CarBallBot {
 public:
  /// Returns the next drive command of the view's player; none while it has no car.
  [[nodiscard]] std::optional<takt::sim::Command> operator()(const takt::cli::BotView& view,
                                                             takt::Random& random);

 private:
  struct Memory {
    std::uint32_t still_count = 0;    // commands since the car stands
    std::uint32_t backing_count = 0;  // commands for which it still backs out
    bool backs_left = false;
  };
  std::map<std::uint32_t, Memory> memories_;  // of players: one function serves all bots of a program
};

}  // namespace car_ball
