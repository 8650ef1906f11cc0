// car_ball: the commands of takt for the game CarBall, with bots that play it. README.md shows a match.
#include "examples/game/car_ball.h"
#include "examples/game/car_ball_bot.h"
#include "takt/cli/takt_main.h"

int main(int argc, char** argv) {
  takt::cli::Program program;
  program.name = "car_ball";
  program.games.add<car_ball::CarBall>();
  program.bot = car_ball::CarBallBot();
  return takt::cli::takt_main(argc, argv, program);
}
